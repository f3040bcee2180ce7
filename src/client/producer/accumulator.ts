import { type FieldInput, lengthOfValue, PACKED_OVERHEAD } from '../../log/record-codec.js'
import { Alarm } from './alarm.js'
import { Fifo } from './fifo.js'
import { FramePool } from './frame-pool.js'
import type { PartitionQueue } from './partition-queue.js'
import type { RecordMetadata } from './pending-send.js'
import { ProducerBatch } from './producer-batch.js'

/** What stands in front of a batch's records, at the most. */
const MOST_HEAD_BYTES = 512

export interface AccumulatorOptions {
  readonly lingerMs: number
  readonly batchSize: number
  readonly bufferMemory: number
  readonly deliveryTimeoutMs: number
}

/** Whom it tells. */
export interface AccumulatorEvents {
  /** A batch can be taken. */
  ready(): void
  /** Memory was given back. */
  room(): void
  /** A batch was begun. */
  began(queue: PartitionQueue): void
  /** The time of a batch is over: it is to be failed. */
  expired(batch: ProducerBatch): void
}

/** What lies there. */
export interface QueueFigures {
  records: number
  bytes: number
  batches: number
}

/**
 * Records by partition, in batches, until they are answered. It says which batch may go out: one that is full, whose
 * linger time is over, or that must not wait; and of each partition one at a time.
 */
export class Accumulator {
  readonly #options: AccumulatorOptions
  readonly #events: AccumulatorEvents
  /** All batches whose sends are not settled, or whose frames are still under way. */
  readonly #batches = new Set<ProducerBatch>()
  /** Those that wait for more records, by creation. */
  readonly #lingering = new Set<ProducerBatch>()
  readonly #ready = new Fifo<PartitionQueue>()
  readonly #backingOff = new Set<PartitionQueue>()
  readonly #alarm = new Alarm(() => this.#ring())
  readonly #pool: FramePool
  #free: number
  #records = 0
  #lastBytes = 0
  #inFlight = 0
  /** No batch expires before this. */
  #nextExpiry = Number.POSITIVE_INFINITY
  /** While it is above 0 no batch waits for more records. */
  #urgencies = 0

  constructor(options: AccumulatorOptions, events: AccumulatorEvents) {
    this.#options = options
    this.#events = events
    this.#free = options.bufferMemory
    this.#pool = new FramePool(options.batchSize + MOST_HEAD_BYTES)
  }

  get batches(): ReadonlySet<ProducerBatch> {
    return this.#batches
  }

  get inFlight(): number {
    return this.#inFlight
  }

  /** Whether a batch can be taken. */
  get hasReady(): boolean {
    return this.#next() !== null
  }

  /** Of all that is not settled, and what is under way. */
  get figures(): QueueFigures {
    const bytes = this.#options.bufferMemory - this.#free
    return { records: this.#records, bytes, batches: this.#batches.size }
  }

  /** Whether there is memory for so many bytes. */
  hasRoom(bytes: number): boolean {
    return bytes <= this.#free
  }

  /**
   * Packs a record into the partition's batch. There is room for `bound` bytes. Nobody has to await what is returned.
   *
   * @param key - `keyLength` bytes of it are the key
   */
  append(
    queue: PartitionQueue,
    key: Uint8Array | null,
    keyLength: number,
    value: FieldInput,
    bound: number,
  ): Promise<RecordMetadata> {
    const { batchSize } = this.#options
    let batch = queue.open
    if (batch !== null && batch.bytes + bound > batchSize) {
      const exact = PACKED_OVERHEAD + keyLength + lengthOfValue(value)
      if (batch.bytes + exact > batchSize) {
        this.#close(batch)
        batch = null
      }
    }
    batch ??= this.#begin(queue, bound)
    const promise = batch.append(key, keyLength, value, bound)
    this.#lastBytes = batch.lastBytes
    this.#free -= batch.lastBytes
    this.#records++
    if (batch.bytes >= batchSize) this.#close(batch)
    return promise
  }

  /** What the record took that was appended last. */
  get lastBytes(): number {
    return this.#lastBytes
  }

  /** The partition's batch waits for no more records. */
  complete(queue: PartitionQueue): void {
    const { open } = queue
    if (open !== null) this.#makeReady(open)
  }

  /** From now on no batch waits for more records, until as many `calm` have followed. */
  urge(): void {
    this.#urgencies++
    for (const batch of this.#lingering) this.#makeReady(batch)
  }

  calm(): void {
    this.#urgencies--
  }

  /** The next batch that goes out, where it is not larger than this. Its partition has no other one out until `returned`. */
  take(maxBytes: number): ProducerBatch | null {
    const batch = this.#next()
    if (batch === null || batch.frameBytes > maxBytes) return null
    const { queue } = batch
    this.#ready.shift()
    queue.listed = false
    queue.batches.shift()
    queue.inFlight = batch
    queue.expectedBytes = Math.max(batch.bytes, queue.expectedBytes >> 1)
    this.#inFlight++
    return batch
  }

  /** A batch that was taken is settled: its memory is free, and its partition goes on. */
  returned(batch: ProducerBatch): void {
    this.#land(batch)
    this.#letGo(batch)
    this.#offer(batch.queue)
    this.#events.room()
  }

  /** A batch that was taken is to be taken again, before all others of its partition. */
  requeue(batch: ProducerBatch, delayMs: number): void {
    const now = performance.now()
    const { queue } = batch
    this.#land(batch)
    queue.batches.unshift(batch)
    queue.retryAt = now + delayMs
    this.#backingOff.add(queue)
    this.#alarm.by(queue.retryAt, now)
  }

  /** A batch that was taken goes on as two. */
  split(batch: ProducerBatch): void {
    const { queue } = batch
    const parts = batch.split()
    this.#land(batch)
    this.#batches.delete(batch)
    for (const part of parts) this.#batches.add(part)
    queue.batches.unshift(...parts)
    this.#offer(queue)
  }

  /** Takes a batch out that is settled and not under way: its memory is free. */
  drop(batch: ProducerBatch): void {
    const { queue } = batch
    const at = queue.batches.indexOf(batch)
    if (at < 0) return
    queue.batches.splice(at, 1)
    batch.closed = true
    this.#lingering.delete(batch)
    // Whom the wait was for is gone.
    if (at === 0) this.#goOn(queue)
    this.#letGo(batch)
    this.#offer(queue)
    this.#events.room()
  }

  close(): void {
    this.#alarm.clear()
  }

  #begin(queue: PartitionQueue, bound: number): ProducerBatch {
    const now = performance.now()
    const { batchSize, lingerMs, deliveryTimeoutMs } = this.#options
    const batch = new ProducerBatch(queue, now, Math.max(bound, Math.min(queue.expectedBytes, batchSize)), this.#pool)
    queue.batches.push(batch)
    this.#batches.add(batch)
    this.#events.began(queue)
    if (this.#nextExpiry === Number.POSITIVE_INFINITY) this.#nextExpiry = now + deliveryTimeoutMs
    if (lingerMs === 0 || this.#urgencies > 0) {
      this.#alarm.by(this.#nextExpiry, now)
      this.#makeReady(batch)
    } else {
      this.#alarm.by(Math.min(now + lingerMs, this.#nextExpiry), now)
      this.#lingering.add(batch)
    }
    return batch
  }

  #close(batch: ProducerBatch): void {
    batch.closed = true
    this.#makeReady(batch)
  }

  #makeReady(batch: ProducerBatch): void {
    if (batch.ready) return
    batch.ready = true
    this.#lingering.delete(batch)
    this.#offer(batch.queue)
  }

  #offer(queue: PartitionQueue): void {
    if (queue.listed || queue.inFlight !== null || queue.retryAt !== 0 || queue.batches[0]?.ready !== true) return
    queue.listed = true
    this.#ready.push(queue)
    this.#events.ready()
  }

  #next(): ProducerBatch | null {
    for (let queue = this.#ready.peek(); queue !== undefined; queue = this.#ready.peek()) {
      const batch = queue.batches[0]
      if (batch?.ready === true) return batch
      // What was there has expired.
      this.#ready.shift()
      queue.listed = false
    }
    return null
  }

  #land(batch: ProducerBatch): void {
    batch.queue.inFlight = null
    this.#inFlight--
  }

  #letGo(batch: ProducerBatch): void {
    this.#batches.delete(batch)
    this.#free += batch.bytes
    this.#records -= batch.count
    if (this.#batches.size > 0) return
    this.#nextExpiry = Number.POSITIVE_INFINITY
    this.#alarm.rest()
  }

  #ring(): void {
    const now = performance.now()
    for (const queue of this.#backingOff) {
      if (queue.retryAt > now) continue
      this.#goOn(queue)
      this.#offer(queue)
    }
    const { lingerMs } = this.#options
    for (const batch of this.#lingering) {
      if (batch.createdAt + lingerMs > now) break
      this.#makeReady(batch)
    }
    if (this.#nextExpiry <= now) this.#expire(now)
    if (this.#batches.size > 0) this.#alarm.by(this.#nextRing(), now)
  }

  #goOn(queue: PartitionQueue): void {
    queue.retryAt = 0
    this.#backingOff.delete(queue)
  }

  #nextRing(): number {
    let next = this.#nextExpiry
    for (const { createdAt } of this.#lingering) {
      next = Math.min(next, createdAt + this.#options.lingerMs)
      break
    }
    for (const { retryAt } of this.#backingOff) next = Math.min(next, retryAt)
    return next
  }

  #expire(now: number): void {
    const { deliveryTimeoutMs } = this.#options
    this.#nextExpiry = Number.POSITIVE_INFINITY
    for (const batch of [...this.#batches]) {
      const expiry = batch.createdAt + deliveryTimeoutMs
      if (batch.settled) continue
      if (expiry <= now) this.#events.expired(batch)
      else this.#nextExpiry = Math.min(this.#nextExpiry, expiry)
    }
  }
}
