import type { DescribedGroup } from '../../../group/group-messages.js'
import {
  type DescribeGroupsRequest,
  type DescribeGroupsResponse,
  type DescribeGroupsResponseGroup,
  describeGroupsApi,
} from '../../../wire/kafka/generated/describe-groups.js'
import type { KafkaHandler } from '../kafka-handler.js'

/** Kafka's way to say that nobody was asked: there is no authorizer. */
const UNKNOWN_OPERATIONS = -2147483648

/** DescribeGroups 0–5: state and members of groups. One that is not there is Dead. */
export const describeGroups: KafkaHandler<DescribeGroupsRequest, DescribeGroupsResponse> = {
  api: describeGroupsApi,
  versions: [0, 5],
  handle: ({ groups }, { context }) => ({
    groups: [...new Set(groups)].map((groupId) => describe(context.groups.admin.describe(groupId))),
  }),
  failed: ({ groups }, errorCode) => ({
    groups: groups.map((groupId) => ({
      errorCode,
      groupId,
      groupState: '',
      protocolType: '',
      protocolData: '',
      members: [],
      authorizedOperations: UNKNOWN_OPERATIONS,
    })),
  }),
}

function describe(group: DescribedGroup): DescribeGroupsResponseGroup {
  const { groupId, state, protocolType, protocolName, members } = group
  return {
    errorCode: 0,
    groupId,
    groupState: state,
    protocolType,
    protocolData: protocolName,
    members: members.map(({ memberId, groupInstanceId, clientId, clientHost, metadata, assignment }) => ({
      memberId,
      groupInstanceId,
      clientId,
      clientHost,
      memberMetadata: metadata,
      memberAssignment: assignment,
    })),
    authorizedOperations: UNKNOWN_OPERATIONS,
  }
}
