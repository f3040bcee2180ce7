/**
 * Kafka's RecordBatch v2, as kafka topics store it and Kafka's wire carries it (docs/disk-format.md):
 *
 *   [baseOffset:8][batchLength:4][partitionLeaderEpoch:4][magic:1][crc:4][attributes:2][lastOffsetDelta:4]
 *   [baseTimestamp:8][maxTimestamp:8][producerId:8][producerEpoch:2][baseSequence:4][count:4] records
 *
 * batchLength counts what is behind it, crc is CRC-32C over everything behind it. Read here are batches that native
 * code has checked (sizes, magic, CRC); still no length is believed beyond the bytes there are.
 *
 * @module
 */

import { MyKafkaError } from '../errors.js'
import { readInt64 } from '../integers.js'

/** Where the fields of a batch lie. */
export const BATCH_AT = {
  baseOffset: 0,
  batchLength: 8,
  leaderEpoch: 12,
  magic: 16,
  crc: 17,
  attributes: 21,
  lastOffsetDelta: 23,
  baseTimestamp: 27,
  maxTimestamp: 35,
  producerId: 43,
  producerEpoch: 51,
  baseSequence: 53,
  count: 57,
  records: 61,
} as const

/** What `batchLength` does not count. */
export const BATCH_PREFIX = 12
export const BATCH_MAGIC = 2

const CODEC_MASK = 0x07
const LOG_APPEND_TIME = 0x08
const TRANSACTIONAL = 0x10
const CONTROL = 0x20

/** What the head of a batch says, and its records as they lie there. */
export interface RecordBatch {
  readonly baseOffset: number
  readonly leaderEpoch: number
  readonly attributes: number
  readonly lastOffsetDelta: number
  readonly baseTimestamp: number
  readonly maxTimestamp: number
  readonly producerId: number
  readonly producerEpoch: number
  readonly baseSequence: number
  readonly count: number
  /** Of the whole batch, in bytes. */
  readonly length: number
  /** The records, compressed as the attributes say; a view. */
  readonly records: Buffer
}

/** The number of the compression codec (compression.ts). */
export function codecOf({ attributes }: { readonly attributes: number }): number {
  return attributes & CODEC_MASK
}

/** Whether every record has the batch's maxTimestamp, the time when the broker appended it. */
export function hasLogAppendTime({ attributes }: { readonly attributes: number }): boolean {
  return (attributes & LOG_APPEND_TIME) !== 0
}

export function isTransactional({ attributes }: { readonly attributes: number }): boolean {
  return (attributes & TRANSACTIONAL) !== 0
}

/** Whether it holds marks of transactions, which are no records for readers. */
export function isControl({ attributes }: { readonly attributes: number }): boolean {
  return (attributes & CONTROL) !== 0
}

/**
 * The same of a batch as a client sends it. What it says its offsets are counts for nothing, whatever it is.
 *
 * @throws MyKafkaError INVALID_RECORD
 */
export function decodeSentBatch(bytes: Buffer): RecordBatch {
  bytes.subarray(BATCH_AT.baseOffset, BATCH_AT.batchLength).fill(0)
  return decodeBatch(bytes)
}

/**
 * Reads the batch that begins at `position`. The CRC is not checked.
 *
 * @throws MyKafkaError CORRUPT_MESSAGE where no whole batch of magic 2 lies there, UNSAFE_INTEGER
 */
export function decodeBatch(bytes: Buffer, position = 0): RecordBatch {
  const available = bytes.length - position
  if (available < BATCH_AT.records) throw corrupt(position, `has ${available} bytes`)
  const length = bytes.readInt32BE(position + BATCH_AT.batchLength) + BATCH_PREFIX
  if (length < BATCH_AT.records || length > available) throw corrupt(position, `says it has ${length} bytes`)
  const magic = bytes.readInt8(position + BATCH_AT.magic)
  if (magic !== BATCH_MAGIC) throw corrupt(position, `has magic ${magic}`)
  const count = bytes.readInt32BE(position + BATCH_AT.count)
  const lastOffsetDelta = bytes.readInt32BE(position + BATCH_AT.lastOffsetDelta)
  if (count < 0 || lastOffsetDelta < 0) {
    throw corrupt(position, `has ${count} records up to the offset delta ${lastOffsetDelta}`)
  }
  return {
    baseOffset: safeInt64(bytes, position + BATCH_AT.baseOffset),
    leaderEpoch: bytes.readInt32BE(position + BATCH_AT.leaderEpoch),
    attributes: bytes.readInt16BE(position + BATCH_AT.attributes),
    lastOffsetDelta,
    baseTimestamp: safeInt64(bytes, position + BATCH_AT.baseTimestamp),
    maxTimestamp: safeInt64(bytes, position + BATCH_AT.maxTimestamp),
    producerId: safeInt64(bytes, position + BATCH_AT.producerId),
    producerEpoch: bytes.readInt16BE(position + BATCH_AT.producerEpoch),
    baseSequence: bytes.readInt32BE(position + BATCH_AT.baseSequence),
    count,
    length,
    records: bytes.subarray(position + BATCH_AT.records, position + length),
  }
}

/** The batches that lie one behind the other in `bytes`, to the last byte. */
export function* decodeBatches(bytes: Buffer): Generator<RecordBatch, void, void> {
  for (let position = 0; position < bytes.length; ) {
    const batch = decodeBatch(bytes, position)
    yield batch
    position += batch.length
  }
}

function safeInt64(bytes: Buffer, at: number): number {
  const value = readInt64(bytes, at)
  if (Number.isSafeInteger(value)) return value
  throw new MyKafkaError('UNSAFE_INTEGER', `${bytes.readBigInt64BE(at)} in a batch is beyond 2^53 - 1`)
}

function corrupt(position: number, what: string): MyKafkaError {
  return new MyKafkaError('CORRUPT_MESSAGE', `the batch at byte ${position} ${what}`)
}
