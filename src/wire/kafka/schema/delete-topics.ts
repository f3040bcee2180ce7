import type { ApiSchema } from './schema.js'

/** Up to version 5 topics are named (`topicNames`); from version 6 on by name or, where that is null, by id. */
export const deleteTopics: ApiSchema = {
  key: 20,
  name: 'DeleteTopics',
  versions: '0-6',
  flexible: '4+',
  request: [
    {
      name: 'topics',
      type: '[]Topic',
      versions: '6+',
      fields: [
        { name: 'name', type: 'string', versions: '6+', nullable: '6+', default: null },
        { name: 'topicId', type: 'uuid', versions: '6+' },
      ],
    },
    { name: 'topicNames', type: '[]string', versions: '0-5' },
    { name: 'timeoutMs', type: 'int32', versions: '0+' },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '1+', default: 0 },
    {
      name: 'responses',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'name', type: 'string', versions: '0+', nullable: '6+' },
        { name: 'topicId', type: 'uuid', versions: '6+' },
        { name: 'errorCode', type: 'int16', versions: '0+' },
        { name: 'errorMessage', type: 'string', versions: '5+', nullable: '5+', default: null },
      ],
    },
  ],
}
