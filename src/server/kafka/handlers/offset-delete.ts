import { KAFKA_ERRORS } from '../../../errors.js'
import {
  type OffsetDeleteRequest,
  type OffsetDeleteResponse,
  offsetDeleteApi,
} from '../../../wire/kafka/generated/offset-delete.js'
import type { KafkaHandler } from '../kafka-handler.js'

/** OffsetDelete 0: forgets committed offsets, but for topics that members of the group read. */
export const offsetDelete: KafkaHandler<OffsetDeleteRequest, OffsetDeleteResponse> = {
  api: offsetDeleteApi,
  versions: [0, 0],
  async handle({ groupId, topics }, { context: { logs, groups } }) {
    const asked = topics.map(({ name, partitions }) => ({
      name,
      partitions: partitions.map(({ partitionIndex }) => ({
        partitionIndex,
        exists: logs.topic(name)?.partitions[partitionIndex] !== undefined,
      })),
    }))
    const named = asked.flatMap(({ name, partitions }) =>
      partitions
        .filter(({ exists }) => exists)
        .map(({ partitionIndex }) => ({ topic: name, partition: partitionIndex })),
    )
    const result = await groups.admin.deleteOffsets(groupId, named)
    if (result.errorCode !== 0) return { errorCode: result.errorCode, topics: [] }
    const codes = result.partitions.values()
    const unknown = KAFKA_ERRORS.UNKNOWN_TOPIC_OR_PARTITION.wire
    return {
      errorCode: 0,
      topics: asked.map(({ name, partitions }) => ({
        name,
        partitions: partitions.map(({ partitionIndex, exists }) => ({
          partitionIndex,
          errorCode: exists ? (codes.next().value ?? unknown) : unknown,
        })),
      })),
    }
  },
  failed: (_, errorCode) => ({ errorCode, topics: [] }),
}
