import { MyKafkaError } from '../../errors.js'
import { readInt32, readInt64 } from '../../integers.js'
import { decodeEntries, type LogRecord } from '../../log/record-codec.js'
import type { ConsumerRecord, TopicPartition } from './topic-partition.js'

const KEY_LENGTH_AT = 16
const LENGTH_BYTES = 4
const CRC_BYTES = 4
const SMALLEST_ENTRY = 28
/** What the answer to one FETCH takes beside its records: measured, 968 bytes of heap and buffers. */
export const CHUNK_OVERHEAD = 1024

/** The records that one FETCH brought. They stay bytes until they are asked for. */
export class StoredRecords {
  readonly lastOffset: number
  /** What it takes of the memory, about. */
  readonly bytes: number
  readonly #entries: Buffer
  readonly #checkCrcs: boolean
  #position = 0

  /** @throws MyKafkaError CORRUPT_MESSAGE where the bytes are not whole entries */
  constructor(entries: Buffer, checkCrcs: boolean) {
    this.#entries = entries
    this.#checkCrcs = checkCrcs
    this.bytes = entries.length + CHUNK_OVERHEAD
    this.lastOffset = lastOffsetOf(entries)
  }

  /** Whether all are taken. */
  get empty(): boolean {
    return this.#position === this.#entries.length
  }

  /**
   * Adds the next records, so many at the most. It ends before one that is damaged.
   *
   * @throws MyKafkaError CORRUPT_MESSAGE where the first of them is damaged, UNSAFE_INTEGER
   */
  take(limit: number, { topic, partition }: TopicPartition, into: ConsumerRecord[]): void {
    const records: LogRecord[] = []
    const options = { checkCrcs: this.#checkCrcs }
    this.#position = decodeEntries(this.#entries, this.#position, limit, records, options)
    for (const { offset, timestamp, key, value } of records) {
      into.push({ topic, partition, offset, timestamp, key, value })
    }
  }
}

/** Of whole entries. Each one's lengths are read, nothing more. */
function lastOffsetOf(entries: Buffer): number {
  let last = -1
  for (let position = 0; position < entries.length; ) {
    if (entries.length - position < SMALLEST_ENTRY) throw cutOff(position)
    last = readInt64(entries, position)
    const keyAt = position + KEY_LENGTH_AT
    const valueAt = keyAt + LENGTH_BYTES + Math.max(readInt32(entries, keyAt), 0)
    if (valueAt + LENGTH_BYTES + CRC_BYTES > entries.length) throw cutOff(position)
    position = valueAt + LENGTH_BYTES + Math.max(readInt32(entries, valueAt), 0) + CRC_BYTES
    if (position > entries.length) throw cutOff(position)
  }
  return last
}

function cutOff(position: number): MyKafkaError {
  return new MyKafkaError('CORRUPT_MESSAGE', `the entry at byte ${position} is cut off`)
}
