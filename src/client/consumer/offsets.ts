import { setMaxListeners } from 'node:events'
import { MyKafkaError } from '../../errors.js'
import type { Client } from '../client.js'
import { abortable, type CallOptions, retrying, type Transport } from '../transport.js'
import type { AutoOffsetReset, ResolvedConsumerOptions } from './consumer-options.js'
import { nameOf, PartitionError, type TopicPartition, type TopicPartitionOffset } from './topic-partition.js'
import { underSignals } from './under-signals.js'

/** Retriable errors that time does not heal: whoever asked is told at once. */
const TOLD: ReadonlySet<string> = new Set(['UNKNOWN_TOPIC_OR_PARTITION'])

/** First and next offset of a partition. */
export interface LogRange {
  readonly logStartOffset: number
  readonly highWatermark: number
}

/** Where a partition is read from, and what the group has committed there. */
export interface StartOffset extends TopicPartition {
  /** An error where the policy is `none`, and nothing is committed. */
  readonly start: number | PartitionError
  readonly committed: number | null
}

/** What ends all questions, and all commits: they may go on for a while when a consumer closes. */
export interface OffsetSignals {
  readonly closing: AbortSignal
  readonly commitsEnd: AbortSignal
}

/** What a consumer asks the broker beside its records. Each question is repeated while the broker is away. */
export class Offsets {
  readonly #transport: Transport
  readonly #options: ResolvedConsumerOptions
  readonly #signals: OffsetSignals
  /** Commits run one after another: the one that was asked for last stands. */
  #committing: Promise<unknown> = Promise.resolve()

  constructor(transport: Transport, options: ResolvedConsumerOptions, signals: OffsetSignals) {
    this.#transport = transport
    this.#options = options
    this.#signals = signals
    // Each question listens.
    setMaxListeners(0, signals.closing, signals.commitsEnd)
  }

  /** The partitions of a topic by number. */
  async partitionsOf(topic: string, options?: CallOptions): Promise<readonly LogRange[]> {
    const [described] = await this.#ask((client) => client.metadata(topic), options)
    if (described === undefined) throw new MyKafkaError('INVALID_RESPONSE', `METADATA leaves out ${topic}`)
    return described.partitions
  }

  /**
   * The ranges of partitions, in their order; -1 and -1 for one that is offline.
   *
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION
   */
  async rangesOf(partitions: readonly TopicPartition[], options?: CallOptions): Promise<LogRange[]> {
    const topics = [...new Set(partitions.map(({ topic }) => topic))]
    const described = await Promise.all(topics.map((topic) => this.partitionsOf(topic, options)))
    const ranges = new Map(topics.map((topic, i) => [topic, described[i]]))
    return partitions.map((at) => {
      const range = ranges.get(at.topic)?.[at.partition]
      if (range !== undefined) return range
      throw new MyKafkaError('UNKNOWN_TOPIC_OR_PARTITION', `there is no ${nameOf(at)}`)
    })
  }

  /** What the group has committed in partitions; null where it has not. */
  async committed(partitions: readonly TopicPartition[], options?: CallOptions): Promise<(number | null)[]> {
    const group = this.requireGroup()
    const ask = (client: Client): Promise<(number | null)[]> =>
      Promise.all(partitions.map(({ topic, partition }) => client.fetchOffset(group, topic, partition)))
    return await this.#ask(ask, options)
  }

  /** Where partitions are read from: behind what the group has committed, else as the policy says. */
  async starts(
    partitions: readonly TopicPartition[],
    policy: AutoOffsetReset,
    options?: CallOptions,
  ): Promise<StartOffset[]> {
    const ranges = await this.rangesOf(partitions, options)
    const committed = this.#options.groupId === null ? [] : await this.committed(partitions, options)
    return partitions.map(({ topic, partition }, i) => {
      const at = { topic, partition }
      const known = committed[i] ?? null
      return { ...at, start: known ?? byPolicy(at, ranges[i] as LogRange, policy), committed: known }
    })
  }

  /** Where to go on behind an offset that the log does not have. */
  async reset(at: TopicPartitionOffset, signal: AbortSignal): Promise<number> {
    const [range] = (await this.rangesOf([at], { signal })) as [LogRange]
    if (isOffline(range)) throw offline(at)
    const { autoOffsetReset: policy } = this.#options
    if (policy !== 'none') return policy === 'earliest' ? range.logStartOffset : range.highWatermark
    const has = `it has ${range.logStartOffset} to ${range.highWatermark}`
    throw new PartitionError('OFFSET_OUT_OF_RANGE', `${nameOf(at)} has no offset ${at.offset}: ${has}`, at)
  }

  /** @param offsets - asked when it is this commit's turn. Returns what was committed. */
  commit(
    offsets: () => readonly TopicPartitionOffset[],
    options?: CallOptions,
  ): Promise<readonly TopicPartitionOffset[]> {
    const turn = this.#committing.then(() => this.#commit(offsets(), options))
    this.#committing = turn.catch(() => {})
    return abortable(turn, options?.signal)
  }

  /** Resolves when every commit has come to its end, one way or the other. */
  async settled(): Promise<void> {
    await this.#committing
  }

  /** @throws MyKafkaError INVALID_GROUP_ID */
  requireGroup(): string {
    const { groupId } = this.#options
    if (groupId !== null) return groupId
    throw new MyKafkaError('INVALID_GROUP_ID', 'offsets are committed for a group: this consumer has no groupId')
  }

  async #commit(
    offsets: readonly TopicPartitionOffset[],
    options?: CallOptions,
  ): Promise<readonly TopicPartitionOffset[]> {
    const group = this.requireGroup()
    if (offsets.length === 0) return offsets
    const commit = (client: Client): Promise<unknown> =>
      Promise.all(offsets.map(({ topic, partition, offset }) => client.commitOffset(group, topic, partition, offset)))
    await this.#ask(commit, options, this.#signals.commitsEnd)
    return offsets
  }

  #ask<T>(
    question: (client: Client) => Promise<T>,
    options: CallOptions = {},
    ending = this.#signals.closing,
  ): Promise<T> {
    return underSignals([options.signal, ending], (signal) => this.#askUnder(question, signal))
  }

  async #askUnder<T>(question: (client: Client) => Promise<T>, signal: AbortSignal): Promise<T> {
    const retry = { backoff: this.#transport.options, timeoutMs: this.#options.defaultApiTimeoutMs, signal }
    const outcome = await retrying(retry, async (signal): Promise<{ value: T } | { error: MyKafkaError }> => {
      try {
        return { value: await question(await this.#transport.client({ signal })) }
      } catch (error) {
        if (error instanceof MyKafkaError && TOLD.has(error.code)) return { error }
        throw error
      }
    })
    if ('error' in outcome) throw outcome.error
    return outcome.value
  }
}

function byPolicy(at: TopicPartition, range: LogRange, policy: AutoOffsetReset): number | PartitionError {
  if (isOffline(range)) return offline(at)
  if (policy === 'earliest') return range.logStartOffset
  if (policy === 'latest') return range.highWatermark
  const message = `the group has committed no offset of ${nameOf(at)}, and autoOffsetReset is none`
  return new PartitionError('NO_OFFSET_FOR_PARTITION', message, { ...at, offset: -1 })
}

/** Whether its disk has failed it. */
export function isOffline({ logStartOffset }: LogRange): boolean {
  return logStartOffset < 0
}

function offline(at: TopicPartition): PartitionError {
  return new PartitionError('KAFKA_STORAGE_ERROR', `${nameOf(at)} is offline`, { ...at, offset: -1 })
}
