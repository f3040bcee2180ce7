import type { MyKafkaError } from '../../errors.js'
import { writeInt32 } from '../../integers.js'
import { type FieldInput, writeField } from '../../log/record-codec.js'
import { requestHeadBytes, writeRequestHead } from '../../wire/mykafka/produce.js'
import { handled } from '../transport.js'
import type { FramePool } from './frame-pool.js'
import type { PartitionQueue } from './partition-queue.js'
import type { RecordMetadata } from './pending-send.js'

const NULL_LENGTH = -1
const RELEASED = Buffer.alloc(0)
const LENGTH_BYTES = 4
/** Up to so many bytes are copied faster here than by a call into native code. */
const SHORT_KEY = 48

/**
 * Records for one partition. They are packed once, as they come, into the frame that they go out in; a repetition sends
 * the same bytes.
 */
export class ProducerBatch {
  readonly queue: PartitionQueue
  /** Of performance.now(). */
  readonly createdAt: number
  /** How often it went out. */
  attempts = 0
  /** What the last attempt failed with. */
  lastError: MyKafkaError | null = null
  /** Whether it may go out: it is full, has waited long enough, or must not wait. */
  ready = false
  /** Whether it takes no more records. */
  closed = false
  /** Whether its records' promises are told how they ended. */
  settled = false
  /** Resolves when they are. */
  readonly outcome: Promise<void>
  #resolveOutcome!: () => void
  #baseOffset = -1
  #error: MyKafkaError | null = null
  /** What it was split into. */
  #parts: [ProducerBatch, ProducerBatch] | null = null
  #count = 0
  /** To be marked as handled where they are rejected. */
  readonly #promises: Promise<RecordMetadata>[] = []
  #lastBytes = 0
  readonly #pool: FramePool
  #frame: Buffer
  #end: number
  readonly #headBytes: number
  readonly #tellNext: () => RecordMetadata

  /** @param capacity - bytes of records that it has room for before it grows */
  constructor(queue: PartitionQueue, createdAt: number, capacity: number, pool: FramePool) {
    this.queue = queue
    this.#pool = pool
    this.createdAt = createdAt
    this.#headBytes = requestHeadBytes(queue.topic)
    this.#end = this.#headBytes
    this.#frame = pool.take(this.#headBytes + capacity)
    this.outcome = new Promise((resolve) => {
      this.#resolveOutcome = resolve
    })
    // All records' promises hang on the one outcome, in order: so a record costs no closures of its own.
    let told = 0
    const { topic, partition } = queue
    this.#tellNext = () => ({ topic, partition, offset: this.#offsetOf(told++) })
  }

  /** How many records it has. */
  get count(): number {
    return this.#count
  }

  /** What the record took that came last. */
  get lastBytes(): number {
    return this.#lastBytes
  }

  /** Of its records, packed. */
  get bytes(): number {
    return this.#end - this.#headBytes
  }

  /** Bytes of the frame, with all that it has now. */
  get frameBytes(): number {
    return this.#end
  }

  /**
   * Packs a record at its end. Nobody has to await what is returned.
   *
   * @param key - `keyLength` bytes of it are the key
   * @param bound - what it takes at the most
   */
  append(key: Uint8Array | null, keyLength: number, value: FieldInput, bound: number): Promise<RecordMetadata> {
    const start = this.#end
    this.#reserve(start + bound)
    const frame = this.#frame
    let at = start + LENGTH_BYTES
    if (key === null) {
      writeInt32(frame, NULL_LENGTH, start)
    } else {
      writeInt32(frame, keyLength, start)
      copyKey(key, keyLength, frame, at)
      at += keyLength
    }
    this.#end = writeField(value, frame, at)
    this.#lastBytes = this.#end - start
    this.#count++
    const promise = this.outcome.then(this.#tellNext)
    this.#promises.push(promise)
    return promise
  }

  /** The whole frame. It takes no more records. */
  frame(): Buffer {
    this.closed = true
    const { topic, partition } = this.queue
    const frame = this.#frame.subarray(0, this.#end)
    writeRequestHead(frame, topic, partition, this.#count)
    return frame
  }

  /** Its frame was answered, so that all of it has been read: the memory may be used again. */
  release(): void {
    this.#pool.giveBack(this.#frame)
    this.#frame = RELEASED
  }

  /** Two batches with its records, in order: it has two at least. It is settled when both are. */
  split(): readonly [ProducerBatch, ProducerBatch] {
    const middle = this.#count >> 1
    let at = this.#headBytes
    for (let i = 0; i < middle; i++) at = this.#behindRecord(at)
    const parts: [ProducerBatch, ProducerBatch] = [
      this.#part(this.#headBytes, at, middle),
      this.#part(at, this.#end, this.#count - middle),
    ]
    this.#parts = parts
    void Promise.all(parts.map(({ outcome }) => outcome)).then(() => this.#settle())
    return parts
  }

  /** Record i has the offset `baseOffset + i`. */
  resolve(baseOffset: number): void {
    this.#baseOffset = baseOffset
    this.#settle()
  }

  reject(error: MyKafkaError): void {
    this.#error = error
    this.#settle()
  }

  #settle(): void {
    this.settled = true
    if (this.#error !== null || this.#parts !== null) for (const promise of this.#promises) void handled(promise)
    this.#resolveOutcome()
  }

  /** @throws what the record failed with */
  #offsetOf(index: number): number {
    if (this.#error !== null) throw this.#error
    if (this.#parts === null) return this.#baseOffset + index
    const [first, second] = this.#parts
    return index < first.count ? first.#offsetOf(index) : second.#offsetOf(index - first.count)
  }

  #behindRecord(at: number): number {
    const valueAt = at + LENGTH_BYTES + Math.max(this.#frame.readInt32BE(at), 0)
    return valueAt + LENGTH_BYTES + Math.max(this.#frame.readInt32BE(valueAt), 0)
  }

  #part(start: number, end: number, count: number): ProducerBatch {
    const part = new ProducerBatch(this.queue, this.createdAt, end - start, this.#pool)
    this.#frame.copy(part.#frame, part.#end, start, end)
    part.#end += end - start
    part.#count = count
    part.closed = true
    part.ready = true
    return part
  }

  #reserve(needed: number): void {
    const old = this.#frame
    if (needed <= old.length) return
    this.#frame = this.#pool.take(Math.max(needed, Math.min(2 * old.length, this.#pool.bytes)))
    old.copy(this.#frame, 0, 0, this.#end)
    this.#pool.giveBack(old)
  }
}

function copyKey(key: Uint8Array, length: number, into: Buffer, at: number): void {
  if (length > SHORT_KEY) into.set(length === key.length ? key : key.subarray(0, length), at)
  else for (let i = 0; i < length; i++) into[at + i] = key[i] as number
}
