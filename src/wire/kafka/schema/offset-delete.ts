import type { ApiSchema } from './schema.js'

export const offsetDelete: ApiSchema = {
  key: 47,
  name: 'OffsetDelete',
  versions: '0',
  flexible: 'none',
  request: [
    { name: 'groupId', type: 'string', versions: '0+' },
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
          fields: [{ name: 'partitionIndex', type: 'int32', versions: '0+' }],
        },
      ],
    },
  ],
  response: [
    { name: 'errorCode', type: 'int16', versions: '0+' },
    { name: 'throttleTimeMs', type: 'int32', versions: '0+', default: 0 },
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
