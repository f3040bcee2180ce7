import {
  type LeaveGroupRequest,
  type LeaveGroupResponse,
  leaveGroupApi,
} from '../../../wire/kafka/generated/leave-group.js'
import type { KafkaHandler } from '../kafka-handler.js'

/** From here on a request names several members, and each has its own error. */
const FIRST_WITH_MEMBERS = 3

/** LeaveGroup 0–5: members go, and what they had is shared among the others at once. */
export const leaveGroup: KafkaHandler<LeaveGroupRequest, LeaveGroupResponse> = {
  api: leaveGroupApi,
  versions: [0, 5],
  handle({ groupId, memberId, members }, { version, context }) {
    if (version >= FIRST_WITH_MEMBERS) return context.groups.leave({ groupId, members })
    const result = context.groups.leave({ groupId, members: [{ memberId, groupInstanceId: null, reason: null }] })
    return { errorCode: result.errorCode || (result.members[0]?.errorCode ?? 0), members: [] }
  },
  failed: (_, errorCode) => ({ errorCode, members: [] }),
}
