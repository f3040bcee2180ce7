import type { ApiSchema } from './schema.js'

export const joinGroup: ApiSchema = {
  key: 11,
  name: 'JoinGroup',
  versions: '0-9',
  flexible: '6+',
  request: [
    { name: 'groupId', type: 'string', versions: '0+' },
    { name: 'sessionTimeoutMs', type: 'int32', versions: '0+' },
    { name: 'rebalanceTimeoutMs', type: 'int32', versions: '1+', default: -1 },
    { name: 'memberId', type: 'string', versions: '0+' },
    { name: 'groupInstanceId', type: 'string', versions: '5+', nullable: '5+', default: null },
    { name: 'protocolType', type: 'string', versions: '0+' },
    {
      name: 'protocols',
      type: '[]Protocol',
      versions: '0+',
      fields: [
        { name: 'name', type: 'string', versions: '0+' },
        { name: 'metadata', type: 'bytes', versions: '0+' },
      ],
    },
    { name: 'reason', type: 'string', versions: '8+', nullable: '8+', default: null },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '2+', default: 0 },
    { name: 'errorCode', type: 'int16', versions: '0+' },
    { name: 'generationId', type: 'int32', versions: '0+', default: -1 },
    { name: 'protocolType', type: 'string', versions: '7+', nullable: '7+', default: null },
    // Before version 7 there is no null: an error is answered with the empty name.
    { name: 'protocolName', type: 'string', versions: '0+', nullable: '7+' },
    { name: 'leader', type: 'string', versions: '0+' },
    { name: 'skipAssignment', type: 'bool', versions: '9+', default: false },
    { name: 'memberId', type: 'string', versions: '0+' },
    {
      name: 'members',
      type: '[]Member',
      versions: '0+',
      fields: [
        { name: 'memberId', type: 'string', versions: '0+' },
        { name: 'groupInstanceId', type: 'string', versions: '5+', nullable: '5+', default: null },
        { name: 'metadata', type: 'bytes', versions: '0+' },
      ],
    },
  ],
}
