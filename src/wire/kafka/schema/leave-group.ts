import type { ApiSchema } from './schema.js'

/** Up to version 2 one member leaves, named by `memberId`; from version 3 on `members` do. */
export const leaveGroup: ApiSchema = {
  key: 13,
  name: 'LeaveGroup',
  versions: '0-5',
  flexible: '4+',
  request: [
    { name: 'groupId', type: 'string', versions: '0+' },
    { name: 'memberId', type: 'string', versions: '0-2' },
    {
      name: 'members',
      type: '[]Member',
      versions: '3+',
      fields: [
        { name: 'memberId', type: 'string', versions: '3+' },
        { name: 'groupInstanceId', type: 'string', versions: '3+', nullable: '3+', default: null },
        { name: 'reason', type: 'string', versions: '5+', nullable: '5+', default: null },
      ],
    },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '1+', default: 0 },
    { name: 'errorCode', type: 'int16', versions: '0+' },
    {
      name: 'members',
      type: '[]Member',
      versions: '3+',
      fields: [
        { name: 'memberId', type: 'string', versions: '3+' },
        { name: 'groupInstanceId', type: 'string', versions: '3+', nullable: '3+' },
        { name: 'errorCode', type: 'int16', versions: '3+' },
      ],
    },
  ],
}
