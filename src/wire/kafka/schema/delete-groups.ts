import type { ApiSchema } from './schema.js'

export const deleteGroups: ApiSchema = {
  key: 42,
  name: 'DeleteGroups',
  versions: '0-2',
  flexible: '2+',
  request: [{ name: 'groupsNames', type: '[]string', versions: '0+' }],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '0+', default: 0 },
    {
      name: 'results',
      type: '[]Result',
      versions: '0+',
      fields: [
        { name: 'groupId', type: 'string', versions: '0+' },
        { name: 'errorCode', type: 'int16', versions: '0+' },
      ],
    },
  ],
}
