import { describe, expect, it } from 'vitest'
import { KafkaReader, MAX_REQUEST_ELEMENTS, MAX_TAGGED_FIELDS } from '../../../src/wire/kafka/kafka-reader.js'

const reader = (hex: string): KafkaReader => new KafkaReader(Buffer.from(hex.replaceAll(' ', ''), 'hex'))
const finish = (read: KafkaReader) => () => read.endMessage('request', 'Fetch', 12)

/** What a read says is wrong with these bytes. */
function problemOf(hex: string, use: (read: KafkaReader) => unknown): string {
  const read = reader(hex)
  use(read)
  expect(read.failed).toBe(true)
  expect(read.remaining).toBe(0)
  try {
    finish(read)()
  } catch (error) {
    expect(error).toMatchObject({ name: 'MyKafkaError', code: 'INVALID_REQUEST' })
    return (error as Error).message.replace('Fetch request, version 12: ', '')
  }
  return 'nothing'
}

describe('KafkaReader', () => {
  it('reads fixed types', () => {
    const read = reader('01 00 07 ffff 80000000 8000000000000000 3ff8000000000000 00112233445566778899aabbccddeeff')
    expect([read.bool('a'), read.bool('b'), read.bool('c')]).toEqual([true, false, true])
    expect(read.uint16('d')).toBe(0xffff)
    expect(read.uint32('e')).toBe(0x80000000)
    expect(read.bigInt64('f')).toBe(-(2n ** 63n))
    expect(read.float64('g')).toBe(1.5)
    expect(read.uuid('h')).toBe('ABEiM0RVZneImaq7zN3u_w')
    expect(finish(read)).not.toThrow()
    expect(reader('00'.repeat(16)).uuid('id')).toBe('AAAAAAAAAAAAAAAAAAAAAA')
  })

  it('reads unsigned varints of up to 32 bits', () => {
    const read = reader('00 7f 8001 ff7f 808001 ffffffff0f 8000')
    const values = Array.from({ length: 7 }, () => read.unsignedVarint('v'))
    expect(values).toEqual([0, 127, 128, 16383, 16384, 0xffffffff, 0])
    expect(finish(read)).not.toThrow()
  })

  it('refuses longer varints and cut ones', () => {
    const varint = (read: KafkaReader) => read.unsignedVarint('length')
    expect(problemOf('ffffffff10', varint)).toBe('length is no unsigned varint of 32 bits')
    expect(problemOf('8080808080', varint)).toBe('length is no unsigned varint of 32 bits')
    expect(problemOf('ffffffffffffffffff01', varint)).toBe('length is no unsigned varint of 32 bits')
    expect(problemOf('8080', varint)).toBe('length needs 1 bytes, 0 are left')
    expect(problemOf('', varint)).toBe('length needs 1 bytes, 0 are left')
  })

  it('reads strings and bytes, classic and compact', () => {
    const read = reader('00026162 ffff 03 6162 00 01 00000001 ff ffffffff 02 fe 00 01')
    expect([read.nullableString('a'), read.nullableString('b')]).toEqual(['ab', null])
    expect([read.compactString('c'), read.compactNullableString('d'), read.compactString('e')]).toEqual([
      'ab',
      null,
      '',
    ])
    expect([read.bytes('f'), read.nullableBytes('g')]).toEqual([Buffer.of(0xff), null])
    expect([read.compactBytes('h'), read.compactNullableBytes('i')]).toEqual([Buffer.of(0xfe), null])
    expect(read.compactBytes('j')).toEqual(Buffer.alloc(0))
    expect(finish(read)).not.toThrow()
  })

  it('gives bytes as a view', () => {
    const bytes = Buffer.from('000000020102', 'hex')
    const view = new KafkaReader(bytes).bytes('records')
    bytes[4] = 9
    expect(view[0]).toBe(9)
  })

  it('refuses null where there is none', () => {
    expect(problemOf('ffff', (read) => read.string('s'))).toBe('s has length -1')
    expect(problemOf('00', (read) => read.compactString('s'))).toBe('s has length -1')
    expect(problemOf('ffffffff', (read) => read.bytes('b'))).toBe('b has length -1')
    expect(problemOf('00', (read) => read.compactBytes('b'))).toBe('b has length -1')
    expect(problemOf('ffffffff', (read) => read.arrayLength('a', 1))).toBe('a is -1')
    expect(problemOf('00', (read) => read.compactArrayLength('a', 1))).toBe('a is -1')
  })

  it('refuses lengths below -1 and beyond the bytes left', () => {
    expect(problemOf('fffe', (read) => read.nullableString('s'))).toBe('s has length -2')
    expect(problemOf('80000000', (read) => read.nullableBytes('b'))).toBe('b has length -2147483648')
    expect(problemOf('7fffffff00', (read) => read.bytes('b'))).toBe('b needs 2147483647 bytes, 1 are left')
    expect(problemOf('ffffffff0f00', (read) => read.compactNullableBytes('b'))).toBe(
      'b needs 4294967294 bytes, 1 are left',
    )
    expect(problemOf('8080808008', (read) => read.compactString('s'))).toBe('s has length 2147483647, more than 32767')
    expect(problemOf('fffffffe', (read) => read.nullableArrayLength('a', 1))).toBe('a is -2')
  })

  it('refuses compact strings that are not UTF-8', () => {
    expect(problemOf('02ff', (read) => read.compactString('name'))).toBe('name is not UTF-8')
    expect(problemOf('03c080', (read) => read.compactNullableString('name'))).toBe('name is not UTF-8')
  })

  it('believes no length of an array beyond what the bytes left can hold', () => {
    const six = '0000000211 22 33 44 55 66'
    expect(reader(six).arrayLength('a', 3)).toBe(2)
    expect(problemOf(six, (read) => read.arrayLength('a', 4))).toBe('a is 2, more than the bytes left can hold')
    expect(reader('0311223344').compactArrayLength('a', 2)).toBe(2)
    expect(problemOf('03112233', (read) => read.compactArrayLength('a', 2))).toBe(
      'a is 2, more than the bytes left can hold',
    )
    expect(problemOf('ffffffff0f', (read) => read.compactNullableArrayLength('a', 1))).toBe(
      'a is 4294967294, more than the bytes left can hold',
    )
    expect([reader('ffffffff').nullableArrayLength('a', 1), reader('00').compactNullableArrayLength('a', 1)]).toEqual([
      -1, -1,
    ])
  })

  it('caps the elements of all arrays of a message together', () => {
    const half = MAX_REQUEST_ELEMENTS / 2
    const bytes = Buffer.alloc(8 + MAX_REQUEST_ELEMENTS)
    bytes.writeInt32BE(half, 0)
    bytes.writeInt32BE(half + 1, 4)
    const read = new KafkaReader(bytes)
    expect(read.arrayLength('outer', 1)).toBe(half)
    expect(read.arrayLength('inner', 1)).toBe(0)
    expect(finish(read)).toThrow(`inner brings the elements of the message above ${MAX_REQUEST_ELEMENTS}`)
  })

  it('skips tagged fields that nobody knows', () => {
    const read = reader('00 02 00 00 85 01 02 aabb 07')
    read.skipTags()
    read.skipTags()
    expect(read.int8('behind')).toBe(7)
    expect(finish(read)).not.toThrow()
  })

  it('refuses tags out of order, twice or too many', () => {
    const skip = (read: KafkaReader) => read.skipTags()
    expect(problemOf('02 0100 0000', skip)).toBe('tag 0 follows tag 1')
    expect(problemOf('02 0100 0100', skip)).toBe('tag 1 follows tag 1')
    expect(problemOf('05 0000', skip)).toBe('the number of tagged fields is 5, more than the bytes left can hold')
    expect(problemOf(`e907${'00'.repeat(5000)}`, skip)).toBe(`1001 tagged fields are more than ${MAX_TAGGED_FIELDS}`)
    expect(problemOf('01 00 03 aabb', skip)).toBe('a tagged field needs 3 bytes, 2 are left')
  })

  it('refuses a tagged field whose content has another length', () => {
    const use = (read: KafkaReader) => {
      read.tagCount()
      read.tag(-1)
      const end = read.tagEnd()
      read.int16('epoch')
      read.endTag(end, 'epoch')
    }
    expect(problemOf('01 00 03 000000', use)).toBe('epoch has another length than its tagged field')
    expect(problemOf('01 00 01 0000', use)).toBe('epoch has another length than its tagged field')
  })

  it('reads nothing behind the first thing that is wrong', () => {
    const read = reader('ffff 02 61 00000001 01 00 01 00')
    read.string('name')
    expect([read.compactString('a'), read.compactNullableString('b'), read.nullableString('c')]).toEqual(['', '', ''])
    expect([read.unsignedVarint('d'), read.arrayLength('e', 1), read.compactNullableArrayLength('f', 1)]).toEqual([
      0, 0, 0,
    ])
    expect([read.nullableBytes('g'), read.compactBytes('h')]).toEqual([Buffer.alloc(0), Buffer.alloc(0)])
    expect([read.present('i'), read.bool('j'), read.bigInt64('k'), read.float64('l')]).toEqual([false, false, 0n, 0])
    expect([read.uuid('m'), read.tagCount(), read.rest().length]).toEqual(['AAAAAAAAAAAAAAAAAAAAAA', 0, 0])
    expect(finish(read)).toThrow('Fetch request, version 12: name has length -1')
  })

  it('says whose bytes are too many, and takes them behind a request', () => {
    const read = reader('0000')
    read.endMessage('request', 'Metadata', 9)
    expect(() => read.endMessage('response', 'Metadata', 9)).toThrow('Metadata response, version 9: 2 bytes too many')
  })
})
