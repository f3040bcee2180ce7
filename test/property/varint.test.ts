import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { int32Length, int64Length, VarintReader, writeInt32, writeInt64 } from '../../src/log/varint.js'
import { safeInteger } from './arbitraries.js'

const int32 = fc.integer({ min: -0x80000000, max: 0x7fffffff })
const nearPowers = fc.tuple(fc.integer({ min: 0, max: 52 }), fc.integer({ min: -2, max: 2 }), fc.boolean())
const boundary = nearPowers.map(([bits, off, negative]) => (negative ? -1 : 1) * (2 ** bits + off))

/** A zigzag varint by its definition, in BigInts. */
function zigzag(value: number): Buffer {
  let raw = value < 0 ? (-BigInt(value) << 1n) - 1n : BigInt(value) << 1n
  const bytes: number[] = []
  for (; raw > 127n; raw >>= 7n) bytes.push(Number(raw & 127n) | 128)
  return Buffer.from([...bytes, Number(raw)])
}

describe('varints', () => {
  it('of 32 bits are written and read by their definition', () => {
    fc.assert(
      fc.property(int32, (value) => {
        const into = Buffer.alloc(5)
        const written = into.subarray(0, writeInt32(into, value, 0))
        expect(written).toEqual(zigzag(value))
        expect(int32Length(value)).toBe(written.length)
        expect(new VarintReader(written).int32()).toBe(value)
      }),
    )
  })

  it('of 64 bits are written and read by their definition', () => {
    fc.assert(
      fc.property(fc.oneof(safeInteger, boundary), (value) => {
        const into = Buffer.alloc(10)
        const written = into.subarray(0, writeInt64(into, value, 0))
        expect(written).toEqual(zigzag(value))
        expect(int64Length(value)).toBe(written.length)
        const reader = new VarintReader(written)
        // A zero has no sign on the wire.
        expect(reader.int64() + 0).toBe(value + 0)
        expect(reader.remaining).toBe(0)
      }),
      { numRuns: 2000 },
    )
  })

  it('that no number holds are refused', () => {
    for (const hex of ['feffffffffffffffff01', 'ffffffffffffffffff01', '80808080808080' + '8001', 'ffffffffffffff1f']) {
      const reader = new VarintReader(Buffer.from(hex, 'hex'))
      expect(() => reader.int64()).toThrow(expect.objectContaining({ code: 'INVALID_RECORD' }))
    }
  })

  it('that do not end are refused', () => {
    const endless = Buffer.alloc(20, 0xff)
    expect(() => new VarintReader(endless).int32()).toThrow(expect.objectContaining({ code: 'INVALID_RECORD' }))
    expect(() => new VarintReader(endless).int64()).toThrow(expect.objectContaining({ code: 'INVALID_RECORD' }))
    for (let end = 0; end < 4; end++) {
      expect(() => new VarintReader(endless, 0, end).int64()).toThrow(
        expect.objectContaining({ code: 'INVALID_RECORD' }),
      )
    }
  })
})
