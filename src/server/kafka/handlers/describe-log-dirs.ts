import { statfs } from 'node:fs/promises'
import { METADATA_TOPIC } from '../../../topic/topic.js'
import {
  type DescribeLogDirsRequest,
  type DescribeLogDirsResponse,
  type DescribeLogDirsResponseTopic,
  describeLogDirsApi,
} from '../../../wire/kafka/generated/describe-log-dirs.js'
import { grouped } from '../grouped.js'
import type { KafkaContext, KafkaHandler } from '../kafka-handler.js'

/** DescribeLogDirs 0–4: the data directory, the bytes of the logs in it, and the room that its file system has. */
export const describeLogDirs: KafkaHandler<DescribeLogDirsRequest, DescribeLogDirsResponse> = {
  api: describeLogDirsApi,
  versions: [0, 4],
  async handle(request, { context }) {
    const { dataDirectory } = context.logs
    const { bsize, blocks, bavail } = await statfs(dataDirectory, { bigint: true })
    return {
      errorCode: 0,
      results: [
        {
          errorCode: 0,
          logDir: dataDirectory,
          topics: describe(request, context),
          totalBytes: bsize * blocks,
          usableBytes: bsize * bavail,
        },
      ],
    }
  },
  failed: (_, errorCode, { context }) => ({
    errorCode,
    results: [{ errorCode, logDir: context.logs.dataDirectory, topics: [] }],
  }),
}

/** What is not there is left out, as in Kafka. */
function describe({ topics }: DescribeLogDirsRequest, { logs }: KafkaContext): DescribeLogDirsResponseTopic[] {
  const wanted =
    topics &&
    new Map(
      [...grouped(topics, ({ topic }) => topic)].map(([name, asked]) => [
        name,
        new Set(asked.flatMap(({ partitions }) => partitions)),
      ]),
    )
  return logs
    .topics()
    .filter(({ name }) => (wanted === null ? name !== METADATA_TOPIC : wanted.has(name)))
    .map(({ name, partitions }) => ({
      name,
      partitions: partitions.flatMap((log, partitionIndex) => {
        if (log === null || wanted?.get(name)?.has(partitionIndex) === false) return []
        return [{ partitionIndex, partitionSize: BigInt(log.stats().bytes), offsetLag: 0, isFutureKey: false }]
      }),
    }))
}
