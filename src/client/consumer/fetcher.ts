import { asMyKafkaError, MyKafkaError } from '../../errors.js'
import type { Client } from '../client.js'
import { SharedConnection } from '../shared-connection.js'
import { backoffMs, isRetriable, type Transport } from '../transport.js'
import type { AssignedPartition } from './assigned-partition.js'
import { PrefetchBudget } from './prefetch-budget.js'
import { CHUNK_OVERHEAD, StoredRecords } from './stored-records.js'
import { TailWatch } from './tail-watch.js'
import { type ConsumerRecord, PartitionError } from './topic-partition.js'

export interface FetcherOptions {
  readonly transport: Transport
  readonly fetchMaxBytes: number
  readonly maxPartitionFetchBytes: number
  /** Where a partition goes on whose offset is out of range. Throws where that is an error. */
  readonly resetOffset: (partition: AssignedPartition, signal: AbortSignal) => Promise<number>
  /** There are records, or a failure to tell. */
  readonly changed: () => void
}

/** What a {@link Fetcher} has done. */
export interface FetchCounts {
  fetches: number
  bytes: number
  records: number
  /** Requests that failed and were, or are to be, repeated. */
  retries: number
  lastError: MyKafkaError | null
}

/** So many partitions are fetched without asking first whether they have anything. */
const ASKED_EACH = 32

/**
 * Fetches the records of partitions ahead, as much as may be held of them, and watches the ends of those that have no
 * more. Each partition is in one state: behind (to be fetched), being fetched, watched, resting, failed, or paused.
 */
export class Fetcher {
  readonly counts: FetchCounts = { fetches: 0, bytes: 0, records: 0, retries: 0, lastError: null }
  readonly budget: PrefetchBudget
  readonly #options: FetcherOptions
  /** What one request asks for. */
  readonly #maxBytes: number
  /** What its answer may take. */
  readonly #reserve: number
  readonly #connection: SharedConnection<Client>
  readonly #tail: TailWatch
  readonly #ending = new AbortController()
  readonly #behind = new Set<AssignedPartition>()
  /** Those with chunks, in the order in which they are handed out. */
  readonly #ready = new Set<AssignedPartition>()
  readonly #failed = new Set<AssignedPartition>()

  constructor(options: FetcherOptions) {
    const { transport } = options
    this.#options = options
    this.#maxBytes = Math.min(options.maxPartitionFetchBytes, options.fetchMaxBytes)
    this.#reserve = this.#maxBytes + CHUNK_OVERHEAD
    this.budget = new PrefetchBudget(options.fetchMaxBytes)
    this.#connection = new SharedConnection((signal) => transport.ownClient({ signal }))
    this.#tail = new TailWatch(transport, {
      named: (partition) => {
        partition.named = true
        this.#goOn(partition)
      },
      failed: (error) => this.#note(error),
    })
  }

  /** Begins to fetch partitions. Of many, those that have something are asked for first, by one request. */
  add(partitions: readonly AssignedPartition[]): void {
    const areMany = partitions.length > ASKED_EACH
    for (const partition of partitions) {
      if (partition.failure !== null) this.#fail(partition, partition.failure)
      else if (areMany) this.#tail.add(partition)
      else this.#behind.add(partition)
    }
    this.#pump()
  }

  /** Forgets a partition: what was fetched of it, and what is on its way. */
  remove(partition: AssignedPartition): void {
    if (partition.timer !== null) clearTimeout(partition.timer)
    partition.timer = null
    partition.request = null
    partition.failure = null
    partition.named = false
    partition.failures = 0
    this.#drop(partition)
    this.#behind.delete(partition)
    this.#failed.delete(partition)
    this.#tail.delete(partition)
    this.#pump()
  }

  /** Goes on elsewhere. */
  seek(partition: AssignedPartition, offset: number): void {
    this.remove(partition)
    partition.moveTo(offset)
    partition.gone = false
    if (!partition.paused) this.#goOn(partition)
  }

  pause(partition: AssignedPartition): void {
    if (partition.paused) return
    const { failure, position } = partition
    this.remove(partition)
    partition.paused = true
    partition.failure = failure
    if (position !== null) partition.fetchOffset = position
  }

  resume(partition: AssignedPartition): void {
    if (!partition.paused) return
    partition.paused = false
    this.add([partition])
  }

  /** Whether {@link takeFailure} has something. */
  get hasFailure(): boolean {
    for (const { chunks } of this.#failed) if (chunks.length === 0) return true
    return false
  }

  /** A failure whose turn it is: that of a partition whose records are all handed out. It is tried again behind it. */
  takeFailure(): PartitionError | null {
    for (const partition of this.#failed) {
      const { chunks, failure, position } = partition
      if (chunks.length > 0 || failure === null) continue
      // One without a position waits for a seek.
      if (position === null) return failure
      this.#failed.delete(partition)
      partition.failure = null
      this.#rest(partition)
      return failure
    }
    return null
  }

  /** Hands out records that are here: of one partition after the other, each in order. Their positions move on. */
  take(limit: number, touched: Set<AssignedPartition>): ConsumerRecord[] {
    const taken: ConsumerRecord[] = []
    for (const partition of this.#ready) {
      const before = taken.length
      this.#takeOf(partition, limit - before, taken)
      if (taken.length > before) {
        partition.position = (taken.at(-1)?.offset ?? 0) + 1
        touched.add(partition)
      }
      if (taken.length >= limit) break
    }
    this.counts.records += taken.length
    return taken
  }

  async close(): Promise<void> {
    this.#ending.abort()
    this.#behind.clear()
    await Promise.all([this.#tail.close(), this.#connection.current?.close()])
  }

  #takeOf(partition: AssignedPartition, limit: number, into: ConsumerRecord[]): void {
    const chunk = partition.chunks[0] as StoredRecords
    try {
      chunk.take(limit, partition, into)
    } catch (error) {
      this.remove(partition)
      partition.fetchOffset = partition.position ?? 0
      this.#fail(partition, this.#errorOf(partition, error))
      return
    }
    if (!chunk.empty) return
    partition.chunks.shift()
    this.#release(partition, chunk)
    // The others have their turn first.
    this.#ready.delete(partition)
    if (partition.chunks.length > 0) this.#ready.add(partition)
    this.#pump()
  }

  /** Fetches what can be fetched now. */
  #pump(): void {
    for (const partition of this.#behind) {
      if (partition.bytes * 2 > this.#maxBytes) continue
      if (this.#ending.signal.aborted || !this.budget.reserve(this.#reserve)) return
      this.#behind.delete(partition)
      void this.#fetch(partition)
    }
  }

  #goOn(partition: AssignedPartition): void {
    this.#behind.add(partition)
    this.#pump()
  }

  async #fetch(partition: AssignedPartition): Promise<void> {
    const maxBytes = this.#maxBytes
    const { topic, fetchOffset } = partition
    const request = {}
    let reserved = this.#reserve
    partition.request = request
    this.counts.fetches++
    try {
      const client = await this.#connection.get(this.#ending.signal)
      const { records } = await client.fetchRaw(topic, partition.partition, fetchOffset, { maxBytes })
      this.budget.release(reserved)
      reserved = 0
      this.counts.bytes += records.length
      if (partition.request === request) this.#answered(partition, records)
    } catch (error) {
      if (partition.request === request) await this.#refused(partition, request, error)
    } finally {
      this.budget.release(reserved)
      this.#pump()
    }
  }

  #answered(partition: AssignedPartition, records: Buffer): void {
    const chunk = new StoredRecords(records, this.#options.transport.options.checkCrcs)
    partition.request = null
    const { named } = partition
    partition.named = false
    partition.gone = false
    if (records.length === 0) {
      // Compaction may have left nothing behind an offset.
      if (named) this.#rest(partition)
      else this.#tail.add(partition)
      return
    }
    partition.failures = 0
    partition.chunks.push(chunk)
    partition.bytes += chunk.bytes
    this.budget.hold(chunk.bytes)
    partition.fetchOffset = chunk.lastOffset + 1
    this.#ready.add(partition)
    if (records.length * 2 > this.#maxBytes) this.#behind.add(partition)
    else this.#tail.add(partition)
    this.#options.changed()
  }

  async #refused(partition: AssignedPartition, request: object, error: unknown): Promise<void> {
    if (this.#ending.signal.aborted) return
    const code = error instanceof MyKafkaError ? error.code : null
    if (code === 'OFFSET_OUT_OF_RANGE') {
      await this.#reset(partition, request)
      return
    }
    partition.request = null
    const isGone = code === 'UNKNOWN_TOPIC_OR_PARTITION'
    // It is told once: the topic may come back, and the others go on.
    const isToBeTold = isGone ? !partition.gone : !isRetriable(error) || code === 'CORRUPT_MESSAGE'
    if (isGone) partition.gone = true
    if (isToBeTold) {
      this.#fail(partition, this.#errorOf(partition, error))
      return
    }
    this.#note(error)
    this.#rest(partition)
  }

  /** Goes on where the policy says, behind what is here already. */
  async #reset(partition: AssignedPartition, request: object): Promise<void> {
    let outcome: number | unknown
    try {
      outcome = await this.#options.resetOffset(partition, this.#ending.signal)
    } catch (error) {
      outcome = error
    }
    if (partition.request !== request || this.#ending.signal.aborted) return
    partition.request = null
    if (typeof outcome === 'number') {
      if (partition.chunks.length === 0) partition.moveTo(outcome)
      else partition.fetchFrom(outcome)
      this.#behind.add(partition)
    } else if (isRetriable(outcome)) {
      this.#note(outcome)
      this.#rest(partition)
    } else {
      this.#fail(partition, this.#errorOf(partition, outcome))
    }
  }

  /** Fetches again behind a pause, which grows. */
  #rest(partition: AssignedPartition): void {
    if (this.#ending.signal.aborted) return
    const wait = backoffMs(this.#options.transport.options, partition.failures++)
    partition.timer = setTimeout(() => {
      partition.timer = null
      this.#goOn(partition)
    }, wait)
  }

  #fail(partition: AssignedPartition, failure: PartitionError): void {
    partition.failure = failure
    this.#failed.add(partition)
    this.#options.changed()
  }

  #note(error: unknown): void {
    this.counts.retries++
    if (error instanceof MyKafkaError) this.counts.lastError = error
  }

  #errorOf(partition: AssignedPartition, error: unknown): PartitionError {
    if (error instanceof PartitionError) return error
    const { code, message } = asMyKafkaError(error)
    const at = { topic: partition.topic, partition: partition.partition, offset: partition.fetchOffset }
    return new PartitionError(code, `${partition.name} cannot be read at ${at.offset}: ${message}`, at, error)
  }

  #drop(partition: AssignedPartition): void {
    for (const chunk of partition.chunks.splice(0)) this.#release(partition, chunk)
    this.#ready.delete(partition)
  }

  #release(partition: AssignedPartition, chunk: StoredRecords): void {
    partition.bytes -= chunk.bytes
    this.budget.release(chunk.bytes)
  }
}
