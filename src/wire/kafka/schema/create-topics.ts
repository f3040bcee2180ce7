import type { ApiSchema } from './schema.js'

export const createTopics: ApiSchema = {
  key: 19,
  name: 'CreateTopics',
  versions: '0-7',
  flexible: '5+',
  request: [
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'name', type: 'string', versions: '0+' },
        { name: 'numPartitions', type: 'int32', versions: '0+' },
        { name: 'replicationFactor', type: 'int16', versions: '0+' },
        {
          name: 'assignments',
          type: '[]Assignment',
          versions: '0+',
          fields: [
            { name: 'partitionIndex', type: 'int32', versions: '0+' },
            { name: 'brokerIds', type: '[]int32', versions: '0+' },
          ],
        },
        {
          name: 'configs',
          type: '[]Config',
          versions: '0+',
          fields: [
            { name: 'name', type: 'string', versions: '0+' },
            { name: 'value', type: 'string', versions: '0+', nullable: '0+' },
          ],
        },
      ],
    },
    { name: 'timeoutMs', type: 'int32', versions: '0+', default: 60000 },
    { name: 'validateOnly', type: 'bool', versions: '1+', default: false },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '2+', default: 0 },
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'name', type: 'string', versions: '0+' },
        { name: 'topicId', type: 'uuid', versions: '7+' },
        { name: 'errorCode', type: 'int16', versions: '0+' },
        { name: 'errorMessage', type: 'string', versions: '1+', nullable: '1+' },
        // Why the configs are null where the topic itself has no error.
        { name: 'topicConfigErrorCode', type: 'int16', versions: '5+', tag: 0, tagged: '5+', default: 0 },
        { name: 'numPartitions', type: 'int32', versions: '5+', default: -1 },
        { name: 'replicationFactor', type: 'int16', versions: '5+', default: -1 },
        {
          name: 'configs',
          type: '[]Config',
          versions: '5+',
          nullable: '5+',
          fields: [
            { name: 'name', type: 'string', versions: '5+' },
            { name: 'value', type: 'string', versions: '5+', nullable: '5+' },
            { name: 'readOnly', type: 'bool', versions: '5+' },
            { name: 'configSource', type: 'int8', versions: '5+', default: -1 },
            { name: 'isSensitive', type: 'bool', versions: '5+' },
          ],
        },
      ],
    },
  ],
}
