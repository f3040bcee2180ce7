import type { ApiSchema } from './schema.js'

/** Config operations: 0 set, 1 delete, 2 append, 3 subtract. */
export const incrementalAlterConfigs: ApiSchema = {
  key: 44,
  name: 'IncrementalAlterConfigs',
  versions: '0-1',
  flexible: '1+',
  request: [
    {
      name: 'resources',
      type: '[]Resource',
      versions: '0+',
      fields: [
        { name: 'resourceType', type: 'int8', versions: '0+' },
        { name: 'resourceName', type: 'string', versions: '0+' },
        {
          name: 'configs',
          type: '[]Config',
          versions: '0+',
          fields: [
            { name: 'name', type: 'string', versions: '0+' },
            { name: 'configOperation', type: 'int8', versions: '0+' },
            { name: 'value', type: 'string', versions: '0+', nullable: '0+' },
          ],
        },
      ],
    },
    { name: 'validateOnly', type: 'bool', versions: '0+' },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '0+', default: 0 },
    {
      name: 'responses',
      type: '[]Resource',
      versions: '0+',
      fields: [
        { name: 'errorCode', type: 'int16', versions: '0+' },
        { name: 'errorMessage', type: 'string', versions: '0+', nullable: '0+' },
        { name: 'resourceType', type: 'int8', versions: '0+' },
        { name: 'resourceName', type: 'string', versions: '0+' },
      ],
    },
  ],
}
