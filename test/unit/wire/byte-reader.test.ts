import { describe, expect, it } from 'vitest'
import { MyKafkaError } from '../../../src/errors.js'
import { ByteReader } from '../../../src/wire/byte-reader.js'

const reader = (hex: string): ByteReader => new ByteReader(Buffer.from(hex, 'hex'))
const finish = (read: ByteReader) => () => read.finish('INVALID_REQUEST', 'call')

describe('ByteReader', () => {
  it('reads big-endian signed integers', () => {
    const read = reader('ff' + 'fffe' + '80000000' + 'ffffffffffffffff' + '001fffffffffffff' + 'ffe0000000000001')
    expect(read.int8('a')).toBe(-1)
    expect(read.int16('b')).toBe(-2)
    expect(read.int32('c')).toBe(-(2 ** 31))
    expect(read.int64('d')).toBe(-1)
    expect(read.int64('e')).toBe(Number.MAX_SAFE_INTEGER)
    expect(read.int64('f')).toBe(Number.MIN_SAFE_INTEGER)
    expect(finish(read)).not.toThrow()
  })

  it('refuses an int64 that is no safe integer', () => {
    for (const unsafe of [
      '0020000000000000',
      '0020000000000001',
      '7fffffffffffffff',
      'ffe0000000000000',
      '8000000000000000',
    ]) {
      const read = reader(unsafe)
      expect(read.int64('offset')).toBe(0)
      expect(finish(read)).toThrow('call: offset is beyond 2^53 - 1')
    }
  })

  it('reads a string as UTF-8', () => {
    const read = reader('0003616263' + '0006eca28cec849d' + '0000')
    expect([read.string('a'), read.string('b'), read.string('c')]).toEqual(['abc', '좌석', ''])
    expect(finish(read)).not.toThrow()
  })

  it('refuses a string that is not UTF-8', () => {
    for (const bytes of ['0001ff', '0002c3c3', '0003eda080', '0002c080']) {
      const read = reader(bytes)
      expect(read.string('topic')).toBe('')
      expect(finish(read)).toThrow('call: topic is not UTF-8')
    }
  })

  it('refuses lengths below zero and beyond the bytes left', () => {
    const negative = reader('ffff')
    negative.string('topic')
    expect(finish(negative)).toThrow('call: topic has length -1')
    const long = reader('0004616263')
    long.string('topic')
    expect(finish(long)).toThrow('call: topic needs 4 bytes, 3 are left')
  })

  it('refuses counts below zero and beyond what the bytes left can hold', () => {
    const negative = reader('ffffffff')
    expect(negative.count('topicCount', 6)).toBe(0)
    expect(finish(negative)).toThrow('topicCount is -1')
    const many = reader('0000000200000000')
    expect(many.count('topicCount', 6)).toBe(0)
    expect(finish(many)).toThrow('topicCount is 2, more than the bytes left can hold')
  })

  it('sticks to the first thing that is wrong', () => {
    const read = reader('ffff61000000010000')
    read.string('topic')
    expect(read.failed).toBe(true)
    expect([read.int8('a'), read.int16('b'), read.int32('c'), read.int64('d'), read.string('e')]).toEqual([
      0,
      0,
      0,
      0,
      '',
    ])
    expect(finish(read)).toThrow('topic has length -1')
  })

  it('refuses bytes left over', () => {
    const read = reader('000000')
    read.int8('a')
    expect(finish(read)).toThrow(new MyKafkaError('INVALID_REQUEST', 'call: 2 bytes too many'))
  })
})
