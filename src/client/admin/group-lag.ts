import type { TopicPartition } from '../topic-partition.js'
import type { CallOptions } from '../transport.js'
import type { AdminCalls } from './calls.js'
import { comparePartitions, keyOf, listGroupOffsets } from './group-offsets.js'
import { describeGroups, type GroupDescription, type GroupMember } from './groups.js'
import { describeExistingTopics, type PartitionDescription } from './topics.js'

/** How far a group is with a partition that it committed for or that a member has. */
export interface PartitionLag extends TopicPartition {
  /** Null where it committed nothing. */
  readonly committedOffset: number | null
  /** Null where the partition is offline. */
  readonly logStartOffset: number | null
  /** The high watermark. Null where the partition is offline. */
  readonly logEndOffset: number | null
  /** Offsets from the committed one to the log's end; null where one of the two is. */
  readonly lag: number | null
  /** Who has the partition now. */
  readonly member: GroupMember | null
}

/** A group, and how far it is. */
export interface GroupLag extends GroupDescription {
  /** By topic and partition in their order. */
  readonly partitions: readonly PartitionLag[]
}

/**
 * Groups by name, or all, with their lag.
 *
 * @throws MyKafkaError GROUP_ID_NOT_FOUND where one that is named is not there
 */
export async function describeGroupLags(
  calls: AdminCalls,
  groupIds: readonly string[] | undefined,
  options?: CallOptions,
): Promise<GroupLag[]> {
  const groups = await describeGroups(calls, groupIds, options)
  return await Promise.all(groups.map((group) => lagOf(calls, group, options)))
}

async function lagOf(calls: AdminCalls, group: GroupDescription, options?: CallOptions): Promise<GroupLag> {
  const committed = await listGroupOffsets(calls, group.groupId, options)
  const offsets = new Map(committed.map(({ topic, partition, offset }) => [keyOf(topic, partition), offset]))
  const members = membersByPartition(group)
  const partitions = distinctPartitions([...committed, ...assignedPartitions(group)])
  const ends = await logEnds(calls, partitions, options)
  return {
    ...group,
    partitions: partitions.map(({ topic, partition }) => {
      const key = keyOf(topic, partition)
      const committedOffset = offsets.get(key) ?? null
      const { logStartOffset = null, highWatermark: logEndOffset = null } = ends.get(key) ?? {}
      const lag = committedOffset === null || logEndOffset === null ? null : logEndOffset - committedOffset
      return { topic, partition, committedOffset, logStartOffset, logEndOffset, lag, member: members.get(key) ?? null }
    }),
  }
}

function assignedPartitions({ members }: GroupDescription): TopicPartition[] {
  const assignments = members.flatMap(({ assignment }) => assignment)
  return assignments.flatMap(({ topic, partitions }) => partitions.map((partition) => ({ topic, partition })))
}

function membersByPartition({ members }: GroupDescription): Map<string, GroupMember> {
  const entries = members.flatMap((member) =>
    member.assignment.flatMap(({ topic, partitions }) =>
      partitions.map((partition): [string, GroupMember] => [keyOf(topic, partition), member]),
    ),
  )
  return new Map(entries)
}

/** Each once, in their order. */
export function distinctPartitions(partitions: readonly TopicPartition[]): TopicPartition[] {
  const byKey = new Map(partitions.map((each) => [keyOf(each.topic, each.partition), each]))
  return [...byKey.values()].sort(comparePartitions)
}

/** By topic and partition: those that are there and not offline. */
export async function logEnds(
  calls: AdminCalls,
  partitions: readonly TopicPartition[],
  options?: CallOptions,
): Promise<Map<string, PartitionDescription>> {
  const names = [...new Set(partitions.map(({ topic }) => topic))]
  const topics = await describeExistingTopics(calls, names, options)
  const ends = topics.flatMap(({ topic, partitions }) =>
    partitions.map((each): [string, PartitionDescription] => [keyOf(topic, each.partition), each]),
  )
  return new Map(ends.filter(([, { offline }]) => !offline))
}
