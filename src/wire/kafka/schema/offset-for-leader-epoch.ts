import type { ApiSchema } from './schema.js'

/** The replica id -2 is that of a consumer that may see what lies above the high watermark. */
export const offsetForLeaderEpoch: ApiSchema = {
  key: 23,
  name: 'OffsetForLeaderEpoch',
  versions: '2-4',
  flexible: '4+',
  request: [
    { name: 'replicaId', type: 'int32', versions: '3+', default: -2 },
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'topic', type: 'string', versions: '0+' },
        {
          name: 'partitions',
          type: '[]Partition',
          versions: '0+',
          fields: [
            { name: 'partition', type: 'int32', versions: '0+' },
            { name: 'currentLeaderEpoch', type: 'int32', versions: '2+', default: -1 },
            { name: 'leaderEpoch', type: 'int32', versions: '0+' },
          ],
        },
      ],
    },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '2+', default: 0 },
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'topic', type: 'string', versions: '0+' },
        {
          name: 'partitions',
          type: '[]Partition',
          versions: '0+',
          fields: [
            { name: 'errorCode', type: 'int16', versions: '0+' },
            { name: 'partition', type: 'int32', versions: '0+' },
            { name: 'leaderEpoch', type: 'int32', versions: '1+', default: -1 },
            { name: 'endOffset', type: 'offset', versions: '0+', default: -1 },
          ],
        },
      ],
    },
  ],
}
