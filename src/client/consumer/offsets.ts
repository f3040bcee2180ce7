import { asMyKafkaError, MyKafkaError } from '../../errors.js'
import type { Client } from '../client.js'
import { type CallOptions, isRetriable, retrying, type Transport, UNKNOWN_TOPIC } from '../transport.js'
import type { AutoOffsetReset, ResolvedConsumerOptions } from './consumer-options.js'
import { nameOf, PartitionError, type TopicPartition, type TopicPartitionOffset } from './topic-partition.js'

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

/** What becomes of a commit, partition by partition. */
export interface CommitEvents {
  written(at: TopicPartitionOffset): void
  /** There is no such partition any more. */
  gone(at: TopicPartitionOffset): void
}

/** What a consumer asks the broker beside its records. Each question is repeated while the broker is away. */
export class Offsets {
  readonly #transport: Transport
  readonly #options: ResolvedConsumerOptions
  readonly #signals: OffsetSignals

  constructor(transport: Transport, options: ResolvedConsumerOptions, signals: OffsetSignals) {
    this.#transport = transport
    this.#options = options
    this.#signals = signals
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

  /** @throws MyKafkaError INVALID_GROUP_ID */
  requireGroup(): string {
    const { groupId } = this.#options
    if (groupId !== null) return groupId
    throw new MyKafkaError('INVALID_GROUP_ID', 'offsets are committed for a group: this consumer has no groupId')
  }

  /** Commits each partition by itself. Returns why those were refused that were: time does not heal it. */
  async commit(
    offsets: readonly TopicPartitionOffset[],
    events: CommitEvents,
    options?: CallOptions,
  ): Promise<MyKafkaError[]> {
    const group = this.requireGroup()
    const refusals: MyKafkaError[] = []
    let left = offsets
    const settle = (at: TopicPartitionOffset, outcome: PromiseSettledResult<void>): MyKafkaError | null => {
      if (outcome.status === 'fulfilled') {
        events.written(at)
        return null
      }
      const error = asMyKafkaError(outcome.reason)
      if (isRetriable(error) && !UNKNOWN_TOPIC.has(error.code)) return error
      if (UNKNOWN_TOPIC.has(error.code)) events.gone(at)
      refusals.push(error)
      return null
    }
    const commit = async (client: Client): Promise<void> => {
      const asked = left
      const outcomes = await Promise.allSettled(
        asked.map(({ topic, partition, offset }) => client.commitOffset(group, topic, partition, offset)),
      )
      const errors = asked.map((at, i) => settle(at, outcomes[i] as PromiseSettledResult<void>))
      left = asked.filter((_, i) => errors[i] !== null)
      const error = errors.find((each) => each !== null)
      if (error) throw error
    }
    if (offsets.length > 0) await this.#ask(commit, options, this.#signals.commitsEnd)
    return refusals
  }

  #ask<T>(
    question: (client: Client) => Promise<T>,
    options: CallOptions = {},
    ending = this.#signals.closing,
  ): Promise<T> {
    const retry = {
      backoff: this.#transport.options,
      timeoutMs: this.#options.defaultApiTimeoutMs,
      signals: [options.signal, ending],
      final: UNKNOWN_TOPIC,
    }
    return retrying(retry, async (signal) => question(await this.#transport.client({ signal })))
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
