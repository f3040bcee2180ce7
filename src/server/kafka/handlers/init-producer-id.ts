import { MyKafkaError } from '../../../errors.js'
import {
  type InitProducerIdRequest,
  type InitProducerIdResponse,
  initProducerIdApi,
} from '../../../wire/kafka/generated/init-producer-id.js'
import type { KafkaHandler } from '../kafka-handler.js'

const NO_EPOCH = -1

/** InitProducerId 0–5: an id that no producer had before, for idempotence. Transactions are not served. */
export const initProducerId: KafkaHandler<InitProducerIdRequest, InitProducerIdResponse> = {
  api: initProducerIdApi,
  versions: [0, 5],
  async handle({ transactionalId }, { context }) {
    if (transactionalId !== null) {
      throw new MyKafkaError('INVALID_REQUEST', `transactions are not supported: transactional.id ${transactionalId}`)
    }
    return { errorCode: 0, producerId: await context.producerIds.next(), producerEpoch: 0 }
  },
  failed: (_request, errorCode) => ({ errorCode, producerEpoch: NO_EPOCH }),
}
