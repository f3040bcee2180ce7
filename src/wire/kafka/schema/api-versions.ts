import type { ApiSchema } from './schema.js'

/** Version 4 differs in what it may say only: features whose smallest version is 0. */
export const apiVersions: ApiSchema = {
  key: 18,
  name: 'ApiVersions',
  versions: '0-4',
  flexible: '3+',
  request: [
    { name: 'clientSoftwareName', type: 'string', versions: '3+' },
    { name: 'clientSoftwareVersion', type: 'string', versions: '3+' },
  ],
  response: [
    { name: 'errorCode', type: 'int16', versions: '0+' },
    {
      name: 'apiKeys',
      type: '[]ApiVersion',
      versions: '0+',
      fields: [
        { name: 'apiKey', type: 'int16', versions: '0+' },
        { name: 'minVersion', type: 'int16', versions: '0+' },
        { name: 'maxVersion', type: 'int16', versions: '0+' },
      ],
    },
    { name: 'throttleTimeMs', type: 'int32', versions: '1+', default: 0 },
    {
      name: 'supportedFeatures',
      type: '[]SupportedFeature',
      versions: '3+',
      tag: 0,
      tagged: '3+',
      fields: [
        { name: 'name', type: 'string', versions: '3+' },
        { name: 'minVersion', type: 'int16', versions: '3+' },
        { name: 'maxVersion', type: 'int16', versions: '3+' },
      ],
    },
    { name: 'finalizedFeaturesEpoch', type: 'int64', versions: '3+', default: -1n, tag: 1, tagged: '3+' },
    {
      name: 'finalizedFeatures',
      type: '[]FinalizedFeature',
      versions: '3+',
      tag: 2,
      tagged: '3+',
      fields: [
        { name: 'name', type: 'string', versions: '3+' },
        { name: 'maxVersionLevel', type: 'int16', versions: '3+' },
        { name: 'minVersionLevel', type: 'int16', versions: '3+' },
      ],
    },
    { name: 'zkMigrationReady', type: 'bool', versions: '3+', default: false, tag: 3, tagged: '3+' },
  ],
}
