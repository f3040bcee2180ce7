import type { ApiSchema, FieldSchema } from './schema.js'

/** From version 13 on a topic is said by its id. */
const TOPIC: readonly FieldSchema[] = [
  { name: 'topic', type: 'string', versions: '0-12', default: '' },
  { name: 'topicId', type: 'uuid', versions: '13+' },
]

/** Below version 4 records have other formats. Sessions come with 7, zstd with 10, topic ids instead of names with 13. */
export const fetch: ApiSchema = {
  key: 1,
  name: 'Fetch',
  versions: '4-17',
  flexible: '12+',
  request: [
    { name: 'clusterId', type: 'string', versions: '12+', nullable: '12+', default: null, tag: 0, tagged: '12+' },
    { name: 'replicaId', type: 'int32', versions: '0-14', default: -1 },
    {
      name: 'replicaState',
      type: 'ReplicaState',
      versions: '15+',
      tag: 1,
      tagged: '15+',
      fields: [
        { name: 'replicaId', type: 'int32', versions: '15+', default: -1 },
        { name: 'replicaEpoch', type: 'int64', versions: '15+', default: -1n },
      ],
    },
    { name: 'maxWaitMs', type: 'int32', versions: '0+' },
    { name: 'minBytes', type: 'int32', versions: '0+' },
    { name: 'maxBytes', type: 'int32', versions: '3+', default: 0x7fffffff },
    { name: 'isolationLevel', type: 'int8', versions: '4+', default: 0 },
    { name: 'sessionId', type: 'int32', versions: '7+', default: 0 },
    { name: 'sessionEpoch', type: 'int32', versions: '7+', default: -1 },
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      fields: [
        ...TOPIC,
        {
          name: 'partitions',
          type: '[]Partition',
          versions: '0+',
          fields: [
            { name: 'partition', type: 'int32', versions: '0+' },
            { name: 'currentLeaderEpoch', type: 'int32', versions: '9+', default: -1 },
            { name: 'fetchOffset', type: 'offset', versions: '0+' },
            { name: 'lastFetchedEpoch', type: 'int32', versions: '12+', default: -1 },
            { name: 'logStartOffset', type: 'offset', versions: '5+', default: -1 },
            { name: 'partitionMaxBytes', type: 'int32', versions: '0+' },
            { name: 'replicaDirectoryId', type: 'uuid', versions: '17+', tag: 0, tagged: '17+' },
          ],
        },
      ],
    },
    {
      name: 'forgottenTopicsData',
      type: '[]ForgottenTopic',
      versions: '7+',
      fields: [...TOPIC, { name: 'partitions', type: '[]int32', versions: '7+' }],
    },
    { name: 'rackId', type: 'string', versions: '11+', default: '' },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '1+', default: 0 },
    { name: 'errorCode', type: 'int16', versions: '7+', default: 0 },
    { name: 'sessionId', type: 'int32', versions: '7+', default: 0 },
    {
      name: 'responses',
      type: '[]Topic',
      versions: '0+',
      fields: [
        ...TOPIC,
        {
          name: 'partitions',
          type: '[]Partition',
          versions: '0+',
          fields: [
            { name: 'partitionIndex', type: 'int32', versions: '0+' },
            { name: 'errorCode', type: 'int16', versions: '0+' },
            { name: 'highWatermark', type: 'offset', versions: '0+' },
            { name: 'lastStableOffset', type: 'offset', versions: '4+', default: -1 },
            { name: 'logStartOffset', type: 'offset', versions: '5+', default: -1 },
            {
              name: 'divergingEpoch',
              type: 'EpochEndOffset',
              versions: '12+',
              tag: 0,
              tagged: '12+',
              fields: [
                { name: 'epoch', type: 'int32', versions: '12+', default: -1 },
                { name: 'endOffset', type: 'offset', versions: '12+', default: -1 },
              ],
            },
            {
              name: 'currentLeader',
              type: 'Leader',
              versions: '12+',
              tag: 1,
              tagged: '12+',
              fields: [
                { name: 'leaderId', type: 'int32', versions: '12+', default: -1 },
                { name: 'leaderEpoch', type: 'int32', versions: '12+', default: -1 },
              ],
            },
            {
              name: 'snapshotId',
              type: 'SnapshotId',
              versions: '12+',
              tag: 2,
              tagged: '12+',
              fields: [
                { name: 'endOffset', type: 'offset', versions: '0+', default: -1 },
                { name: 'epoch', type: 'int32', versions: '0+', default: -1 },
              ],
            },
            {
              name: 'abortedTransactions',
              type: '[]AbortedTransaction',
              versions: '4+',
              nullable: '4+',
              default: null,
              fields: [
                { name: 'producerId', type: 'producerId', versions: '4+' },
                { name: 'firstOffset', type: 'offset', versions: '4+' },
              ],
            },
            { name: 'preferredReadReplica', type: 'int32', versions: '11+', default: -1 },
            { name: 'records', type: 'records', versions: '0+', nullable: '0+' },
          ],
        },
      ],
    },
    {
      name: 'nodeEndpoints',
      type: '[]NodeEndpoint',
      versions: '16+',
      tag: 0,
      tagged: '16+',
      fields: [
        { name: 'nodeId', type: 'int32', versions: '16+' },
        { name: 'host', type: 'string', versions: '16+' },
        { name: 'port', type: 'int32', versions: '16+' },
        { name: 'rack', type: 'string', versions: '16+', nullable: '16+', default: null },
      ],
    },
  ],
}
