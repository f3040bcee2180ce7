import { KafkaReader } from '../../wire/kafka/kafka-reader.js'

/** Partitions of a topic. */
export interface TopicPartitions {
  readonly topic: string
  readonly partitions: readonly number[]
}

const VERSION_BYTES = 2

/**
 * What a consumer is assigned, by the members' own protocol, of which the broker knows nothing: `[version:2]`, then the
 * topics with their partitions, which every version begins with. None where the bytes are something else.
 */
export function readAssignment(bytes: Buffer): TopicPartitions[] {
  const reader = new KafkaReader(bytes)
  if (bytes.length < VERSION_BYTES) return []
  reader.int16('version')
  const topics: TopicPartitions[] = []
  for (let left = reader.arrayLength('topics', 6); left > 0 && !reader.failed; left--) {
    const topic = reader.string('topic')
    const partitions: number[] = []
    for (let more = reader.arrayLength('partitions', 4); more > 0 && !reader.failed; more--) {
      partitions.push(reader.int32('partition'))
    }
    topics.push({ topic, partitions })
  }
  return reader.failed ? [] : topics
}

/** The topics that a consumer subscribes to: `[version:2]`, then their names. None where the bytes are something else. */
export function readSubscription(bytes: Buffer): string[] {
  const reader = new KafkaReader(bytes)
  if (bytes.length < VERSION_BYTES) return []
  reader.int16('version')
  const topics: string[] = []
  for (let left = reader.arrayLength('topics', 2); left > 0 && !reader.failed; left--) {
    topics.push(reader.string('topic'))
  }
  return reader.failed ? [] : topics
}
