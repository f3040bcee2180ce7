import { MyKafkaError } from '../errors.js'
import { writeInt64 as writeFixedInt64 } from '../integers.js'
import { native } from '../native/load.js'
import { copyBytes } from './copy-bytes.js'
import { BATCH_AT, BATCH_MAGIC, BATCH_PREFIX } from './record-batch.js'
import type { RecordHeader } from './record-cursor.js'
import { int32Length, int64Length, writeInt32, writeInt64 } from './varint.js'

/** The longest that a record can get beside its key, value and headers. */
const LARGEST_OVERHEAD = 40
const MAX_INT32 = 0x7fffffff
const NO_BYTES = Buffer.alloc(0)

/** A record of a batch to be written. */
export interface BatchRecordInput {
  readonly offset: number
  readonly timestamp: number
  readonly key: Uint8Array | null
  readonly value: Uint8Array | null
  readonly headers?: readonly RecordHeader[]
}

/**
 * Writes one uncompressed RecordBatch v2 into a buffer, record by record, at ascending offsets. Offset and timestamp
 * of the first are the batch's base; producerId is -1, partitionLeaderEpoch 0.
 */
export class RecordBatchWriter {
  readonly #into: Buffer
  readonly #start: number
  #at: number
  #count = 0
  #baseOffset = 0
  #lastOffset = -1
  #baseTimestamp = 0
  #maxTimestamp = 0

  constructor(into: Buffer, start: number) {
    this.#into = into
    this.#start = start
    this.#at = start + BATCH_AT.records
  }

  get count(): number {
    return this.#count
  }

  /** Bytes of the batch as far as it is written. */
  get length(): number {
    return this.#at - this.#start
  }

  /** Whether its deltas to the first record can be told. */
  takes(offset: number, timestamp: number): boolean {
    if (this.#count === 0) return true
    return offset - this.#baseOffset <= MAX_INT32 && Number.isSafeInteger(timestamp - this.#baseTimestamp)
  }

  /** Bytes that the batch grows by, were this record added: keyLength and valueLength are -1 for null. */
  growth(offset: number, timestamp: number, keyLength: number, valueLength: number): number {
    const body = this.#bodyLength(offset, timestamp, keyLength, valueLength) + 1
    return int32Length(body) + body
  }

  /** Adds a record without headers; key and value are copied from `source`. */
  add(
    offset: number,
    timestamp: number,
    source: Buffer,
    keyAt: number,
    keyLength: number,
    valueAt: number,
    valueLength: number,
  ): void {
    this.#begin(offset, timestamp, keyLength, valueLength, 1)
    this.#field(source, keyAt, keyLength)
    this.#field(source, valueAt, valueLength)
    this.#into[this.#at++] = 0
  }

  /** Adds a record with headers. */
  addRecord({ offset, timestamp, key, value, headers = [] }: BatchRecordInput): void {
    const keys = headers.map(({ key: name }) => Buffer.from(name))
    const headersLength = headers.reduce(
      (sum, header, i) => sum + fieldLength(keys[i]?.length ?? 0) + fieldLength(header.value?.length ?? -1),
      int32Length(headers.length),
    )
    this.#begin(offset, timestamp, key?.length ?? -1, value?.length ?? -1, headersLength)
    this.#field(key ?? NO_BYTES, 0, key?.length ?? -1)
    this.#field(value ?? NO_BYTES, 0, value?.length ?? -1)
    this.#at = writeInt32(this.#into, headers.length, this.#at)
    for (const [i, header] of headers.entries()) {
      this.#field(keys[i] as Buffer, 0, (keys[i] as Buffer).length)
      this.#field(header.value ?? NO_BYTES, 0, header.value?.length ?? -1)
    }
  }

  /** Writes the head and the CRC. Returns the batch, a view of the buffer. */
  finish(): Buffer {
    const batch = this.#into.subarray(this.#start, this.#at)
    writeFixedInt64(batch, this.#baseOffset, BATCH_AT.baseOffset)
    batch.writeInt32BE(batch.length - BATCH_PREFIX, BATCH_AT.batchLength)
    batch.writeInt32BE(0, BATCH_AT.leaderEpoch)
    batch[BATCH_AT.magic] = BATCH_MAGIC
    batch.writeInt16BE(0, BATCH_AT.attributes)
    batch.writeInt32BE(this.#lastOffset - this.#baseOffset, BATCH_AT.lastOffsetDelta)
    writeFixedInt64(batch, this.#baseTimestamp, BATCH_AT.baseTimestamp)
    writeFixedInt64(batch, this.#maxTimestamp, BATCH_AT.maxTimestamp)
    writeFixedInt64(batch, -1, BATCH_AT.producerId)
    batch.writeInt16BE(-1, BATCH_AT.producerEpoch)
    batch.writeInt32BE(-1, BATCH_AT.baseSequence)
    batch.writeInt32BE(this.#count, BATCH_AT.count)
    batch.writeUInt32BE(native.crc32c(batch.subarray(BATCH_AT.attributes)), BATCH_AT.crc)
    return batch
  }

  #begin(offset: number, timestamp: number, keyLength: number, valueLength: number, headersLength: number): void {
    if (this.#count === 0) {
      this.#baseOffset = offset
      this.#baseTimestamp = timestamp
      this.#maxTimestamp = timestamp
    } else if (timestamp > this.#maxTimestamp) this.#maxTimestamp = timestamp
    const body = this.#bodyLength(offset, timestamp, keyLength, valueLength) + headersLength
    let at = writeInt32(this.#into, body, this.#at)
    this.#into[at++] = 0
    at = writeInt64(this.#into, timestamp - this.#baseTimestamp, at)
    this.#at = writeInt32(this.#into, offset - this.#baseOffset, at)
    this.#lastOffset = offset
    this.#count++
  }

  /** Of a record behind its length, without its headers. */
  #bodyLength(offset: number, timestamp: number, keyLength: number, valueLength: number): number {
    const first = this.#count === 0
    const timestampDelta = first ? 0 : timestamp - this.#baseTimestamp
    const offsetDelta = first ? 0 : offset - this.#baseOffset
    return (
      1 + int64Length(timestampDelta) + int32Length(offsetDelta) + fieldLength(keyLength) + fieldLength(valueLength)
    )
  }

  #field(source: Uint8Array, from: number, length: number): void {
    this.#at = writeInt32(this.#into, length, this.#at)
    if (length > 0) this.#at = copyBytes(source, from, length, this.#into, this.#at)
  }
}

/**
 * One uncompressed batch of these records, which are in the order of their offsets.
 *
 * @throws MyKafkaError INVALID_ARGUMENT for no records, or such as one batch cannot hold
 */
export function encodeBatch(records: readonly BatchRecordInput[]): Buffer {
  const most = records.reduce((sum, record) => sum + mostBytes(record), 0)
  const into = Buffer.allocUnsafe(BATCH_AT.records + most)
  const writer = new RecordBatchWriter(into, 0)
  let last = -1
  for (const record of records) {
    if (record.offset <= last || !writer.takes(record.offset, record.timestamp)) {
      throw new MyKafkaError('INVALID_ARGUMENT', `one batch cannot hold offset ${record.offset} behind ${last}`)
    }
    writer.addRecord(record)
    last = record.offset
  }
  if (writer.count === 0) throw new MyKafkaError('INVALID_ARGUMENT', 'a batch has at least one record')
  return writer.finish()
}

function mostBytes({ key, value, headers = [] }: BatchRecordInput): number {
  const fields = LARGEST_OVERHEAD + (key?.length ?? 0) + (value?.length ?? 0)
  return headers.reduce((sum, header) => sum + 10 + Buffer.byteLength(header.key) + (header.value?.length ?? 0), fields)
}

function fieldLength(length: number): number {
  return int32Length(length) + Math.max(length, 0)
}
