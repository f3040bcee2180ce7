import { MyKafkaError } from '../../errors.js'
import { checkInteger, MAX_INT32, MAX_TIMER } from '../options.js'
import type { CallOptions, TransportOptions } from '../transport.js'

/** Where a partition is read from for which the group has committed nothing, or that lacks the offset committed. */
export type AutoOffsetReset = 'earliest' | 'latest' | 'none'

/** Settings of a {@link Consumer}. Kafka's name of each is given. */
export interface ConsumerOptions {
  /** `group.id`: under which name offsets are committed. Without one there is no committing. */
  readonly groupId?: string | undefined
  /** `enable.auto.commit`: default true where there is a group. */
  readonly enableAutoCommit?: boolean | undefined
  /** `auto.commit.interval.ms`: default 5000. Where nothing is done with since, it is committed again within 30 seconds. */
  readonly autoCommitIntervalMs?: number | undefined
  /**
   * `auto.offset.reset`: default `latest`, the log's end, so that what was written before is not read. With `none` such
   * a partition is an error.
   */
  readonly autoOffsetReset?: AutoOffsetReset | undefined
  /** `max.poll.records`: default 500. */
  readonly maxPollRecords?: number | undefined
  /**
   * `fetch.max.bytes`: how much is fetched ahead in all, what is on its way included, and 1 KiB for each answer. A larger
   * record comes all the same, when its turn is. Default 52428800.
   */
  readonly fetchMaxBytes?: number | undefined
  /** `max.partition.fetch.bytes`: what one request asks for. Default 1048576. */
  readonly maxPartitionFetchBytes?: number | undefined
  /** `metadata.max.age.ms`: how often a subscription looks for new partitions. Default: the connection's, 300000. */
  readonly metadataMaxAgeMs?: number | undefined
  /** `default.api.timeout.ms`: how long a call is tried again that meets no broker. Default 60000. */
  readonly defaultApiTimeoutMs?: number | undefined
}

/** The same with everything decided. */
export interface ResolvedConsumerOptions {
  readonly groupId: string | null
  readonly enableAutoCommit: boolean
  readonly autoCommitIntervalMs: number
  readonly autoOffsetReset: AutoOffsetReset
  readonly maxPollRecords: number
  readonly fetchMaxBytes: number
  readonly maxPartitionFetchBytes: number
  readonly metadataMaxAgeMs: number
  readonly defaultApiTimeoutMs: number
}

/** How to poll. */
export interface PollOptions extends CallOptions {
  /** How long to wait for a record. Default 1000; Infinity waits for ever. */
  readonly timeoutMs?: number | undefined
}

/** What of its topics a consumer subscribes to. */
export interface SubscribeOptions extends CallOptions {
  /** Which of the `of` members this is, from 0 on: it has the partitions whose number leaves it over `of`. */
  readonly member?: number | undefined
  /** How many members share the topics. Default 1: this one has all partitions. */
  readonly of?: number | undefined
}

const RESETS: ReadonlySet<unknown> = new Set<AutoOffsetReset>(['earliest', 'latest', 'none'])

/**
 * Checks options and fills in what is not said.
 *
 * @throws MyKafkaError INVALID_ARGUMENT
 */
export function resolveConsumerOptions(
  options: ConsumerOptions,
  transport: Pick<TransportOptions, 'metadataMaxAgeMs'>,
): ResolvedConsumerOptions {
  const groupId = options.groupId ?? null
  if (groupId === '') throw new MyKafkaError('INVALID_ARGUMENT', 'groupId must not be empty')
  const autoOffsetReset = options.autoOffsetReset ?? 'latest'
  if (!RESETS.has(autoOffsetReset)) {
    throw new MyKafkaError('INVALID_ARGUMENT', `autoOffsetReset must be earliest, latest or none: ${autoOffsetReset}`)
  }
  const enableAutoCommit = options.enableAutoCommit ?? groupId !== null
  if (enableAutoCommit && groupId === null) {
    throw new MyKafkaError('INVALID_ARGUMENT', 'enableAutoCommit needs a groupId')
  }
  return {
    groupId,
    enableAutoCommit,
    autoCommitIntervalMs: checkInteger('autoCommitIntervalMs', options.autoCommitIntervalMs ?? 5000, 0, MAX_TIMER),
    autoOffsetReset,
    maxPollRecords: checkInteger('maxPollRecords', options.maxPollRecords ?? 500, 1, MAX_INT32),
    fetchMaxBytes: checkInteger('fetchMaxBytes', options.fetchMaxBytes ?? 50 << 20, 1, MAX_INT32),
    maxPartitionFetchBytes: checkInteger(
      'maxPartitionFetchBytes',
      options.maxPartitionFetchBytes ?? 1 << 20,
      1,
      MAX_INT32,
    ),
    metadataMaxAgeMs: checkInteger(
      'metadataMaxAgeMs',
      options.metadataMaxAgeMs ?? transport.metadataMaxAgeMs,
      1,
      MAX_TIMER,
    ),
    defaultApiTimeoutMs: checkInteger('defaultApiTimeoutMs', options.defaultApiTimeoutMs ?? 60_000, 1, MAX_TIMER),
  }
}
