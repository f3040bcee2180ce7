import type { ApiSchema } from './schema.js'

/** Up to version 7 one group is asked for (`groupId`, `topics`), from version 8 on `groups` are. Topics null: all. */
export const offsetFetch: ApiSchema = {
  key: 9,
  name: 'OffsetFetch',
  versions: '1-9',
  flexible: '6+',
  request: [
    { name: 'groupId', type: 'string', versions: '0-7' },
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0-7',
      nullable: '2-7',
      fields: [
        { name: 'name', type: 'string', versions: '0-7' },
        { name: 'partitionIndexes', type: '[]int32', versions: '0-7' },
      ],
    },
    {
      name: 'groups',
      type: '[]Group',
      versions: '8+',
      fields: [
        { name: 'groupId', type: 'string', versions: '8+' },
        { name: 'memberId', type: 'string', versions: '9+', nullable: '9+', default: null },
        { name: 'memberEpoch', type: 'int32', versions: '9+', default: -1 },
        {
          name: 'topics',
          type: '[]GroupTopic',
          versions: '8+',
          nullable: '8+',
          fields: [
            { name: 'name', type: 'string', versions: '8+' },
            { name: 'partitionIndexes', type: '[]int32', versions: '8+' },
          ],
        },
      ],
    },
    { name: 'requireStable', type: 'bool', versions: '7+', default: false },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '3+', default: 0 },
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0-7',
      fields: [
        { name: 'name', type: 'string', versions: '0-7' },
        {
          name: 'partitions',
          type: '[]Partition',
          versions: '0-7',
          fields: [
            { name: 'partitionIndex', type: 'int32', versions: '0-7' },
            { name: 'committedOffset', type: 'offset', versions: '0-7' },
            { name: 'committedLeaderEpoch', type: 'int32', versions: '5-7', default: -1 },
            { name: 'metadata', type: 'string', versions: '0-7', nullable: '0-7' },
            { name: 'errorCode', type: 'int16', versions: '0-7' },
          ],
        },
      ],
    },
    { name: 'errorCode', type: 'int16', versions: '2-7', default: 0 },
    {
      name: 'groups',
      type: '[]Group',
      versions: '8+',
      fields: [
        { name: 'groupId', type: 'string', versions: '8+' },
        {
          name: 'topics',
          type: '[]GroupTopic',
          versions: '8+',
          fields: [
            { name: 'name', type: 'string', versions: '8+' },
            {
              name: 'partitions',
              type: '[]GroupPartition',
              versions: '8+',
              fields: [
                { name: 'partitionIndex', type: 'int32', versions: '8+' },
                { name: 'committedOffset', type: 'offset', versions: '8+' },
                { name: 'committedLeaderEpoch', type: 'int32', versions: '8+', default: -1 },
                { name: 'metadata', type: 'string', versions: '8+', nullable: '8+' },
                { name: 'errorCode', type: 'int16', versions: '8+' },
              ],
            },
          ],
        },
        { name: 'errorCode', type: 'int16', versions: '8+', default: 0 },
      ],
    },
  ],
}
