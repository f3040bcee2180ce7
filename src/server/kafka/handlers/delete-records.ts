import {
  type DeleteRecordsRequest,
  type DeleteRecordsRequestPartition,
  type DeleteRecordsResponse,
  type DeleteRecordsResponsePartition,
  deleteRecordsApi,
} from '../../../wire/kafka/generated/delete-records.js'
import { sideBySideInTurns } from '../in-turns.js'
import type { KafkaContext, KafkaHandler } from '../kafka-handler.js'

const NO_OFFSET = -1

/** DeleteRecords 0–2: what lies below an offset; -1 is the high watermark. The answer is the log start offset. */
export const deleteRecords: KafkaHandler<DeleteRecordsRequest, DeleteRecordsResponse> = {
  api: deleteRecordsApi,
  versions: [0, 2],
  async handle({ topics }, { context }) {
    const asked = topics.flatMap(({ name, partitions }) => partitions.map((each) => ({ name, each })))
    const answers = await sideBySideInTurns(asked, ({ name, each }) => deleteOfPartition(name, each, context))
    const rest = answers.values()
    return {
      topics: topics.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(() => rest.next().value as DeleteRecordsResponsePartition),
      })),
    }
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
