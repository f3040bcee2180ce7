import { MyKafkaError } from '../errors.js'
import { hasLogAppendTime, type RecordBatch } from './record-batch.js'
import { VarintReader } from './varint.js'

/** A header of a record of a kafka topic. */
export interface RecordHeader {
  readonly key: string
  readonly value: Buffer | null
}

/** A record of a batch. Key, value and header values are views. */
export interface BatchRecord {
  readonly offset: number
  readonly timestamp: number
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: RecordHeader[]
}

/** What a batch says about its records. */
export type RecordsHead = Pick<
  RecordBatch,
  'baseOffset' | 'baseTimestamp' | 'maxTimestamp' | 'attributes' | 'count' | 'lastOffsetDelta'
>

/** So many records are walked in a millisecond or two; where a batch has more, the event loop turns between them. */
export const RECORDS_A_STEP = 16384

/** Of the shortest record: seven fields of a byte each. */
const SMALLEST_RECORD = 7

/**
 * Walks the uncompressed records of a batch. It stands on one record at a time and tells where its key and value lie,
 * without making an object of it.
 */
export class RecordCursor {
  readonly bytes: Buffer
  /** Of the record it stands on. */
  offset = -1
  timestamp = -1
  keyAt = 0
  /** -1: a null key. */
  keyLength = -1
  valueAt = 0
  /** -1: a null value. */
  valueLength = -1
  headerCount = 0

  readonly #reader: VarintReader
  readonly #head: RecordsHead
  readonly #logAppendTime: boolean
  #headersAt = 0
  #recordEnd = 0
  #left: number
  #lastDelta = -1

  /** @param records - uncompressed */
  constructor(head: RecordsHead, records: Buffer) {
    this.bytes = records
    this.#head = head
    this.#reader = new VarintReader(records)
    this.#logAppendTime = hasLogAppendTime(head)
    this.#left = head.count
    if (head.count * SMALLEST_RECORD > records.length) {
      throw malformed(`${records.length} bytes cannot hold ${head.count} records`)
    }
  }

  /**
   * Goes to the next record; false behind the last.
   *
   * @throws MyKafkaError INVALID_RECORD for bytes that are not the records announced, UNSAFE_INTEGER
   */
  next(): boolean {
    const reader = this.#reader
    if (this.#left === 0) {
      if (reader.remaining > 0) throw malformed(`${reader.remaining} bytes follow the last record`)
      return false
    }
    this.#left--
    const length = reader.int32()
    if (length < SMALLEST_RECORD - 1 || length > reader.remaining) throw malformed(`a record has the length ${length}`)
    this.#recordEnd = reader.position + length
    // The attributes of a record: none are in use.
    reader.byte()
    this.#readTimestamp(reader)
    this.#readOffset(reader)
    this.keyLength = this.#fieldLength('key')
    this.keyAt = reader.position
    reader.position += Math.max(this.keyLength, 0)
    this.valueLength = this.#fieldLength('value')
    this.valueAt = reader.position
    reader.position += Math.max(this.valueLength, 0)
    this.headerCount = reader.int32()
    this.#headersAt = reader.position
    if (reader.position > this.#recordEnd) throw malformed('its fields are longer than the record')
    if (this.headerCount === 0) {
      if (reader.position !== this.#recordEnd) throw malformed('bytes follow its fields')
      return true
    }
    this.#walkHeaders(null)
    return true
  }

  /** The headers of the record it stands on. */
  headers(): RecordHeader[] {
    const headers: RecordHeader[] = []
    this.#reader.position = this.#headersAt
    if (this.headerCount > 0) this.#walkHeaders(headers)
    return headers
  }

  /** The record it stands on, as an object. */
  record(): BatchRecord {
    return {
      offset: this.offset,
      timestamp: this.timestamp,
      key: this.keyLength < 0 ? null : this.bytes.subarray(this.keyAt, this.keyAt + this.keyLength),
      value: this.valueLength < 0 ? null : this.bytes.subarray(this.valueAt, this.valueAt + this.valueLength),
      headers: this.headers(),
    }
  }

  #readTimestamp(reader: VarintReader): void {
    const timestamp = this.#head.baseTimestamp + reader.int64()
    this.timestamp = this.#logAppendTime ? this.#head.maxTimestamp : timestamp
    if (Number.isSafeInteger(timestamp)) return
    throw malformed(`its timestamp ${timestamp} is beyond 2^53 - 1`)
  }

  #readOffset(reader: VarintReader): void {
    const delta = reader.int32()
    if (delta <= this.#lastDelta || delta > this.#head.lastOffsetDelta) {
      throw malformed(`the offset delta ${delta} does not follow ${this.#lastDelta}`)
    }
    this.#lastDelta = delta
    this.offset = this.#head.baseOffset + delta
    if (Number.isSafeInteger(this.offset)) return
    throw new MyKafkaError('UNSAFE_INTEGER', `the offset ${this.offset} of a record is beyond 2^53 - 1`)
  }

  #walkHeaders(into: RecordHeader[] | null): void {
    const reader = this.#reader
    if (this.headerCount < 0) throw malformed(`it has ${this.headerCount} headers`)
    for (let i = 0; i < this.headerCount; i++) {
      const keyLength = this.#fieldLength('header key')
      if (keyLength < 0) throw malformed('a header has a null key')
      const keyAt = reader.position
      reader.position += keyLength
      const valueLength = this.#fieldLength('header value')
      const valueAt = reader.position
      reader.position += Math.max(valueLength, 0)
      into?.push({
        key: this.bytes.toString('utf8', keyAt, keyAt + keyLength),
        value: valueLength < 0 ? null : this.bytes.subarray(valueAt, valueAt + valueLength),
      })
    }
    if (reader.position !== this.#recordEnd) throw malformed('bytes follow its headers')
  }

  #fieldLength(field: string): number {
    const length = this.#reader.int32()
    if (length >= -1 && length <= this.#recordEnd - this.#reader.position) return length
    throw malformed(`its ${field} has the length ${length}`)
  }
}

/** The records one after another, decoded as they are asked for. */
export function* iterateBatch(head: RecordsHead, records: Buffer): Generator<BatchRecord, void, void> {
  const cursor = new RecordCursor(head, records)
  while (cursor.next()) yield cursor.record()
}

function malformed(what: string): MyKafkaError {
  return new MyKafkaError('INVALID_RECORD', `a record of a batch is malformed: ${what}`)
}
