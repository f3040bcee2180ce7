import type { GroupLag, PartitionLag } from '../../client/admin/group-lag.js'
import type { GroupMember } from '../../client/admin/groups.js'
import { table } from '../table.js'

const LAG_HEADS = [
  'GROUP',
  'TOPIC',
  'PARTITION',
  'CURRENT-OFFSET',
  'LOG-END-OFFSET',
  'LAG',
  'CONSUMER-ID',
  'HOST',
  'CLIENT-ID',
]

/** A line a partition, in the columns of Kafka's tool; members without a partition have a line too. */
export function lagTable(groups: readonly GroupLag[]): string {
  const rows = groups.flatMap(({ groupId, partitions, members }) => [
    ...partitions.map((each) => lagRow(groupId, each)),
    ...members
      .filter(({ assignment }) => assignment.every((assigned) => assigned.partitions.length === 0))
      .map((member) => [groupId, null, null, null, null, null, ...memberCells(member)]),
  ])
  return rows.length === 0 ? '' : table(LAG_HEADS, rows)
}

function lagRow(groupId: string, each: PartitionLag): (string | number | null)[] {
  const { topic, partition, committedOffset, logEndOffset, lag, member } = each
  return [groupId, topic, partition, committedOffset, logEndOffset, lag, ...memberCells(member)]
}

function memberCells(member: GroupMember | null): (string | null)[] {
  if (member === null) return [null, null, null]
  return [member.memberId, member.clientHost, member.clientId]
}

const MEMBER_HEADS = ['GROUP', 'CONSUMER-ID', 'GROUP-INSTANCE-ID', 'HOST', 'CLIENT-ID', '#PARTITIONS', 'ASSIGNMENT']

/** A line a member. */
export function membersTable(groups: readonly GroupLag[]): string {
  const rows = groups.flatMap(({ groupId, members }) =>
    members.map(({ memberId, groupInstanceId, clientHost, clientId, assignment }) => {
      const count = assignment.reduce((sum, { partitions }) => sum + partitions.length, 0)
      const text = assignment.map(({ topic, partitions }) => `${topic}(${partitions.join(',')})`).join(', ')
      return [groupId, memberId, groupInstanceId, clientHost, clientId, count, text]
    }),
  )
  return rows.length === 0 ? '' : table(MEMBER_HEADS, rows)
}

/** A line a group. */
export function statesTable(groups: readonly GroupLag[]): string {
  if (groups.length === 0) return ''
  const rows = groups.map(({ groupId, protocol, state, members }) => [groupId, protocol, state, members.length])
  return table(['GROUP', 'ASSIGNMENT-STRATEGY', 'STATE', '#MEMBERS'], rows)
}

/** All that is known of a group; its partitions name their member. */
export function groupsJson({ partitions, ...group }: GroupLag): unknown {
  return { ...group, partitions: partitions.map((each) => ({ ...each, member: each.member?.memberId ?? null })) }
}
