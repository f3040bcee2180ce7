import type { ApiSchema } from './schema.js'

export const listGroups: ApiSchema = {
  key: 16,
  name: 'ListGroups',
  versions: '0-5',
  flexible: '3+',
  request: [
    { name: 'statesFilter', type: '[]string', versions: '4+' },
    { name: 'typesFilter', type: '[]string', versions: '5+' },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '1+', default: 0 },
    { name: 'errorCode', type: 'int16', versions: '0+' },
    {
      name: 'groups',
      type: '[]Group',
      versions: '0+',
      fields: [
        { name: 'groupId', type: 'string', versions: '0+' },
        { name: 'protocolType', type: 'string', versions: '0+' },
        { name: 'groupState', type: 'string', versions: '4+' },
        { name: 'groupType', type: 'string', versions: '5+' },
      ],
    },
  ],
}
