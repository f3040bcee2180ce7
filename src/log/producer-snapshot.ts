import { native } from '../native/load.js'
import { type ProducerEntry, ProducerStates, REMEMBERED_BATCHES } from './producer-state.js'

const VERSION = 1
const HEAD_BYTES = 10
const CRC_AT = 2
const COUNT_AT = 6
const ENTRY_BYTES = 19
const BATCH_BYTES = 16

/**
 * `[version:2][crc:4][producers:4]`, then of each `[producerId:8][producerEpoch:2][lastTimestamp:8][batches:1]` and
 * of each batch `[baseSequence:4][recordCount:4][baseOffset:8]` (docs/disk-format.md). The CRC-32C is of what is
 * behind it.
 */
export function encodeSnapshot(states: ProducerStates): Buffer {
  let length = HEAD_BYTES
  for (const [, { batches }] of states.entries()) length += ENTRY_BYTES + batches.length * BATCH_BYTES
  const bytes = Buffer.alloc(length)
  bytes.writeInt16BE(VERSION, 0)
  bytes.writeUInt32BE(states.size, COUNT_AT)
  let at = HEAD_BYTES
  for (const [producerId, { producerEpoch, lastTimestamp, batches }] of states.entries()) {
    at = bytes.writeBigInt64BE(BigInt(producerId), at)
    at = bytes.writeInt16BE(producerEpoch, at)
    at = bytes.writeBigInt64BE(BigInt(lastTimestamp), at)
    at = bytes.writeUInt8(batches.length, at)
    for (const { baseSequence, recordCount, baseOffset } of batches) {
      at = bytes.writeInt32BE(baseSequence, at)
      at = bytes.writeInt32BE(recordCount, at)
      at = bytes.writeBigInt64BE(BigInt(baseOffset), at)
    }
  }
  bytes.writeUInt32BE(native.crc32c(bytes.subarray(COUNT_AT)), CRC_AT)
  return bytes
}

/** Null where the bytes are not those of a whole snapshot. */
export function decodeSnapshot(bytes: Buffer): ProducerStates | null {
  if (bytes.length < HEAD_BYTES || bytes.readInt16BE(0) !== VERSION) return null
  if (native.crc32c(bytes.subarray(COUNT_AT)) !== bytes.readUInt32BE(CRC_AT)) return null
  const states = new ProducerStates()
  let at = HEAD_BYTES
  for (let left = bytes.readUInt32BE(COUNT_AT); left > 0; left--) {
    if (bytes.length - at < ENTRY_BYTES) return null
    const producerId = Number(bytes.readBigInt64BE(at))
    const entry: ProducerEntry = {
      producerEpoch: bytes.readInt16BE(at + 8),
      lastTimestamp: Number(bytes.readBigInt64BE(at + 10)),
      batches: [],
    }
    const batches = bytes.readUInt8(at + 18)
    at += ENTRY_BYTES
    if (batches > REMEMBERED_BATCHES || bytes.length - at < batches * BATCH_BYTES) return null
    for (let i = 0; i < batches; i++, at += BATCH_BYTES) {
      entry.batches.push({
        baseSequence: bytes.readInt32BE(at),
        recordCount: bytes.readInt32BE(at + 4),
        baseOffset: Number(bytes.readBigInt64BE(at + 8)),
      })
    }
    states.set(producerId, entry)
  }
  return at === bytes.length ? states : null
}
