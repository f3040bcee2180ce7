import {
  type OffsetDeleteRequest,
  type OffsetDeleteResponse,
  offsetDeleteApi,
} from '../../../wire/kafka/generated/offset-delete.js'
import type { KafkaHandler } from '../kafka-handler.js'
import { checkExists, checkPartitions } from '../named-partitions.js'

/** OffsetDelete 0: forgets committed offsets, but for topics that members of the group read. */
export const offsetDelete: KafkaHandler<OffsetDeleteRequest, OffsetDeleteResponse> = {
  api: offsetDeleteApi,
  versions: [0, 0],
  async handle({ groupId, topics }, { context: { logs, groups } }) {
    const named = checkPartitions(topics, (topic, { partitionIndex }) => checkExists(logs.topic(topic), partitionIndex))
    const { errorCode, partitions } = await groups.admin.deleteOffsets(
      groupId,
      named.accepted.map(({ topic, partitionIndex }) => ({ topic, partition: partitionIndex })),
    )
    return { errorCode, topics: errorCode === 0 ? named.answer(partitions) : [] }
  },
  failed: (_, errorCode) => ({ errorCode, topics: [] }),
}
