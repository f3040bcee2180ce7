import type { ApiSchema } from './schema.js'

export const describeLogDirs: ApiSchema = {
  key: 35,
  name: 'DescribeLogDirs',
  versions: '0-4',
  flexible: '2+',
  request: [
    {
      name: 'topics',
      type: '[]Topic',
      versions: '0+',
      // Null: all topics.
      nullable: '0+',
      fields: [
        { name: 'topic', type: 'string', versions: '0+' },
        { name: 'partitions', type: '[]int32', versions: '0+' },
      ],
    },
  ],
  response: [
    { name: 'throttleTimeMs', type: 'int32', versions: '0+', default: 0 },
    { name: 'errorCode', type: 'int16', versions: '3+' },
    {
      name: 'results',
      type: '[]Result',
      versions: '0+',
      fields: [
        { name: 'errorCode', type: 'int16', versions: '0+' },
        { name: 'logDir', type: 'string', versions: '0+' },
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
                { name: 'partitionSize', type: 'int64', versions: '0+' },
                { name: 'offsetLag', type: 'offset', versions: '0+' },
                { name: 'isFutureKey', type: 'bool', versions: '0+' },
              ],
            },
          ],
        },
        { name: 'totalBytes', type: 'int64', versions: '4+', default: -1n },
        { name: 'usableBytes', type: 'int64', versions: '4+', default: -1n },
      ],
    },
  ],
}
