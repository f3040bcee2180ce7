import { type JoinResult, joinFailure } from '../../../group/group-messages.js'
import {
  type JoinGroupRequest,
  type JoinGroupResponse,
  joinGroupApi,
} from '../../../wire/kafka/generated/join-group.js'
import type { KafkaCall, KafkaHandler } from '../kafka-handler.js'

/** A new member joins twice from here on: first without an id, then with the one that it is given. */
const FIRST_WITH_MEMBER_ID_REQUIRED = 4
const FIRST_WITH_NULL_PROTOCOL = 7
const FIRST_WITH_SKIP_ASSIGNMENT = 9

/** JoinGroup 0–9: answered when all members of the group have joined, or had to. */
export const joinGroup: KafkaHandler<JoinGroupRequest, JoinGroupResponse> = {
  api: joinGroupApi,
  versions: [0, 9],
  async handle(request, call) {
    const { groupId, memberId, groupInstanceId, sessionTimeoutMs, rebalanceTimeoutMs } = request
    const { protocolType, protocols, reason } = request
    const result = await call.context.groups.join({
      groupId,
      memberId,
      groupInstanceId,
      clientId: call.clientId,
      // As Kafka shows it.
      clientHost: `/${call.clientHost}`,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      protocolType,
      protocols,
      requireKnownMemberId: call.version >= FIRST_WITH_MEMBER_ID_REQUIRED,
      supportsSkippingAssignment: call.version >= FIRST_WITH_SKIP_ASSIGNMENT,
      reason,
    })
    return respond(result, call)
  },
  failed: ({ memberId }, errorCode, call) => respond(joinFailure(errorCode, memberId), call),
}

function respond(result: JoinResult, { version }: KafkaCall): JoinGroupResponse {
  const protocolName = result.protocolName ?? (version < FIRST_WITH_NULL_PROTOCOL ? '' : null)
  return { ...result, protocolName }
}
