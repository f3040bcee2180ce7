import { MyKafkaError } from '../../errors.js'
import { checkInteger } from '../options.js'
import { abortError, type CallOptions, handled, onAbort, type Transport, underSignals } from '../transport.js'
import { AssignedPartition } from './assigned-partition.js'
import { Assignment } from './assignment.js'
import { AutoCommit } from './auto-commit.js'
import { Commits } from './commits.js'
import {
  type AutoOffsetReset,
  type ConsumerOptions,
  type PollOptions,
  type ResolvedConsumerOptions,
  resolveConsumerOptions,
  type SubscribeOptions,
} from './consumer-options.js'
import { Fetcher } from './fetcher.js'
import { InTurn } from './in-turn.js'
import { isOffline, Offsets, type StartOffset } from './offsets.js'
import type { ConsumerStatistics } from './statistics.js'
import { Subscription } from './subscription.js'
import { type ConsumerRecord, nameOf, type TopicPartition, type TopicPartitionOffset } from './topic-partition.js'
import { WakeUp } from './wake-up.js'

const DEFAULT_POLL_MS = 1000
/** Records that are here are handed out without a turn of the event loop, but for so long only. */
const TURN_MS = 10
const POLL = 'the poll was aborted'

/** Carries out what was decided. */
type Apply = () => void

/**
 * Reads the partitions of topics. It fetches ahead, follows the ends of the logs, and goes on by itself when the broker is
 * back that was away.
 *
 * At least once, by default. A partition has a *position*, the offset of the next record to hand out, and is *done with* up
 * to an offset, which an automatic commit and `close` commit, and nothing else:
 *
 * - A partition begins, and is done with, where the group goes on.
 * - To hand records out moves the position. What was handed out is done with when the next records are asked for, by `poll`
 *   or by the loop over the consumer.
 * - `seek` moves the position. What lies behind it is not done with: a lower offset counts at once, a higher one when
 *   records are asked for.
 * - A commit of the caller's says what is done with: more, or less. That holds from the call on, until more is handed out
 *   and done with.
 *
 * `commit` without records commits the position. Commits of the caller's are always sent; an automatic one is where the
 * group is not known to have committed just that, or did so a while ago: the broker forgets what is not renewed.
 */
export class Consumer implements AsyncIterable<ConsumerRecord> {
  readonly #options: ResolvedConsumerOptions
  readonly #offsets: Offsets
  readonly #fetcher: Fetcher
  readonly #assignment = new Assignment()
  readonly #commits: Commits
  readonly #autoCommit: AutoCommit
  readonly #ending = new AbortController()
  readonly #commitsEnd = new AbortController()
  readonly #closeTimeoutMs: number
  readonly #changed = new WakeUp()
  /** What moved since records were asked for. */
  readonly #touched = new Set<AssignedPartition>()
  #subscription: Subscription | null = null
  #refreshTimer: NodeJS.Timeout | null = null
  readonly #changes = new InTurn()
  #polling = false
  #turnAt = performance.now()
  #closing: Promise<void> | null = null

  /** Use `connect(...).consumer(options)`. */
  constructor(transport: Transport, options: ConsumerOptions = {}) {
    this.#options = resolveConsumerOptions(options, transport.options)
    this.#closeTimeoutMs = transport.options.requestTimeoutMs
    const { fetchMaxBytes, maxPartitionFetchBytes, autoCommitIntervalMs: intervalMs } = this.#options
    const signals = { closing: this.#ending.signal, commitsEnd: this.#commitsEnd.signal }
    this.#offsets = new Offsets(transport, this.#options, signals)
    this.#fetcher = new Fetcher({
      transport,
      fetchMaxBytes,
      maxPartitionFetchBytes,
      resetOffset: (at, signal) => this.#offsets.reset({ ...at, offset: at.fetchOffset }, signal),
      changed: () => this.#changed.wake(),
    })
    this.#commits = new Commits(this.#offsets, this.#assignment)
    this.#autoCommit = new AutoCommit({
      intervalMs,
      partitions: this.#assignment,
      commit: (offsets, options) => this.#commits.commitExisting(offsets, options),
    })
  }

  /** Whether `close` was called. */
  get closed(): boolean {
    return this.#closing !== null
  }

  /**
   * Reads these partitions, in the place of what was read before. When it resolves, it is decided where: behind what the
   * group has committed, else as `autoOffsetReset` says. With `latest`, what is appended from then on is read.
   *
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION, NETWORK_EXCEPTION, ABORTED
   */
  assign(partitions: readonly TopicPartition[], options?: CallOptions): Promise<void> {
    return this.#change(options, async (options) => {
      await this.#commitDone(options)
      const starts = await this.#offsets.starts(partitions, this.#options.autoOffsetReset, options)
      return () => this.#replace(starts, null)
    })
  }

  /**
   * Reads all partitions of topics, or this member's share of them, in the place of what was read before; as
   * {@link Consumer.assign} otherwise. Partitions that are added to a topic are noticed within `metadataMaxAgeMs`, and
   * read from their beginning, whatever `autoOffsetReset` says: all that is in them is new.
   *
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION, NETWORK_EXCEPTION, ABORTED
   */
  subscribe(topics: string | readonly string[], options: SubscribeOptions = {}): Promise<void> {
    const names = typeof topics === 'string' ? [topics] : topics
    return this.#change(options, async (callOptions) => {
      const subscription = new Subscription(names, options, this.#offsets)
      await this.#commitDone(callOptions)
      const partitions = await subscription.partitions(callOptions)
      const starts = await this.#offsets.starts(partitions, this.#options.autoOffsetReset, callOptions)
      return () => this.#replace(starts, subscription)
    })
  }

  /** Reads nothing any more. */
  unsubscribe(options?: CallOptions): Promise<void> {
    return this.#change(options, async (options) => {
      await this.#commitDone(options)
      return () => this.#replace([], null)
    })
  }

  /** The partitions that are read. */
  assignment(): TopicPartition[] {
    return [...this.#assignment].map(({ topic, partition }) => ({ topic, partition }))
  }

  /**
   * The next records, `maxPollRecords` at the most, as soon as there are any; none when the time is over. Those of a
   * partition come in order. What was handed out before counts as done with.
   *
   * @throws PartitionError where a partition cannot be read (CORRUPT_MESSAGE, OFFSET_OUT_OF_RANGE and others): its
   *   position stays, and the others go on with the next call. NO_OFFSET_FOR_PARTITION is thrown by every call, before
   *   records of the others, until the partition is sought, paused or not assigned any more; UNKNOWN_TOPIC_OR_PARTITION of
   *   a topic that was deleted by one. MyKafkaError ABORTED by the signal, CLIENT_CLOSED
   */
  poll({ timeoutMs = DEFAULT_POLL_MS, signal }: PollOptions = {}): Promise<ConsumerRecord[]> {
    return handled(this.#next(this.#options.maxPollRecords, timeoutMs, signal))
  }

  /** The records one by one, without an end; the signal ends it, `close` too. A record is done with when the next is asked for. */
  async *iterate({ signal }: CallOptions = {}): AsyncGenerator<ConsumerRecord, void, void> {
    for (;;) {
      let record: ConsumerRecord | undefined
      try {
        const here = this.#here(1, signal)
        record = (here ?? (await this.#next(1, Number.POSITIVE_INFINITY, signal)))[0]
      } catch (error) {
        if (signal?.aborted === true || this.#closing !== null) return
        throw error
      }
      if (record !== undefined) yield record
    }
  }

  [Symbol.asyncIterator](): AsyncGenerator<ConsumerRecord, void, void> {
    return this.iterate()
  }

  /** The offset of the next record to hand out; null where it is not known (`autoOffsetReset` is `none`). */
  position(at: TopicPartition): number | null {
    return this.#assignment.get(at).position
  }

  /** Goes on at an offset. What was fetched already is dropped. */
  seek(at: TopicPartition, offset: number): void {
    this.#requireOpen()
    const partition = this.#assignment.get(at)
    this.#fetcher.seek(partition, checkInteger('offset', offset, 0, Number.MAX_SAFE_INTEGER))
    this.#touched.add(partition)
  }

  /** Goes on at the first record of partitions, by default of all that are assigned. */
  seekToBeginning(partitions: readonly TopicPartition[] = this.assignment(), options?: CallOptions): Promise<void> {
    return this.#seekTo(partitions, 'earliest', options)
  }

  /** Goes on behind the last record of partitions, by default of all that are assigned. */
  seekToEnd(partitions: readonly TopicPartition[] = this.assignment(), options?: CallOptions): Promise<void> {
    return this.#seekTo(partitions, 'latest', options)
  }

  /** Hands out nothing of these partitions until they are resumed. What was fetched of them is dropped. */
  pause(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions.map((at) => this.#assignment.get(at))) this.#fetcher.pause(partition)
  }

  resume(partitions: readonly TopicPartition[]): void {
    for (const partition of partitions.map((at) => this.#assignment.get(at))) this.#fetcher.resume(partition)
  }

  paused(): TopicPartition[] {
    const paused = [...this.#assignment].filter((partition) => partition.paused)
    return paused.map(({ topic, partition }) => ({ topic, partition }))
  }

  /**
   * Commits where the group goes on, and resolves when the broker has written it: without an argument, behind everything
   * that was handed out, but for topics that were deleted; with records, behind the last of each partition. Commits run in
   * the order of the calls.
   *
   * @throws MyKafkaError INVALID_GROUP_ID without a group, UNKNOWN_MEMBER_ID where it has members over Kafka's wire
   */
  commit(records?: ConsumerRecord | readonly ConsumerRecord[], options?: CallOptions): Promise<void> {
    if (records === undefined) {
      const offsets: TopicPartitionOffset[] = []
      for (const { topic, partition, position } of this.#assignment) {
        if (position !== null) offsets.push({ topic, partition, offset: position })
      }
      return handled(this.#commit(offsets, () => this.#commits.commitExisting(() => offsets, options)))
    }
    const last = new Map<string, TopicPartitionOffset>()
    for (const { topic, partition, offset } of 'offset' in records ? [records] : records) {
      const key = nameOf({ topic, partition })
      if (offset >= (last.get(key)?.offset ?? 0)) last.set(key, { topic, partition, offset: offset + 1 })
    }
    return this.commitOffsets([...last.values()], options)
  }

  /**
   * Commits offsets: of each partition that of the next record the group wants.
   *
   * @throws MyKafkaError as {@link Consumer.commit}, UNKNOWN_TOPIC_OR_PARTITION; the other partitions are committed then
   */
  commitOffsets(offsets: readonly TopicPartitionOffset[], options?: CallOptions): Promise<void> {
    return handled(this.#commit(offsets, () => this.#commits.commit(() => offsets, options)))
  }

  /** What the group has committed in a partition; null where it has not. */
  committed(at: TopicPartition, options?: CallOptions): Promise<number | null> {
    const ask = async (): Promise<number | null> => {
      this.#requireOpen()
      const [committed = null] = await this.#offsets.committed([at], options)
      return committed
    }
    return handled(ask())
  }

  statistics(): ConsumerStatistics {
    const { counts, budget } = this.#fetcher
    return {
      ...counts,
      commits: this.#commits.count,
      prefetchedBytes: budget.held,
      maxPrefetchedBytes: budget.peak,
      prefetchLimitBytes: budget.limit,
    }
  }

  /**
   * Ends fetching, and where `enableAutoCommit` is on commits what is done with: not what was handed out last, unless more
   * was asked for behind it, or `commit` called. Commits under way come to their end first; any other call under way is
   * rejected with CLIENT_CLOSED, a loop ends. Commits are given up behind `requestTimeoutMs`, or when the signal of any call
   * of this aborts. A second call waits for the first.
   *
   * @throws MyKafkaError where that commit fails; the consumer is closed all the same
   */
  close({ signal }: CallOptions = {}): Promise<void> {
    this.#closing ??= handled(this.#close())
    if (signal === undefined) return this.#closing
    const stopListening = onAbort(signal, () => this.#commitsEnd.abort(abortError(signal)))
    return handled(this.#closing.finally(stopListening))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Records that need not be waited for; null where they may have to be. */
  #here(limit: number, signal: AbortSignal | undefined): ConsumerRecord[] | null {
    if (this.#polling || this.#closing !== null || signal?.aborted === true) return null
    if (this.#fetcher.hasFailure || this.#autoCommit.hasFailure) return null
    if (performance.now() - this.#turnAt > TURN_MS) return null
    this.#markDone()
    const records = this.#fetcher.take(limit, this.#touched)
    return records.length > 0 ? records : null
  }

  async #next(limit: number, timeoutMs: number, signal: AbortSignal | undefined): Promise<ConsumerRecord[]> {
    this.#requireOpen()
    if (!(timeoutMs >= 0)) throw new MyKafkaError('INVALID_ARGUMENT', `timeoutMs must not be ${timeoutMs}`)
    if (this.#polling) throw new MyKafkaError('INVALID_ARGUMENT', 'records are asked for already: by one at a time')
    this.#polling = true
    try {
      this.#markDone()
      if (performance.now() - this.#turnAt > TURN_MS) await this.#turn()
      return await this.#await(limit, performance.now() + timeoutMs, signal)
    } finally {
      this.#polling = false
    }
  }

  /** Others have their turn. */
  async #turn(): Promise<void> {
    await new Promise(setImmediate)
    this.#turnAt = performance.now()
  }

  async #await(limit: number, deadline: number, signal: AbortSignal | undefined): Promise<ConsumerRecord[]> {
    for (let waited = false; ; ) {
      this.#requireOpen()
      if (signal?.aborted === true) throw abortError(signal, POLL)
      const failure = this.#autoCommit.takeFailure() ?? this.#fetcher.takeFailure()
      if (failure !== null) throw failure
      const records = this.#fetcher.take(limit, this.#touched)
      if (records.length > 0) return records
      if (this.#fetcher.hasFailure) continue
      const left = deadline - performance.now()
      if (left <= 0 && waited) return []
      await this.#changed.wait(left, signal, POLL)
      this.#turnAt = performance.now()
      waited = true
    }
  }

  /** What was handed out is done with: more is asked for. */
  #markDone(): void {
    if (this.#touched.size === 0) return
    for (const partition of this.#touched) partition.done = partition.position
    this.#touched.clear()
    if (this.#options.enableAutoCommit) this.#autoCommit.touch()
  }

  /** Changes of the assignment are decided one after another, and carried out where nothing has ended them. */
  #change({ signal }: CallOptions = {}, decide: (options: CallOptions) => Promise<Apply>): Promise<void> {
    const change = underSignals([signal, this.#ending.signal], (ending) =>
      this.#changes.run(async () => {
        const apply = await decide({ signal: ending })
        if (ending.aborted) throw abortError(ending)
        apply()
      }, ending),
    )
    return handled(change)
  }

  #replace(starts: readonly StartOffset[], subscription: Subscription | null): void {
    this.#requireOpen()
    this.#forgetAll()
    this.#subscription = subscription
    this.#add(starts)
    if (this.#refreshTimer !== null) clearTimeout(this.#refreshTimer)
    if (subscription !== null) this.#refreshLater(subscription)
  }

  #forgetAll(): void {
    for (const partition of this.#assignment) this.#fetcher.remove(partition)
    this.#assignment.clear()
    this.#touched.clear()
  }

  #add(starts: readonly StartOffset[]): void {
    const partitions = starts.map((at) => new AssignedPartition(at, at.start, at.committed))
    for (const partition of partitions) this.#assignment.add(partition)
    this.#fetcher.add(partitions)
    // Where it begins counts: a group that comes back goes on there.
    if (this.#options.enableAutoCommit && partitions.length > 0) this.#autoCommit.touch()
  }

  #refreshLater(subscription: Subscription): void {
    const refresh = (): void => {
      this.#refresh(subscription)
        // It is tried again when it is due again.
        .catch(() => {})
        .finally(() => {
          if (this.#subscription === subscription && this.#closing === null) this.#refreshLater(subscription)
        })
    }
    this.#refreshTimer = setTimeout(refresh, this.#options.metadataMaxAgeMs).unref()
  }

  async #refresh(subscription: Subscription): Promise<void> {
    const partitions = await subscription.existingPartitions()
    const added = partitions.filter((at) => this.#assignment.find(at) === undefined)
    if (added.length === 0) return
    const starts = await this.#offsets.starts(added, 'earliest')
    if (this.#subscription === subscription && this.#closing === null) this.#add(starts)
  }

  #seekTo(partitions: readonly TopicPartition[], policy: AutoOffsetReset, options?: CallOptions): Promise<void> {
    return this.#change(options, async (options) => {
      for (const at of partitions) this.#assignment.get(at)
      const ranges = await this.#offsets.rangesOf(partitions, options)
      if (ranges.some(isOffline)) throw new MyKafkaError('KAFKA_STORAGE_ERROR', 'a partition is offline')
      return () =>
        ranges.forEach(({ logStartOffset, highWatermark }, i) => {
          this.seek(partitions[i] as TopicPartition, policy === 'earliest' ? logStartOffset : highWatermark)
        })
    })
  }

  /** A commit of the caller's: it says what is done with, whatever becomes of it. */
  async #commit(offsets: readonly TopicPartitionOffset[], commit: () => Promise<void>): Promise<void> {
    this.#requireOpen()
    this.#offsets.requireGroup()
    for (const { offset } of offsets) checkInteger('offset', offset, 0, Number.MAX_SAFE_INTEGER)
    for (const { offset, ...at } of offsets) {
      const partition = this.#assignment.find(at)
      if (partition !== undefined) partition.done = offset
    }
    await commit()
  }

  /** An automatic commit before its time. */
  async #commitDone(options?: CallOptions): Promise<void> {
    if (this.#options.enableAutoCommit) await this.#autoCommit.now(options)
  }

  async #close(): Promise<void> {
    this.#autoCommit.close()
    if (this.#refreshTimer !== null) clearTimeout(this.#refreshTimer)
    this.#ending.abort(closedError())
    this.#changed.wake()
    const fetching = this.#fetcher.close()
    const late = setTimeout(() => this.#commitsEnd.abort(tooLate()), this.#closeTimeoutMs)
    try {
      await this.#commitDone()
      await this.#commits.settled()
    } finally {
      clearTimeout(late)
      this.#commitsEnd.abort(closedError())
      this.#forgetAll()
      await fetching
    }
  }

  #requireOpen(): void {
    if (this.#closing !== null) throw closedError()
  }
}

function closedError(): MyKafkaError {
  return new MyKafkaError('CLIENT_CLOSED', 'the consumer is closed')
}

function tooLate(): MyKafkaError {
  return new MyKafkaError('REQUEST_TIMED_OUT', 'no broker took the commit of a consumer that closes')
}
