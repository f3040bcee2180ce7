import { KAFKA_ERRORS, MyKafkaError } from '../../../errors.js'
import { METADATA_TOPIC, type Topic } from '../../../topic/topic.js'
import {
  type DescribeTopicPartitionsRequest,
  type DescribeTopicPartitionsResponse,
  type DescribeTopicPartitionsResponseTopic,
  describeTopicPartitionsApi,
} from '../../../wire/kafka/generated/describe-topic-partitions.js'
import { ZERO_UUID } from '../../../wire/kafka/uuid.js'
import type { KafkaContext, KafkaHandler } from '../kafka-handler.js'
import { describePartition } from '../partition-description.js'

/** `max.request.partition.size.limit` */
const MOST_PARTITIONS = 2000

/** DescribeTopicPartitions 0: topics in the order of their names, page by page. */
export const describeTopicPartitions: KafkaHandler<DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse> = {
  api: describeTopicPartitionsApi,
  versions: [0, 0],
  handle({ topics, cursor, responsePartitionLimit }, { context }) {
    if (cursor !== null && cursor.partitionIndex < 0) {
      throw new MyKafkaError('INVALID_REQUEST', `a cursor does not point to partition ${cursor.partitionIndex}`)
    }
    const names = asked(topics, context).filter((name) => cursor === null || name >= cursor.topicName)
    let room = Math.max(1, Math.min(responsePartitionLimit, MOST_PARTITIONS))
    const described: DescribeTopicPartitionsResponseTopic[] = []
    for (const name of names) {
      const topic = context.logs.topic(name)
      const from = cursor?.topicName === name ? cursor.partitionIndex : 0
      if (room === 0) return { topics: described, nextCursor: { topicName: name, partitionIndex: from } }
      if (topic === undefined) {
        described.push(unknown(name, KAFKA_ERRORS.UNKNOWN_TOPIC_OR_PARTITION.wire))
        continue
      }
      const to = Math.min(topic.partitions.length, from + room)
      described.push(describe(topic, from, to, context.logs.identity.nodeId))
      room -= Math.max(0, to - from)
      if (to < topic.partitions.length) {
        return { topics: described, nextCursor: { topicName: name, partitionIndex: to } }
      }
    }
    return { topics: described, nextCursor: null }
  },
  failed: ({ topics }, errorCode) => ({ topics: topics.map(({ name }) => unknown(name, errorCode)) }),
}

/** Names in the order in which they are paged through; an empty list asks for all topics. */
function asked(topics: DescribeTopicPartitionsRequest['topics'], { logs }: KafkaContext): string[] {
  const names = topics.length > 0 ? topics.map(({ name }) => name) : logs.topics().map(({ name }) => name)
  return [...new Set(names)].filter((name) => topics.length > 0 || name !== METADATA_TOPIC).sort()
}

function unknown(name: string, errorCode: number): DescribeTopicPartitionsResponseTopic {
  return { errorCode, name, topicId: ZERO_UUID, partitions: [] }
}

function describe(
  { name, id, internal, partitions }: Topic,
  from: number,
  to: number,
  nodeId: number,
): DescribeTopicPartitionsResponseTopic {
  return {
    errorCode: 0,
    name,
    topicId: id,
    isInternal: internal,
    partitions: partitions.slice(from, to).map((log, index) => ({
      ...describePartition(log !== null, from + index, nodeId),
      // The Java client does not take null for them.
      eligibleLeaderReplicas: [],
      lastKnownElr: [],
    })),
  }
}
