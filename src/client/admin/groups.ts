import { MyKafkaError } from '../../errors.js'
import { deleteGroupsApi } from '../../wire/kafka/generated/delete-groups.js'
import {
  type DescribeGroupsResponseGroup,
  type DescribeGroupsResponseMember,
  describeGroupsApi,
} from '../../wire/kafka/generated/describe-groups.js'
import { listGroupsApi } from '../../wire/kafka/generated/list-groups.js'
import type { KafkaConnection } from '../kafka-connection.js'
import type { CallOptions } from '../transport.js'
import { type AdminCalls, requireDone } from './calls.js'
import { readAssignment, readSubscription, type TopicPartitions } from './consumer-protocol.js'
import { compareNames } from './topics.js'

/** The protocol type of consumers: members with another one say things of their own in metadata and assignment. */
const CONSUMER = 'consumer'
/** There is no such group. */
const DEAD = 'Dead'

/** What Kafka calls the state of a group. */
export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable' | 'Dead'

/** A group in a list. */
export interface GroupListing {
  readonly groupId: string
  /** `consumer`; empty for a group that nobody has joined, which only commits. */
  readonly protocolType: string
  readonly state: GroupState
}

/** A live member of a group. */
export interface GroupMember {
  readonly memberId: string
  /** `group.instance.id` of a static member. */
  readonly groupInstanceId: string | null
  readonly clientId: string
  readonly clientHost: string
  /** What it subscribes to, as far as the broker tells: while the group is stable. */
  readonly topics: readonly string[]
  readonly assignment: readonly TopicPartitions[]
}

/** A group with its members. One of MyKafka's wire has none: it is Empty. */
export interface GroupDescription extends GroupListing {
  /** How partitions are shared out: the name of the assignor; empty unless the group is stable. */
  readonly protocol: string
  readonly members: readonly GroupMember[]
}

/** All groups, those that only commit too, in the order of their names. */
export async function listGroups(calls: AdminCalls, options?: CallOptions): Promise<GroupListing[]> {
  return await calls.kafka(options, async (connection) => {
    const request = { statesFilter: [], typesFilter: [] }
    const { groups } = requireDone(await connection.call(listGroupsApi, 5, request), 'ListGroups')
    return groups
      .map(({ groupId, protocolType, groupState }) => ({ groupId, protocolType, state: groupState as GroupState }))
      .sort((a, b) => compareNames(a.groupId, b.groupId))
  })
}

/**
 * Groups by name, or all.
 *
 * @throws MyKafkaError GROUP_ID_NOT_FOUND where one that is named is not there
 */
export async function describeGroups(
  calls: AdminCalls,
  groupIds: readonly string[] | undefined,
  options?: CallOptions,
): Promise<GroupDescription[]> {
  const asked = groupIds ?? (await listGroups(calls, options)).map(({ groupId }) => groupId)
  const found = await calls.kafka(options, (connection) => askForGroups(connection, asked))
  const missing = groupIds?.find((id) => found.get(id)?.state === DEAD)
  if (missing !== undefined) throw groupNotFound(missing)
  return [...found.values()].filter(({ state }) => state !== DEAD).sort((a, b) => compareNames(a.groupId, b.groupId))
}

/** By name. One that is not there is Dead. */
export async function askForGroups(
  connection: KafkaConnection,
  groupIds: readonly string[],
): Promise<Map<string, GroupDescription>> {
  if (groupIds.length === 0) return new Map()
  const request = { groups: [...groupIds], includeAuthorizedOperations: false }
  const { groups } = await connection.call(describeGroupsApi, 5, request)
  const described = new Map(groups.map((group) => [group.groupId, describe(group)]))
  for (const groupId of groupIds)
    requireDone(
      groups.find((group) => group.groupId === groupId),
      asking(groupId),
    )
  return described
}

function asking(groupId: string): string {
  return `DescribeGroups of ${groupId}`
}

/** The error for a group that is not there. */
export function groupNotFound(groupId: string): MyKafkaError {
  return new MyKafkaError('GROUP_ID_NOT_FOUND', `there is no group ${groupId}`)
}

function describe(group: DescribeGroupsResponseGroup): GroupDescription {
  const { groupId, groupState, protocolType, protocolData, members } = group
  const ofConsumers = protocolType === CONSUMER
  return {
    groupId,
    state: groupState as GroupState,
    protocolType,
    protocol: protocolData,
    members: members.map((member) => describeMember(member, ofConsumers)),
  }
}

function describeMember(member: DescribeGroupsResponseMember, ofConsumers: boolean): GroupMember {
  const { memberId, groupInstanceId = null, clientId, clientHost, memberMetadata, memberAssignment } = member
  return {
    memberId,
    groupInstanceId,
    clientId,
    clientHost,
    topics: ofConsumers ? readSubscription(memberMetadata) : [],
    assignment: ofConsumers ? readAssignment(memberAssignment) : [],
  }
}

/** Deletes groups without members, and all that they committed. */
export async function deleteGroups(
  calls: AdminCalls,
  groupIds: readonly string[],
  options?: CallOptions,
): Promise<void> {
  await calls.kafka(options, async (connection) => {
    const { results } = await connection.call(deleteGroupsApi, 2, { groupsNames: [...groupIds] })
    for (const groupId of groupIds) {
      requireDone(
        results.find((result) => result.groupId === groupId),
        `DeleteGroups ${groupId}`,
      )
    }
  })
}
