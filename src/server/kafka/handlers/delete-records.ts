import {
  type DeleteRecordsRequest,
  type DeleteRecordsRequestPartition,
  type DeleteRecordsResponse,
  type DeleteRecordsResponsePartition,
  deleteRecordsApi,
} from '../../../wire/kafka/generated/delete-records.js'
import type { KafkaContext, KafkaHandler } from '../kafka-handler.js'

const NO_OFFSET = -1

/** DeleteRecords 0–2: what lies below an offset; -1 is the high watermark. The answer is the log start offset. */
export const deleteRecords: KafkaHandler<DeleteRecordsRequest, DeleteRecordsResponse> = {
  api: deleteRecordsApi,
  versions: [0, 2],
  async handle({ topics }, { context }) {
    const responses = topics.map(async ({ name, partitions }) => ({
      name,
      partitions: await Promise.all(partitions.map((asked) => deleteOfPartition(name, asked, context))),
    }))
    return { topics: await Promise.all(responses) }
  },
  failed: ({ topics }, errorCode) => ({
    topics: topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => ({ partitionIndex, lowWatermark: NO_OFFSET, errorCode })),
    })),
  }),
}

async function deleteOfPartition(
  topic: string,
  { partitionIndex, offset }: DeleteRecordsRequestPartition,
  { logs, failures }: KafkaContext,
): Promise<DeleteRecordsResponsePartition> {
  try {
    const lowWatermark = await logs.deleteRecords(topic, partitionIndex, offset)
    return { partitionIndex, lowWatermark, errorCode: 0 }
  } catch (error) {
    return { partitionIndex, lowWatermark: NO_OFFSET, errorCode: failures.report('DeleteRecords', error) }
  }
}
