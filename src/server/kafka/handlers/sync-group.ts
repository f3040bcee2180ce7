import { KAFKA_ERRORS } from '../../../errors.js'
import { syncFailure } from '../../../group/group-messages.js'
import {
  type SyncGroupRequest,
  type SyncGroupResponse,
  syncGroupApi,
} from '../../../wire/kafka/generated/sync-group.js'
import type { KafkaHandler } from '../kafka-handler.js'

const FIRST_THAT_SAYS_PROTOCOL = 5

/** SyncGroup 0–5: answered when the leader has brought the assignment. */
export const syncGroup: KafkaHandler<SyncGroupRequest, SyncGroupResponse> = {
  api: syncGroupApi,
  versions: [0, 5],
  async handle(request, { version, context }) {
    const { protocolType, protocolName } = request
    if (version >= FIRST_THAT_SAYS_PROTOCOL && (protocolType === null || protocolName === null)) {
      return syncFailure(KAFKA_ERRORS.INCONSISTENT_GROUP_PROTOCOL.wire)
    }
    return await context.groups.sync(request)
  },
  failed: (_, errorCode) => syncFailure(errorCode),
}
