import type { ApiSchema } from './schema.js'

/** A timestamp below 0 is a question of its own: -1 latest, -2 earliest, -3 (from version 7) the largest timestamp. */
export const listOffsets: ApiSchema = {
  key: 2,
  name: 'ListOffsets',
  versions: '1-9',
  flexible: '6+',
  request: [
    { name: 'replicaId', type: 'int32', versions: '0+' },
    { name: 'isolationLevel', type: 'int8', versions: '2+' },
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'name', type: 'string', versions: '0+' },
        {
          name: 'partitions',
          type: '[]Partition',
          versions: '0+',
          fields: [
            { name: 'partitionIndex', type: 'int32', versions: '0+' },
            { name: 'currentLeaderEpoch', type: 'int32', versions: '4+', default: -1 },
            { name: 'timestamp', type: 'timestamp', versions: '0+' },
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
        { name: 'name', type: 'string', versions: '0+' },
        {
          name: 'partitions',
          type: '[]Partition',
          versions: '0+',
          fields: [
            { name: 'partitionIndex', type: 'int32', versions: '0+' },
            { name: 'errorCode', type: 'int16', versions: '0+' },
            { name: 'timestamp', type: 'timestamp', versions: '1+', default: -1 },
            { name: 'offset', type: 'offset', versions: '1+', default: -1 },
            { name: 'leaderEpoch', type: 'int32', versions: '4+', default: -1 },
          ],
        },
      ],
    },
  ],
}
