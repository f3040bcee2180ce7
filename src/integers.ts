/**
 * Big-endian integers of bytes that are there: whoever calls has checked the length. Buffer's own methods check it once
 * more, which doubles the time of decoding a message, and an int64 by way of a BigInt costs three times as much.
 *
 * @module
 */
import { MyKafkaError } from './errors.js'

const TWO_TO_32 = 0x1_0000_0000

export function readInt32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  )
}

/** An int64 as a number: exact where it is a safe integer, and no safe integer where it is not. */
export function readInt64(bytes: Uint8Array, at: number): number {
  return readInt32(bytes, at) * TWO_TO_32 + (readInt32(bytes, at + 4) >>> 0)
}

export function writeInt32(bytes: Uint8Array, value: number, at: number): void {
  bytes[at] = value >>> 24
  bytes[at + 1] = value >>> 16
  bytes[at + 2] = value >>> 8
  bytes[at + 3] = value
}

/**
 * Writes a safe integer as an int64.
 *
 * @throws MyKafkaError UNSAFE_INTEGER
 */
export function writeInt64(bytes: Uint8Array, value: number, at: number): void {
  if (!Number.isSafeInteger(value)) throw new MyKafkaError('UNSAFE_INTEGER', `${value} is no safe integer`)
  writeInt32(bytes, Math.floor(value / TWO_TO_32), at)
  writeInt32(bytes, value, at + 4)
}
