import { MyKafkaError } from './errors.js'

const TWO_TO_32 = 0x1_0000_0000

/**
 * An int64 as a number: exact where it is a safe integer, and no safe integer where it is not. Read as two halves: a
 * BigInt costs three times as much.
 */
export function readInt64(bytes: Buffer, position: number): number {
  return bytes.readInt32BE(position) * TWO_TO_32 + bytes.readUInt32BE(position + 4)
}

/**
 * Writes a safe integer as an int64.
 *
 * @throws MyKafkaError UNSAFE_INTEGER
 */
export function writeInt64(bytes: Buffer, value: number, position: number): void {
  if (!Number.isSafeInteger(value)) throw new MyKafkaError('UNSAFE_INTEGER', `${value} is no safe integer`)
  bytes.writeInt32BE(Math.floor(value / TWO_TO_32), position)
  bytes.writeUInt32BE(value >>> 0, position + 4)
}
