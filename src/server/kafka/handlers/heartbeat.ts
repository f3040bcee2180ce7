import { type HeartbeatRequest, type HeartbeatResponse, heartbeatApi } from '../../../wire/kafka/generated/heartbeat.js'
import type { KafkaHandler } from '../kafka-handler.js'

/** Heartbeat 0–4: a member is still there; it is told where it has to join again. */
export const heartbeat: KafkaHandler<HeartbeatRequest, HeartbeatResponse> = {
  api: heartbeatApi,
  versions: [0, 4],
  handle: (request, { context }) => ({ errorCode: context.groups.heartbeat(request) }),
  failed: (_, errorCode) => ({ errorCode }),
}
