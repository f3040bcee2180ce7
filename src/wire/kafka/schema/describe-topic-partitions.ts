import type { ApiSchema } from './schema.js'

/** A cursor says where the next page begins; null: at the first topic, or that there is no next page. */
export const describeTopicPartitions: ApiSchema = {
  key: 75,
  name: 'DescribeTopicPartitions',
  versions: '0',
  flexible: '0+',
  request: [
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      fields: [{ name: 'name', type: 'string', versions: '0+' }],
    },
    { name: 'responsePartitionLimit', type: 'int32', versions: '0+', default: 2000 },
    {
      name: 'cursor',
      type: 'Cursor',
      versions: '0+',
      nullable: '0+',
      default: null,
      fields: [
        { name: 'topicName', type: 'string', versions: '0+' },
        { name: 'partitionIndex', type: 'int32', versions: '0+' },
      ],
    },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '0+', default: 0 },
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'errorCode', type: 'int16', versions: '0+' },
        { name: 'name', type: 'string', versions: '0+', nullable: '0+' },
        { name: 'topicId', type: 'uuid', versions: '0+' },
        { name: 'isInternal', type: 'bool', versions: '0+', default: false },
        {
          name: 'partitions',
          type: '[]Partition',
          versions: '0+',
          fields: [
            { name: 'errorCode', type: 'int16', versions: '0+' },
            { name: 'partitionIndex', type: 'int32', versions: '0+' },
            { name: 'leaderId', type: 'int32', versions: '0+' },
            { name: 'leaderEpoch', type: 'int32', versions: '0+', default: -1 },
            { name: 'replicaNodes', type: '[]int32', versions: '0+' },
            { name: 'isrNodes', type: '[]int32', versions: '0+' },
            { name: 'eligibleLeaderReplicas', type: '[]int32', versions: '0+', nullable: '0+', default: null },
            { name: 'lastKnownElr', type: '[]int32', versions: '0+', nullable: '0+', default: null },
            { name: 'offlineReplicas', type: '[]int32', versions: '0+' },
          ],
        },
        { name: 'topicAuthorizedOperations', type: 'int32', versions: '0+', default: -2147483648 },
      ],
    },
    {
      name: 'nextCursor',
      type: 'Cursor',
      versions: '0+',
      nullable: '0+',
      default: null,
      fields: [
        { name: 'topicName', type: 'string', versions: '0+' },
        { name: 'partitionIndex', type: 'int32', versions: '0+' },
      ],
    },
  ],
}
