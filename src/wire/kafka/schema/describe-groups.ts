import type { ApiSchema } from './schema.js'

export const describeGroups: ApiSchema = {
  key: 15,
  name: 'DescribeGroups',
  versions: '0-5',
  flexible: '5+',
  request: [
    { name: 'groups', type: '[]string', versions: '0+' },
    { name: 'includeAuthorizedOperations', type: 'bool', versions: '3+' },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '1+', default: 0 },
    {
      name: 'groups',
      type: '[]Group',
      versions: '0+',
      fields: [
        { name: 'errorCode', type: 'int16', versions: '0+' },
        { name: 'groupId', type: 'string', versions: '0+' },
        { name: 'groupState', type: 'string', versions: '0+' },
        { name: 'protocolType', type: 'string', versions: '0+' },
        { name: 'protocolData', type: 'string', versions: '0+' },
        {
          name: 'members',
          type: '[]Member',
          versions: '0+',
          fields: [
            { name: 'memberId', type: 'string', versions: '0+' },
            { name: 'groupInstanceId', type: 'string', versions: '4+', nullable: '4+', default: null },
            { name: 'clientId', type: 'string', versions: '0+' },
            { name: 'clientHost', type: 'string', versions: '0+' },
            { name: 'memberMetadata', type: 'bytes', versions: '0+' },
            { name: 'memberAssignment', type: 'bytes', versions: '0+' },
          ],
        },
        // The lowest int32: not asked for, or not known.
        { name: 'authorizedOperations', type: 'int32', versions: '3+', default: -2147483648 },
      ],
    },
  ],
}
