import { MyKafkaError } from '../../errors.js'
import type { KafkaConnection } from '../kafka-connection.js'
import { offsetsForTime } from '../offsets-for-time.js'
import { checkInteger } from '../options.js'
import type { TopicPartition } from '../topic-partition.js'
import type { CallOptions } from '../transport.js'
import type { AdminCalls } from './calls.js'
import { distinctPartitions, logEnds } from './group-lag.js'
import { alterGroupOffsets, keyOf, listGroupOffsets } from './group-offsets.js'
import { askForGroups, type GroupState, groupNotFound } from './groups.js'
import { checkTimestamp } from './offsets.js'
import { describeTopics, type PartitionDescription } from './topics.js'

/** Without members, or not there. */
const INACTIVE: ReadonlySet<GroupState | undefined> = new Set<GroupState>(['Empty', 'Dead'])

/**
 * Where a group is to go on: at the log start, at the log end, where it is (at the log end where it committed nothing), at
 * an offset, at the first record that is not older than a time in ms since 1970 (at the log end where there is none), or
 * so many records further, back where it is negative.
 */
export type ResetTarget =
  | 'earliest'
  | 'latest'
  | 'current'
  | { readonly offset: number }
  | { readonly timestamp: number }
  | { readonly shiftBy: number }

/** Partitions of a topic; without numbers all. */
export interface ResetScope {
  readonly topic: string
  readonly partitions?: readonly number[] | undefined
}

/** What to reset. */
export interface ResetOptions extends CallOptions {
  readonly to: ResetTarget
  /** Default: every partition that the group committed for. */
  readonly topics?: readonly (string | ResetScope)[] | undefined
  /** Only tells what would be done. */
  readonly dryRun?: boolean | undefined
}

/** What a reset does to a partition. */
export interface OffsetReset extends TopicPartition {
  /** Null where the group had committed nothing. */
  readonly previousOffset: number | null
  /** Within the log: what was asked for lies outside where `requestedOffset` is another. */
  readonly newOffset: number
  readonly requestedOffset: number
}

/** What is known of a partition that is to be reset. */
interface Known extends TopicPartition {
  readonly committed: number | null
  readonly ends: PartitionDescription
}

/**
 * Sets where a group without members goes on, all partitions in one append. A group that is not there is made, where topics
 * are named.
 *
 * @throws MyKafkaError NON_EMPTY_GROUP where it has live members, GROUP_ID_NOT_FOUND, UNKNOWN_TOPIC_OR_PARTITION,
 *   INVALID_ARGUMENT
 */
export async function resetGroupOffsets(
  calls: AdminCalls,
  groupId: string,
  options: ResetOptions,
): Promise<OffsetReset[]> {
  const { to, topics, dryRun = false } = options
  checkTarget(to)
  const found = await calls.kafka(options, (connection) => askForGroups(connection, [groupId]))
  const state = found.get(groupId)?.state
  if (!INACTIVE.has(state)) throw notInactive(groupId, state)
  const committed = await listGroupOffsets(calls, groupId, options)
  if (topics === undefined && state === 'Dead') throw groupNotFound(groupId)
  const scope = topics === undefined ? distinctPartitions(committed) : await partitionsOf(calls, topics, options)
  const ends = await logEnds(calls, scope, options)
  const offsets = new Map(committed.map(({ topic, partition, offset }) => [keyOf(topic, partition), offset]))
  const known = scope.map(({ topic, partition }): Known => {
    const key = keyOf(topic, partition)
    const found = ends.get(key)
    if (found === undefined) throw new MyKafkaError('KAFKA_STORAGE_ERROR', `${topic}-${partition} is offline`)
    return { topic, partition, committed: offsets.get(key) ?? null, ends: found }
  })
  const requested = await requestedOffsets(calls, known, to, options)
  const resets = known.map(({ topic, partition, committed, ends: { logStartOffset, highWatermark } }, i) => {
    const requestedOffset = requested[i] as number
    const newOffset = Math.min(Math.max(requestedOffset, logStartOffset), highWatermark)
    return { topic, partition, previousOffset: committed, newOffset, requestedOffset }
  })
  if (!dryRun) await commit(calls, groupId, resets, options)
  return resets
}

function notInactive(groupId: string, state = 'unknown'): MyKafkaError {
  const reason = `offsets can be reset only while the group ${groupId} is inactive, but its state is ${state}`
  return new MyKafkaError('NON_EMPTY_GROUP', reason)
}

async function commit(
  calls: AdminCalls,
  groupId: string,
  resets: readonly OffsetReset[],
  options: CallOptions,
): Promise<void> {
  const offsets = resets.map(({ topic, partition, newOffset }) => ({ topic, partition, offset: newOffset }))
  try {
    await alterGroupOffsets(calls, groupId, offsets, options)
  } catch (error) {
    // Somebody has joined meanwhile.
    if (error instanceof MyKafkaError && error.code === 'UNKNOWN_MEMBER_ID') throw notInactive(groupId, 'not Empty')
    throw error
  }
}

async function partitionsOf(
  calls: AdminCalls,
  topics: readonly (string | ResetScope)[],
  options: CallOptions,
): Promise<TopicPartition[]> {
  const scopes = topics.map((each): ResetScope => (typeof each === 'string' ? { topic: each } : each))
  const described = await describeTopics(calls, [...new Set(scopes.map(({ topic }) => topic))], options)
  const counts = new Map(described.map(({ topic, partitions }) => [topic, partitions.length]))
  const named = scopes.flatMap(({ topic, partitions }) => {
    const count = counts.get(topic) ?? 0
    const unknown = partitions?.find((partition) => !(partition < count))
    if (unknown !== undefined) {
      const has = `${topic} has partitions 0 to ${count - 1}`
      throw new MyKafkaError('UNKNOWN_TOPIC_OR_PARTITION', `there is no partition ${unknown}: ${has}`)
    }
    return (partitions ?? [...Array(count).keys()]).map((partition) => ({ topic, partition }))
  })
  return distinctPartitions(named)
}

function checkTarget(to: ResetTarget): void {
  if (typeof to === 'string') return
  if ('offset' in to) checkInteger('offset', to.offset, 0, Number.MAX_SAFE_INTEGER)
  else if ('timestamp' in to) checkTimestamp(to.timestamp)
  else checkInteger('shiftBy', to.shiftBy, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
}

/** In the order of the partitions. */
async function requestedOffsets(
  calls: AdminCalls,
  known: readonly Known[],
  to: ResetTarget,
  options: CallOptions,
): Promise<number[]> {
  if (to === 'earliest') return known.map(({ ends }) => ends.logStartOffset)
  if (to === 'latest') return known.map(({ ends }) => ends.highWatermark)
  if (to === 'current') return known.map(({ committed, ends }) => committed ?? ends.highWatermark)
  if ('offset' in to) return known.map(() => to.offset)
  if ('shiftBy' in to) return known.map((partition) => shifted(partition, to.shiftBy))
  const found = await offsetsByTime(calls, known, to.timestamp, options)
  return known.map(({ topic, partition, ends }) => found.get(keyOf(topic, partition)) ?? ends.highWatermark)
}

function shifted({ topic, partition, committed }: Known, by: number): number {
  if (committed !== null) return committed + by
  const reason = `${topic}-${partition} cannot be shifted: the group committed nothing for it`
  throw new MyKafkaError('INVALID_ARGUMENT', reason)
}

/** By topic and partition. */
async function offsetsByTime(
  calls: AdminCalls,
  known: readonly Known[],
  timestamp: number,
  options: CallOptions,
): Promise<Map<string, number | null>> {
  const topics = [...new Set(known.map(({ topic }) => topic))]
  const found = topics.map(async (topic) => {
    const partitions = known.filter((each) => each.topic === topic).map(({ partition }) => partition)
    const ask = (connection: KafkaConnection) => offsetsForTime(connection, topic, partitions, timestamp)
    const offsets = await calls.kafka(options, ask)
    return [...offsets].map(([partition, offset]): [string, number | null] => [keyOf(topic, partition), offset])
  })
  return new Map((await Promise.all(found)).flat())
}
