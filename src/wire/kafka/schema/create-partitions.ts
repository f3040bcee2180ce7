import type { ApiSchema } from './schema.js'

export const createPartitions: ApiSchema = {
  key: 37,
  name: 'CreatePartitions',
  versions: '0-3',
  flexible: '2+',
  request: [
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'name', type: 'string', versions: '0+' },
        { name: 'count', type: 'int32', versions: '0+' },
        {
          name: 'assignments',
          type: '[]Assignment',
          versions: '0+',
          nullable: '0+',
          fields: [{ name: 'brokerIds', type: '[]int32', versions: '0+' }],
        },
      ],
    },
    { name: 'timeoutMs', type: 'int32', versions: '0+' },
    { name: 'validateOnly', type: 'bool', versions: '0+' },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '0+', default: 0 },
    {
      name: 'results',
      type: '[]Result',
      versions: '0+',
      fields: [
        { name: 'name', type: 'string', versions: '0+' },
        { name: 'errorCode', type: 'int16', versions: '0+' },
        { name: 'errorMessage', type: 'string', versions: '0+', nullable: '0+', default: null },
      ],
    },
  ],
}
