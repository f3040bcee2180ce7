import type { ApiSchema } from './schema.js'

/** No bit field: authorized operations were not asked for. */
const NO_OPERATIONS = -0x80000000

/**
 * All topics are asked for by null, in version 0 by an empty list. Topic ids come with 10, asking by them with 12; a
 * topic asked for by an unknown id has no name in the answer.
 */
export const metadata: ApiSchema = {
  key: 3,
  name: 'Metadata',
  versions: '0-12',
  flexible: '9+',
  request: [
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      nullable: '1+',
      fields: [
        { name: 'topicId', type: 'uuid', versions: '10+' },
        { name: 'name', type: 'string', versions: '0+', nullable: '10+' },
      ],
    },
    { name: 'allowAutoTopicCreation', type: 'bool', versions: '4+', default: true },
    { name: 'includeClusterAuthorizedOperations', type: 'bool', versions: '8-10' },
    { name: 'includeTopicAuthorizedOperations', type: 'bool', versions: '8+' },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '3+', default: 0 },
    {
      name: 'brokers',
      type: '[]Broker',
      versions: '0+',
      fields: [
        { name: 'nodeId', type: 'int32', versions: '0+' },
        { name: 'host', type: 'string', versions: '0+' },
        { name: 'port', type: 'int32', versions: '0+' },
        { name: 'rack', type: 'string', versions: '1+', nullable: '1+', default: null },
      ],
    },
    { name: 'clusterId', type: 'string', versions: '2+', nullable: '2+', default: null },
    { name: 'controllerId', type: 'int32', versions: '1+', default: -1 },
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'errorCode', type: 'int16', versions: '0+' },
        { name: 'name', type: 'string', versions: '0+', nullable: '12+' },
        { name: 'topicId', type: 'uuid', versions: '10+' },
        { name: 'isInternal', type: 'bool', versions: '1+', default: false },
        {
          name: 'partitions',
          type: '[]Partition',
          versions: '0+',
          fields: [
            { name: 'errorCode', type: 'int16', versions: '0+' },
            { name: 'partitionIndex', type: 'int32', versions: '0+' },
            { name: 'leaderId', type: 'int32', versions: '0+' },
            { name: 'leaderEpoch', type: 'int32', versions: '7+', default: -1 },
            { name: 'replicaNodes', type: '[]int32', versions: '0+' },
            { name: 'isrNodes', type: '[]int32', versions: '0+' },
            { name: 'offlineReplicas', type: '[]int32', versions: '5+' },
          ],
        },
        { name: 'topicAuthorizedOperations', type: 'int32', versions: '8+', default: NO_OPERATIONS },
      ],
    },
    { name: 'clusterAuthorizedOperations', type: 'int32', versions: '8-10', default: NO_OPERATIONS },
  ],
}
