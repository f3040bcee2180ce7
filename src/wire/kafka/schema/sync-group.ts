import type { ApiSchema } from './schema.js'

export const syncGroup: ApiSchema = {
  key: 14,
  name: 'SyncGroup',
  versions: '0-5',
  flexible: '4+',
  request: [
    { name: 'groupId', type: 'string', versions: '0+' },
    { name: 'generationId', type: 'int32', versions: '0+' },
    { name: 'memberId', type: 'string', versions: '0+' },
    { name: 'groupInstanceId', type: 'string', versions: '3+', nullable: '3+', default: null },
    { name: 'protocolType', type: 'string', versions: '5+', nullable: '5+', default: null },
    { name: 'protocolName', type: 'string', versions: '5+', nullable: '5+', default: null },
    {
      name: 'assignments',
      type: '[]Assignment',
      versions: '0+',
      fields: [
        { name: 'memberId', type: 'string', versions: '0+' },
        { name: 'assignment', type: 'bytes', versions: '0+' },
      ],
    },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '1+', default: 0 },
    { name: 'errorCode', type: 'int16', versions: '0+' },
    { name: 'protocolType', type: 'string', versions: '5+', nullable: '5+', default: null },
    { name: 'protocolName', type: 'string', versions: '5+', nullable: '5+', default: null },
    { name: 'assignment', type: 'bytes', versions: '0+' },
  ],
}
