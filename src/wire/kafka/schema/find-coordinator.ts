import type { ApiSchema } from './schema.js'

/** Version 4 asks for several keys at once; 6 brings the key type of share groups. */
export const findCoordinator: ApiSchema = {
  key: 10,
  name: 'FindCoordinator',
  versions: '0-6',
  flexible: '3+',
  request: [
    { name: 'key', type: 'string', versions: '0-3' },
    { name: 'keyType', type: 'int8', versions: '1+', default: 0 },
    { name: 'coordinatorKeys', type: '[]string', versions: '4+' },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '1+', default: 0 },
    { name: 'errorCode', type: 'int16', versions: '0-3', default: 0 },
    { name: 'errorMessage', type: 'string', versions: '1-3', nullable: '1-3', default: null },
    { name: 'nodeId', type: 'int32', versions: '0-3', default: 0 },
    { name: 'host', type: 'string', versions: '0-3', default: '' },
    { name: 'port', type: 'int32', versions: '0-3', default: 0 },
    {
      name: 'coordinators',
      type: '[]Coordinator',
      versions: '4+',
      fields: [
        { name: 'key', type: 'string', versions: '4+' },
        { name: 'nodeId', type: 'int32', versions: '4+' },
        { name: 'host', type: 'string', versions: '4+' },
        { name: 'port', type: 'int32', versions: '4+' },
        { name: 'errorCode', type: 'int16', versions: '4+' },
        { name: 'errorMessage', type: 'string', versions: '4+', nullable: '4+', default: null },
      ],
    },
  ],
}
