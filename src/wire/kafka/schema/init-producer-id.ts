import type { ApiSchema } from './schema.js'

/** With version 3 a producer may ask for the next epoch of the id that it has. */
export const initProducerId: ApiSchema = {
  key: 22,
  name: 'InitProducerId',
  versions: '0-5',
  flexible: '2+',
  request: [
    { name: 'transactionalId', type: 'string', versions: '0+', nullable: '0+' },
    { name: 'transactionTimeoutMs', type: 'int32', versions: '0+' },
    { name: 'producerId', type: 'producerId', versions: '3+', default: -1 },
    { name: 'producerEpoch', type: 'int16', versions: '3+', default: -1 },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '0+', default: 0 },
    { name: 'errorCode', type: 'int16', versions: '0+' },
    { name: 'producerId', type: 'producerId', versions: '0+', default: -1 },
    { name: 'producerEpoch', type: 'int16', versions: '0+' },
  ],
}
