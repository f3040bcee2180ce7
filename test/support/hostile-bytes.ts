import fc from 'fast-check'
import { expect } from 'vitest'
import { MyKafkaError } from '../../src/errors.js'
import { share } from './share.js'

/** What is done to valid bytes: `at` and the like are shares of their length. */
type Edit =
  | { readonly kind: 'flip'; readonly at: number; readonly byte: number }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'leave out'; readonly at: number; readonly length: number }
  | { readonly kind: 'repeat'; readonly at: number; readonly length: number; readonly times: number }
  | { readonly kind: 'put'; readonly at: number; readonly bytes: Buffer; readonly over: boolean }

function int(width: 2 | 4 | 8, value: bigint): Buffer {
  const buffer = Buffer.alloc(8)
  buffer.writeBigInt64BE(value)
  return buffer.subarray(8 - width)
}

/** What parsers stumble over: lengths and counts that lie, varints that do not end, tags and text that are none. */
const STUMBLING_BLOCKS = [
  ...[-1n, -2n, 0n, 1n, 0x7fffn, -0x8000n].map((value) => int(2, value)),
  ...[-1n, -2n, 0n, 0x7fff_ffffn, 0x7fff_fffen, -0x8000_0000n, 0x10_0000n, 1n << 30n].map((value) => int(4, value)),
  ...[-1n, 2n ** 53n, 2n ** 53n - 1n, 2n ** 63n - 1n, -(2n ** 63n)].map((value) => int(8, value)),
  Buffer.alloc(10, 0xff),
  Buffer.concat([Buffer.alloc(9, 0xff), Buffer.of(0x7f)]),
  Buffer.from('ffffffff0f', 'hex'),
  Buffer.from('ffffffff07', 'hex'),
  Buffer.from('80808080808080808001', 'hex'),
  // Tagged fields: many, out of order, with lengths beyond all bytes, and one that holds others.
  Buffer.from('e807', 'hex'),
  Buffer.from('02010000000000', 'hex'),
  Buffer.from('0100ffffffff0f', 'hex'),
  Buffer.from('01000501000301000100', 'hex'),
  // No UTF-8: alone, too long, a half of a pair, above the last.
  Buffer.from('ff', 'hex'),
  Buffer.from('c080', 'hex'),
  Buffer.from('eda080', 'hex'),
  Buffer.from('f4908080', 'hex'),
]

const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: share, byte: fc.integer({ min: 1, max: 255 }) }),
  fc.record({ kind: fc.constant('cut' as const), at: share }),
  fc.record({ kind: fc.constant('leave out' as const), at: share, length: fc.integer({ min: 1, max: 12 }) }),
  fc.record({
    kind: fc.constant('repeat' as const),
    at: share,
    length: fc.integer({ min: 1, max: 40 }),
    times: fc.integer({ min: 1, max: 30 }),
  }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('put' as const),
      at: share,
      bytes: fc.constantFrom(...STUMBLING_BLOCKS),
      over: fc.boolean(),
    }),
  },
)

/** A few edits of any bytes. */
export const edits: fc.Arbitrary<Edit[]> = fc.array(edit, { minLength: 1, maxLength: 4 })

/** The bytes behind the edits, in their order: others than those that came. */
export function edited(bytes: Buffer, changes: readonly Edit[]): Buffer {
  return changes.reduce(editOnce, Buffer.from(bytes))
}

function editOnce(bytes: Buffer, change: Edit): Buffer {
  const at = Math.floor(change.at * bytes.length)
  const before = bytes.subarray(0, at)
  switch (change.kind) {
    case 'flip': {
      const flipped = Buffer.from(bytes)
      if (at < flipped.length) flipped[at] = (flipped[at] as number) ^ change.byte
      return flipped
    }
    case 'cut':
      return before
    case 'leave out':
      return Buffer.concat([before, bytes.subarray(at + change.length)])
    case 'repeat': {
      const part = bytes.subarray(at, at + change.length)
      return Buffer.concat([before, ...Array(change.times).fill(part), bytes.subarray(at)])
    }
    case 'put':
      return Buffer.concat([before, change.bytes, bytes.subarray(change.over ? at + change.bytes.length : at)])
  }
}

/** What `read` gives; null where it refuses in one of the ways that it may. */
export function valueOrRefusal<T>(read: () => T, codes: readonly string[]): T | null {
  try {
    return read()
  } catch (error) {
    expectRefusal(error, codes)
    return null
  }
}

/** The same of what takes time. */
export async function valueOrRefusalLater<T>(read: () => T | Promise<T>, codes: readonly string[]): Promise<T | null> {
  try {
    return await read()
  } catch (error) {
    expectRefusal(error, codes)
    return null
  }
}

function expectRefusal(error: unknown, codes: readonly string[]): void {
  if (!(error instanceof MyKafkaError)) throw error
  expect(codes).toContain(error.code)
}

/** How many objects, elements of arrays among them, a value is made of. */
export function sizeOf(value: unknown): number {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return 0
  const inside = Array.isArray(value) ? value : Object.values(value)
  const own = Array.isArray(value) ? value.length : 1
  return inside.reduce((sum: number, each) => sum + sizeOf(each), own)
}
