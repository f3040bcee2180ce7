import type { ApiSchema } from './schema.js'

export const offsetCommit: ApiSchema = {
  key: 8,
  name: 'OffsetCommit',
  versions: '2-9',
  flexible: '8+',
  request: [
    { name: 'groupId', type: 'string', versions: '0+' },
    { name: 'generationIdOrMemberEpoch', type: 'int32', versions: '1+', default: -1 },
    { name: 'memberId', type: 'string', versions: '1+' },
    { name: 'groupInstanceId', type: 'string', versions: '7+', nullable: '7+', default: null },
    { name: 'retentionTimeMs', type: 'int64', versions: '2-4', default: -1n },
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
            { name: 'committedOffset', type: 'offset', versions: '0+' },
            { name: 'committedLeaderEpoch', type: 'int32', versions: '6+', default: -1 },
            { name: 'committedMetadata', type: 'string', versions: '0+', nullable: '0+' },
          ],
        },
      ],
    },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '3+', default: 0 },
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
          ],
        },
      ],
    },
  ],
}
