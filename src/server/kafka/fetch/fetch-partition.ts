import type { FetchRequest } from '../../../wire/kafka/generated/fetch.js'

/** What a fetch asks of one partition. */
export interface FetchPartition {
  /** '' where the topic is named by its id. */
  readonly topic: string
  readonly topicId: string
  readonly partition: number
  readonly currentLeaderEpoch: number
  readonly fetchOffset: number
  readonly lastFetchedEpoch: number
  readonly partitionMaxBytes: number
}

/** Versions from here on name topics by their ids. */
const FIRST_WITH_TOPIC_IDS = 13

/** Whether a version of Fetch names topics by their ids. */
export function namesTopicsById(version: number): boolean {
  return version >= FIRST_WITH_TOPIC_IDS
}

/** The partitions that a request names, in its order. Of one that it names again, the last counts, as in Kafka. */
export function requestedPartitions({ topics }: FetchRequest): FetchPartition[] {
  const requested = new Map<string, FetchPartition>()
  for (const { topic, topicId, partitions } of topics) {
    for (const { partition, currentLeaderEpoch, fetchOffset, lastFetchedEpoch, partitionMaxBytes } of partitions) {
      const asked = {
        topic,
        topicId,
        partition,
        currentLeaderEpoch,
        fetchOffset,
        lastFetchedEpoch,
        partitionMaxBytes,
      }
      requested.set(partitionKey(asked), asked)
    }
  }
  return [...requested.values()]
}

/** Tells partitions of a session apart. */
export function partitionKey({
  topic,
  topicId,
  partition,
}: Pick<FetchPartition, 'topic' | 'topicId' | 'partition'>): string {
  return topic === '' ? `${topicId} ${partition}` : `${topic} ${partition}`
}
