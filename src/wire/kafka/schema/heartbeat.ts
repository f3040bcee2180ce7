import type { ApiSchema } from './schema.js'

export const heartbeat: ApiSchema = {
  key: 12,
  name: 'Heartbeat',
  versions: '0-4',
  flexible: '4+',
  request: [
    { name: 'groupId', type: 'string', versions: '0+' },
    { name: 'generationId', type: 'int32', versions: '0+' },
    { name: 'memberId', type: 'string', versions: '0+' },
    { name: 'groupInstanceId', type: 'string', versions: '3+', nullable: '3+', default: null },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '1+', default: 0 },
    { name: 'errorCode', type: 'int16', versions: '0+' },
  ],
}
