import { KAFKA_ERRORS } from '../../../errors.js'
import {
  type FindCoordinatorRequest,
  type FindCoordinatorResponse,
  type FindCoordinatorResponseCoordinator,
  findCoordinatorApi,
} from '../../../wire/kafka/generated/find-coordinator.js'
import type { KafkaCall, KafkaHandler } from '../kafka-handler.js'

const GROUP = 0
const TRANSACTION = 1
/** From here on a request names several keys. */
const FIRST_WITH_KEYS = 4

/** FindCoordinator 0–6: of groups and transactions it is this broker. */
export const findCoordinator: KafkaHandler<FindCoordinatorRequest, FindCoordinatorResponse> = {
  api: findCoordinatorApi,
  versions: [0, 6],
  handle({ key, keyType, coordinatorKeys }, call) {
    const errorCode = keyType === GROUP || keyType === TRANSACTION ? 0 : KAFKA_ERRORS.INVALID_REQUEST.wire
    if (call.version < FIRST_WITH_KEYS) return { ...coordinator(key, errorCode, call), coordinators: [] }
    return { coordinators: coordinatorKeys.map((each) => coordinator(each, errorCode, call)) }
  },
  failed: ({ key, coordinatorKeys }, errorCode, call) => ({
    ...coordinator(key, errorCode, call),
    coordinators: coordinatorKeys.map((each) => coordinator(each, errorCode, call)),
  }),
}

function coordinator(
  key: string,
  errorCode: number,
  { context, listener }: KafkaCall,
): FindCoordinatorResponseCoordinator {
  if (errorCode !== 0) return { key, errorCode, errorMessage: null, nodeId: -1, host: '', port: -1 }
  const { host, port } = listener
  return { key, errorCode, errorMessage: null, nodeId: context.logs.identity.nodeId, host, port }
}
