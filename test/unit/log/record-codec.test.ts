import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeStored, encodePacked, packedLength, writePacked } from '../../../src/log/record-codec.js'
import { readVectors } from '../../support/vectors.js'

interface RecordVector {
  unsafe: boolean
  offset: string
  timestamp: string
  key: string | null
  value: string | null
  bytes: string
}

const vectors = readVectors<RecordVector[]>('records.json')
const field = (hex: string | null): Buffer | null => (hex === null ? null : Buffer.from(hex, 'hex'))
const name = ({ offset, timestamp }: RecordVector): string => `offset ${offset}, timestamp ${timestamp}`
const whole = Buffer.concat(vectors.filter(({ unsafe }) => !unsafe).map(({ bytes }) => Buffer.from(bytes, 'hex')))

function codeOf(bytes: Buffer, checkCrcs = false): unknown {
  try {
    return decodeStored(bytes, { checkCrcs }).length
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('the vectors of records.json hold', () => {
  for (const vector of vectors) {
    const stored = Buffer.from(vector.bytes, 'hex')
    const key = field(vector.key)
    const value = field(vector.value)

    it(`packed: ${name(vector)}`, () => {
      expect(encodePacked([{ key, value }]).toString('hex')).toBe(stored.subarray(16, -4).toString('hex'))
    })

    if (vector.unsafe) {
      it(`stored, with a clear error: ${name(vector)}`, () => {
        expect(() => decodeStored(stored)).toThrow(
          expect.objectContaining({ code: 'UNSAFE_INTEGER', message: expect.stringContaining(vector.offset) }),
        )
      })
    } else {
      it(`stored: ${name(vector)}`, () => {
        const record = { offset: Number(vector.offset), timestamp: Number(vector.timestamp), key, value }
        expect(decodeStored(stored, { checkCrcs: true })).toEqual([record])
      })
    }
  }
})

describe('stored entries', () => {
  it('are read one after another, as views', () => {
    const records = decodeStored(whole, { checkCrcs: true })
    expect(records.map(({ offset }) => offset)).toEqual([0, 0, 1, 42, 2147483648, 7])
    expect(records[3]?.value?.buffer).toBe(whole.buffer)
    expect(decodeStored(Buffer.alloc(0))).toEqual([])
  })

  it('read a null value as a tombstone', () => {
    const head = Buffer.from('00000000000000050000000000000006' + '00000001' + '6b' + 'ffffffff', 'hex')
    const crc = Buffer.alloc(4)
    crc.writeUInt32BE(crc32(head))
    expect(decodeStored(Buffer.concat([head, crc]), { checkCrcs: true })).toEqual([
      { offset: 5, timestamp: 6, key: Buffer.from('k'), value: null },
    ])
  })

  it('are corrupt where the last one is cut off, at every byte', () => {
    const last = Buffer.from(vectors.at(-1)?.bytes ?? '', 'hex')
    for (let length = 1; length < last.length; length++) {
      expect(codeOf(last.subarray(0, length))).toBe('CORRUPT_MESSAGE')
      expect(codeOf(Buffer.concat([whole, last.subarray(0, length)]))).toBe('CORRUPT_MESSAGE')
    }
  })

  it('are corrupt where any bit is wrong, if asked to check', () => {
    const entry = Buffer.from(vectors[3]?.bytes ?? '', 'hex')
    for (let bit = 0; bit < entry.length * 8; bit++) {
      const flipped = Buffer.from(entry)
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(codeOf(flipped, true)).toBe('CORRUPT_MESSAGE')
    }
  })

  it('are checked by the CRC-32 given', () => {
    const asked: number[] = []
    const check = (bytes: Uint8Array): number => asked.push(bytes.length) && crc32(bytes)
    decodeStored(whole, { checkCrcs: true, crc32: check })
    expect(asked).toHaveLength(6)
    expect(() => decodeStored(whole, { checkCrcs: true, crc32: () => 0 })).toThrow('byte 0 has a wrong CRC')
  })

  it('are corrupt where a length cannot be', () => {
    const entry = (keyLength: string, rest: string): Buffer => Buffer.from('00'.repeat(16) + keyLength + rest, 'hex')
    expect(codeOf(entry('fffffffe', '00'.repeat(8)))).toBe('CORRUPT_MESSAGE')
    expect(codeOf(entry('01000001', '00'.repeat(8)))).toBe('CORRUPT_MESSAGE')
    expect(codeOf(entry('ffffffff', 'fffffffe00000000'))).toBe('CORRUPT_MESSAGE')
    expect(codeOf(entry('ffffffff', '7fffffff00000000'))).toBe('CORRUPT_MESSAGE')
    expect(codeOf(entry('00000005', '00'.repeat(8)))).toBe('CORRUPT_MESSAGE')
  })
})

describe('packed records', () => {
  it('take strings, bytes and null', () => {
    const records = [{ key: '좌', value: null }, { key: new Uint8Array([1]), value: '' }, { value: Buffer.from('v') }]
    const packed = '00000003eca28c' + 'ffffffff' + '0000000101' + '00000000' + 'ffffffff' + '0000000176'
    expect(encodePacked(records).toString('hex')).toBe(packed)
    expect(packedLength(records)).toBe(packed.length / 2)
  })

  it('are written where asked', () => {
    const into = Buffer.alloc(12, 0xee)
    expect(writePacked([{ value: '' }], into, 2)).toBe(10)
    expect(into.toString('hex')).toBe('eeee' + 'ffffffff' + '00000000' + 'eeee')
  })

  it('refuse a key above 16 MiB', () => {
    expect(packedLength([{ key: Buffer.alloc(16 << 20), value: '' }])).toBe((16 << 20) + 8)
    expect(() => packedLength([{ key: Buffer.alloc((16 << 20) + 1), value: '' }])).toThrow(
      expect.objectContaining({ code: 'MESSAGE_TOO_LARGE' }),
    )
  })

  it('refuse what is neither', () => {
    for (const value of [undefined, 5, {}, [1]]) {
      expect(() => packedLength([{ value: value as unknown as string }])).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining('value must be') }),
      )
    }
  })
})
