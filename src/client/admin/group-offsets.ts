import { errorFromWire, MyKafkaError } from '../../errors.js'
import { offsetCommitApi } from '../../wire/kafka/generated/offset-commit.js'
import { offsetDeleteApi } from '../../wire/kafka/generated/offset-delete.js'
import { offsetFetchApi } from '../../wire/kafka/generated/offset-fetch.js'
import { checkInteger, MAX_INT32 } from '../options.js'
import type { TopicPartition } from '../topic-partition.js'
import type { CallOptions } from '../transport.js'
import { type AdminCalls, requireDone } from './calls.js'
import { compareNames } from './topics.js'

const NO_OFFSET = -1
const NO_EPOCH = -1
/** A commit from outside: by no member, of no generation. */
const OUTSIDE = { generationIdOrMemberEpoch: -1, memberId: '', groupInstanceId: null, retentionTimeMs: -1n }

/** Where a group goes on reading a partition. */
export interface GroupOffset extends TopicPartition {
  /** Of the next record that it wants. */
  readonly offset: number
  /** Of the record before, where the client said so. */
  readonly leaderEpoch: number | null
  /** What the client put beside it. */
  readonly metadata: string
}

/** An offset to be committed for a group. */
export interface NewGroupOffset extends TopicPartition {
  readonly offset: number
  readonly metadata?: string | undefined
}

/** What a group committed, by topic and partition in their order. A group that is not there committed nothing. */
export async function listGroupOffsets(
  calls: AdminCalls,
  groupId: string,
  options?: CallOptions,
): Promise<GroupOffset[]> {
  const asked = { groupId, memberId: null, memberEpoch: -1, topics: null }
  const request = { groupId: '', topics: null, groups: [asked], requireStable: true }
  return await calls.kafka(options, async (connection) => {
    const what = `OffsetFetch of ${groupId}`
    const { groups } = await connection.call(offsetFetchApi, 9, request)
    const { topics } = requireDone(withCode(groups[0]), what)
    const offsets = topics.flatMap(({ name: topic, partitions }) =>
      partitions.map((partition) => {
        if (partition.errorCode !== 0) throw errorFromWire(partition.errorCode, what)
        const { partitionIndex, committedOffset: offset, committedLeaderEpoch = NO_EPOCH, metadata } = partition
        const leaderEpoch = committedLeaderEpoch === NO_EPOCH ? null : committedLeaderEpoch
        return { topic, partition: partitionIndex, offset, leaderEpoch, metadata: metadata ?? '' }
      }),
    )
    return offsets.filter(({ offset }) => offset !== NO_OFFSET).sort(comparePartitions)
  })
}

/** The codec leaves out what is its default. */
function withCode<T extends { readonly errorCode?: number | undefined }>(
  item: T | undefined,
): (T & { errorCode: number }) | undefined {
  return item && { ...item, errorCode: item.errorCode ?? 0 }
}

/** The order in which partitions are listed. */
export function comparePartitions(a: TopicPartition, b: TopicPartition): number {
  return compareNames(a.topic, b.topic) || a.partition - b.partition
}

/**
 * Commits offsets for a group, whether it is there yet or not, all in one append.
 *
 * @throws MyKafkaError UNKNOWN_MEMBER_ID where it has live members: they commit themselves
 */
export async function alterGroupOffsets(
  calls: AdminCalls,
  groupId: string,
  offsets: readonly NewGroupOffset[],
  options?: CallOptions,
): Promise<void> {
  if (offsets.length === 0) return
  for (const { partition, offset } of offsets) {
    checkInteger('partition', partition, 0, MAX_INT32)
    checkInteger('offset', offset, 0, Number.MAX_SAFE_INTEGER)
  }
  const topics = byTopic(offsets, ({ partition, offset, metadata = '' }) => ({
    partitionIndex: partition,
    committedOffset: offset,
    committedLeaderEpoch: NO_EPOCH,
    committedMetadata: metadata,
  }))
  await calls.kafka(options, async (connection) => {
    const answer = await connection.call(offsetCommitApi, 9, { ...OUTSIDE, groupId, topics })
    requirePartitions(answer.topics, offsets, `the commit of the group ${groupId}`)
  })
}

/**
 * Forgets what a group committed for partitions.
 *
 * @throws MyKafkaError GROUP_SUBSCRIBED_TO_TOPIC where a live member reads the topic, GROUP_ID_NOT_FOUND
 */
export async function deleteGroupOffsets(
  calls: AdminCalls,
  groupId: string,
  partitions: readonly TopicPartition[],
  options?: CallOptions,
): Promise<void> {
  if (partitions.length === 0) return
  const topics = byTopic(partitions, ({ partition }) => ({ partitionIndex: partition }))
  await calls.kafka(options, async (connection) => {
    const what = `OffsetDelete of the group ${groupId}`
    const answer = requireDone(await connection.call(offsetDeleteApi, 0, { groupId, topics }), what)
    requirePartitions(answer.topics, partitions, what)
  })
}

interface PartitionOutcome {
  readonly partitionIndex: number
  readonly errorCode: number
}

function requirePartitions(
  topics: readonly { readonly name: string; readonly partitions: readonly PartitionOutcome[] }[],
  asked: readonly TopicPartition[],
  what: string,
): void {
  const codes = new Map<string, number>()
  for (const { name, partitions } of topics) {
    for (const { partitionIndex, errorCode } of partitions) codes.set(keyOf(name, partitionIndex), errorCode)
  }
  for (const { topic, partition } of asked) {
    const errorCode = codes.get(keyOf(topic, partition))
    if (errorCode === undefined) {
      throw new MyKafkaError('INVALID_RESPONSE', `${what}: the broker left out ${topic}-${partition}`)
    }
    if (errorCode !== 0) throw errorFromWire(errorCode, `${what} for ${topic}-${partition}`)
  }
}

/** A space is in no topic's name. */
export function keyOf(topic: string, partition: number): string {
  return `${topic} ${partition}`
}

function byTopic<Item extends TopicPartition, Asked>(
  items: readonly Item[],
  ask: (item: Item) => Asked,
): { name: string; partitions: Asked[] }[] {
  const topics = new Map<string, Asked[]>()
  for (const item of items) {
    const partitions = topics.get(item.topic) ?? []
    topics.set(item.topic, partitions)
    partitions.push(ask(item))
  }
  return [...topics].map(([name, partitions]) => ({ name, partitions }))
}
