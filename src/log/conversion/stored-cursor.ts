import { MyKafkaError } from '../../errors.js'
import { readInt64 } from '../../integers.js'

const TIMESTAMP_AT = 8
const KEY_LENGTH_AT = 16
const KEY_AT = 20

/**
 * Walks entries of a mykafka log, which native code has checked: it stands on one at a time and tells where its key and
 * value lie, without making an object of it.
 */
export class StoredCursor {
  readonly bytes: Buffer
  /** Of the entry it stands on. */
  offset = -1
  timestamp = -1
  keyAt = 0
  /** -1: a null key. */
  keyLength = -1
  valueAt = 0
  /** -1: a null value. */
  valueLength = -1
  #next = 0

  constructor(entries: Buffer) {
    this.bytes = entries
  }

  /**
   * Goes to the next entry; false behind the last.
   *
   * @throws MyKafkaError CORRUPT_MESSAGE for bytes that are not whole entries, UNSAFE_INTEGER
   */
  next(): boolean {
    const { bytes } = this
    const start = this.#next
    if (start === bytes.length) return false
    this.#require(start + KEY_AT)
    const before = this.offset
    this.offset = this.#safe(start)
    if (this.offset <= before) {
      throw new MyKafkaError(
        'CORRUPT_MESSAGE',
        `the entry at byte ${start} has the offset ${this.offset} behind ${before}`,
      )
    }
    this.timestamp = this.#safe(start + TIMESTAMP_AT)
    this.keyLength = this.#length(start + KEY_LENGTH_AT)
    this.keyAt = start + KEY_AT
    const keyEnd = this.keyAt + Math.max(this.keyLength, 0)
    this.#require(keyEnd + 4)
    this.valueLength = this.#length(keyEnd)
    this.valueAt = keyEnd + 4
    // The CRC follows.
    this.#next = this.valueAt + Math.max(this.valueLength, 0) + 4
    this.#require(this.#next)
    return true
  }

  #length(at: number): number {
    const length = this.bytes.readInt32BE(at)
    if (length >= -1) return length
    throw new MyKafkaError('CORRUPT_MESSAGE', `the entry at byte ${this.#next} has a field of the length ${length}`)
  }

  #require(end: number): void {
    if (end <= this.bytes.length) return
    throw new MyKafkaError('CORRUPT_MESSAGE', `the entry at byte ${this.#next} is cut off`)
  }

  #safe(at: number): number {
    const value = readInt64(this.bytes, at)
    if (Number.isSafeInteger(value)) return value
    throw new MyKafkaError('UNSAFE_INTEGER', `the entry at byte ${this.#next} has a number beyond 2^53 - 1`)
  }
}
