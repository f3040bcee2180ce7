import type { ApiSchema } from './schema.js'

/** Offset -1 in the request: up to the high watermark. */
export const deleteRecords: ApiSchema = {
  key: 21,
  name: 'DeleteRecords',
  versions: '0-2',
  flexible: '2+',
  request: [
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'name', type: 'string', versions: '0+' },
        {
          name: 'partitions',
          type: '[]Partition',
          versions: '0+',
          fields: [
            { name: 'partitionIndex', type: 'int32', versions: '0+' },
            { name: 'offset', type: 'offset', versions: '0+' },
          ],
        },
      ],
    },
    { name: 'timeoutMs', type: 'int32', versions: '0+' },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '0+', default: 0 },
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      fields: [
        { name: 'name', type: 'string', versions: '0+' },
        {
          name: 'partitions',
          type: '[]Partition',
          versions: '0+',
          fields: [
            { name: 'partitionIndex', type: 'int32', versions: '0+' },
            { name: 'lowWatermark', type: 'offset', versions: '0+' },
            { name: 'errorCode', type: 'int16', versions: '0+' },
          ],
        },
      ],
    },
  ],
}
