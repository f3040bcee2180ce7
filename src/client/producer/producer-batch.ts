import type { MyKafkaError } from '../../errors.js'
import { writeInt32 } from '../../integers.js'
import { type FieldInput, writeField } from '../../log/record-codec.js'
import { requestHeadBytes, writeRequestHead } from '../../wire/mykafka/produce.js'
import type { PartitionQueue } from './partition-queue.js'
import type { PendingSend } from './pending-send.js'

const NULL_LENGTH = -1
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
  readonly sends: PendingSend[] = []
  /** How often it went out. */
  attempts = 0
  /** What the last attempt failed with. */
  lastError: MyKafkaError | null = null
  /** Whether it may go out: it is full, has waited long enough, or must not wait. */
  ready = false
  /** Whether it takes no more records. */
  closed = false
  /** Whether its sends are told how they ended. */
  settled = false
  /** Called once, when they are. */
  readonly listeners: (() => void)[] = []
  #frame: Buffer
  #end: number
  readonly #headBytes: number

  /** @param capacity - bytes of records that it has room for before it grows */
  constructor(queue: PartitionQueue, createdAt: number, capacity: number) {
    this.queue = queue
    this.createdAt = createdAt
    this.#headBytes = requestHeadBytes(queue.topic)
    this.#end = this.#headBytes
    this.#frame = Buffer.allocUnsafe(this.#headBytes + capacity)
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
   * Packs a record at its end; returns how many bytes it takes.
   *
   * @param key - `keyLength` bytes of it are the key
   * @param bound - what it takes at the most
   */
  append(key: Uint8Array | null, keyLength: number, value: FieldInput, bound: number, send: PendingSend): number {
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
    this.sends.push(send)
    return this.#end - start
  }

  /** The whole frame. It takes no more records. */
  frame(): Buffer {
    this.closed = true
    const { topic, partition } = this.queue
    const frame = this.#frame.subarray(0, this.#end)
    writeRequestHead(frame, topic, partition, this.sends.length)
    return frame
  }

  /** Two batches with its records, in order: it has two at least. */
  split(): [ProducerBatch, ProducerBatch] {
    const middle = this.sends.length >> 1
    let at = this.#headBytes
    for (let i = 0; i < middle; i++) at = this.#behindRecord(at)
    const parts: [ProducerBatch, ProducerBatch] = [
      this.#part(this.#headBytes, at, this.sends.slice(0, middle)),
      this.#part(at, this.#end, this.sends.slice(middle)),
    ]
    let unsettled = parts.length
    for (const { listeners } of parts) listeners.push(() => --unsettled === 0 && this.#settle())
    return parts
  }

  /** Record i has the offset `baseOffset + i`. */
  resolve(baseOffset: number): void {
    const { topic, partition } = this.queue
    const { sends } = this
    for (let i = 0; i < sends.length; i++)
      (sends[i] as PendingSend).resolve({ topic, partition, offset: baseOffset + i })
    this.#settle()
  }

  reject(error: MyKafkaError): void {
    for (const send of this.sends) send.reject(error)
    this.#settle()
  }

  #settle(): void {
    this.settled = true
    for (const listener of this.listeners.splice(0)) listener()
  }

  #behindRecord(at: number): number {
    const valueAt = at + LENGTH_BYTES + Math.max(this.#frame.readInt32BE(at), 0)
    return valueAt + LENGTH_BYTES + Math.max(this.#frame.readInt32BE(valueAt), 0)
  }

  #part(start: number, end: number, sends: readonly PendingSend[]): ProducerBatch {
    const part = new ProducerBatch(this.queue, this.createdAt, end - start)
    this.#frame.copy(part.#frame, part.#end, start, end)
    part.#end += end - start
    part.sends.push(...sends)
    part.closed = true
    part.ready = true
    return part
  }

  #reserve(needed: number): void {
    const old = this.#frame
    if (needed <= old.length) return
    this.#frame = Buffer.allocUnsafe(Math.max(needed, 2 * old.length))
    old.copy(this.#frame, 0, 0, this.#end)
  }
}

function copyKey(key: Uint8Array, length: number, into: Buffer, at: number): void {
  if (length > SHORT_KEY) into.set(length === key.length ? key : key.subarray(0, length), at)
  else for (let i = 0; i < length; i++) into[at + i] = key[i] as number
}
