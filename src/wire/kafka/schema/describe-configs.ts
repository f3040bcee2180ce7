import type { ApiSchema } from './schema.js'

/** Version 0 says whether a value is the default, later ones where it comes from. */
export const describeConfigs: ApiSchema = {
  key: 32,
  name: 'DescribeConfigs',
  versions: '0-4',
  flexible: '4+',
  request: [
    {
      name: 'resources',
      type: '[]Resource',
      versions: '0+',
      fields: [
        { name: 'resourceType', type: 'int8', versions: '0+' },
        { name: 'resourceName', type: 'string', versions: '0+' },
        // Null: all of them.
        { name: 'configurationKeys', type: '[]string', versions: '0+', nullable: '0+' },
      ],
    },
    { name: 'includeSynonyms', type: 'bool', versions: '1+', default: false },
    { name: 'includeDocumentation', type: 'bool', versions: '3+', default: false },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '0+', default: 0 },
    {
      name: 'results',
      type: '[]Result',
      versions: '0+',
      fields: [
        { name: 'errorCode', type: 'int16', versions: '0+' },
        { name: 'errorMessage', type: 'string', versions: '0+', nullable: '0+' },
        { name: 'resourceType', type: 'int8', versions: '0+' },
        { name: 'resourceName', type: 'string', versions: '0+' },
        {
          name: 'configs',
          type: '[]Config',
          versions: '0+',
          fields: [
            { name: 'name', type: 'string', versions: '0+' },
            { name: 'value', type: 'string', versions: '0+', nullable: '0+' },
            { name: 'readOnly', type: 'bool', versions: '0+' },
            { name: 'isDefault', type: 'bool', versions: '0' },
            { name: 'configSource', type: 'int8', versions: '1+', default: -1 },
            { name: 'isSensitive', type: 'bool', versions: '0+' },
            {
              name: 'synonyms',
              type: '[]Synonym',
              versions: '1+',
              fields: [
                { name: 'name', type: 'string', versions: '1+' },
                { name: 'value', type: 'string', versions: '1+', nullable: '1+' },
                { name: 'source', type: 'int8', versions: '1+' },
              ],
            },
            { name: 'configType', type: 'int8', versions: '3+', default: 0 },
            { name: 'documentation', type: 'string', versions: '3+', nullable: '3+' },
          ],
        },
      ],
    },
  ],
}
