import type { ApiSchema } from './schema.js'

/** Below version 3 records have other formats. zstd needs 7; 11 may answer TRANSACTION_ABORTABLE. */
export const produce: ApiSchema = {
  key: 0,
  name: 'Produce',
  versions: '3-11',
  flexible: '9+',
  request: [
    { name: 'transactionalId', type: 'string', versions: '3+', nullable: '3+', default: null },
    { name: 'acks', type: 'int16', versions: '0+' },
    { name: 'timeoutMs', type: 'int32', versions: '0+' },
    {
      name: 'topicData',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'name', type: 'string', versions: '0+' },
        {
          name: 'partitionData',
          type: '[]Partition',
          versions: '0+',
          fields: [
            { name: 'index', type: 'int32', versions: '0+' },
            { name: 'records', type: 'records', versions: '0+', nullable: '0+' },
          ],
        },
      ],
    },
  ],
  response: [
    {
      name: 'responses',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'name', type: 'string', versions: '0+' },
        {
          name: 'partitionResponses',
          type: '[]Partition',
          versions: '0+',
          fields: [
            { name: 'index', type: 'int32', versions: '0+' },
            { name: 'errorCode', type: 'int16', versions: '0+' },
            { name: 'baseOffset', type: 'offset', versions: '0+' },
            { name: 'logAppendTimeMs', type: 'timestamp', versions: '2+', default: -1 },
            { name: 'logStartOffset', type: 'offset', versions: '5+', default: -1 },
            {
              name: 'recordErrors',
              type: '[]RecordError',
              versions: '8+',
              fields: [
                { name: 'batchIndex', type: 'int32', versions: '8+' },
                { name: 'batchIndexErrorMessage', type: 'string', versions: '8+', nullable: '8+', default: null },
              ],
            },
            { name: 'errorMessage', type: 'string', versions: '8+', nullable: '8+', default: null },
            {
              name: 'currentLeader',
              type: 'Leader',
              versions: '10+',
              tag: 0,
              tagged: '10+',
              fields: [
                { name: 'leaderId', type: 'int32', versions: '10+', default: -1 },
                { name: 'leaderEpoch', type: 'int32', versions: '10+', default: -1 },
              ],
            },
          ],
        },
      ],
    },
    { name: 'throttleTimeMs', type: 'int32', versions: '1+', default: 0 },
    {
      name: 'nodeEndpoints',
      type: '[]NodeEndpoint',
      versions: '10+',
      tag: 0,
      tagged: '10+',
      fields: [
        { name: 'nodeId', type: 'int32', versions: '10+' },
        { name: 'host', type: 'string', versions: '10+' },
        { name: 'port', type: 'int32', versions: '10+' },
        { name: 'rack', type: 'string', versions: '10+', nullable: '10+', default: null },
      ],
    },
  ],
}
