import { MyKafkaError } from '../../errors.js'
import { createPartitionsApi } from '../../wire/kafka/generated/create-partitions.js'
import { createTopicsApi } from '../../wire/kafka/generated/create-topics.js'
import { deleteTopicsApi } from '../../wire/kafka/generated/delete-topics.js'
import { ZERO_UUID } from '../../wire/kafka/uuid.js'
import type { TopicMetadata } from '../../wire/mykafka/metadata.js'
import type { CallOptions } from '../transport.js'
import { type AdminCalls, requireDone } from './calls.js'

/** Kafka's word for what the broker's configuration says. */
const BROKER_DEFAULT = -1

/** How a topic is made. */
export interface NewTopicOptions extends CallOptions {
  /** Default: `num.partitions` of the broker. */
  readonly partitions?: number | undefined
  /** By Kafka's names. Without `record.format` among them the topic keeps MyKafka's records. */
  readonly configs?: Readonly<Record<string, string>> | undefined
}

/** A partition, as far as reading and writing are concerned. */
export interface PartitionDescription {
  readonly partition: number
  /** Its log cannot be opened: both offsets are -1. */
  readonly offline: boolean
  /** The first offset that can be read. */
  readonly logStartOffset: number
  /** The log's end: the offset of the next record. */
  readonly highWatermark: number
}

/** A topic and its partitions, in their order. */
export interface TopicDescription {
  readonly topic: string
  readonly partitions: readonly PartitionDescription[]
}

/** Creates a topic. One that exists is left as it is. */
export async function createTopic(
  calls: AdminCalls,
  topic: string,
  options: NewTopicOptions = {},
): Promise<'created' | 'exists'> {
  const { partitions, configs } = options
  if (partitions !== undefined && configs === undefined) {
    return await calls.mykafka(options, (client) => client.createTopic(topic, partitions))
  }
  // By default it is a topic as MyKafka's call makes it, which knows no configurations.
  const all = { 'record.format': 'mykafka', ...configs }
  const asked = {
    name: topic,
    numPartitions: partitions ?? BROKER_DEFAULT,
    replicationFactor: BROKER_DEFAULT,
    assignments: [],
    configs: Object.entries(all).map(([name, value]) => ({ name, value })),
  }
  const request = { topics: [asked], timeoutMs: calls.requestTimeoutMs, validateOnly: false }
  try {
    await calls.kafka(options, async (connection) => {
      const { topics } = await connection.call(createTopicsApi, 7, request)
      requireDone(topics[0], `CreateTopics ${topic}`)
    })
    return 'created'
  } catch (error) {
    if (error instanceof MyKafkaError && error.code === 'TOPIC_ALREADY_EXISTS') return 'exists'
    throw error
  }
}

/** Adds partitions. @param count - how many the topic is to have */
export async function createPartitions(
  calls: AdminCalls,
  topic: string,
  count: number,
  options?: CallOptions,
): Promise<void> {
  const topics = [{ name: topic, count, assignments: null }]
  const request = { topics, timeoutMs: calls.requestTimeoutMs, validateOnly: false }
  await calls.kafka(options, async (connection) => {
    const { results } = await connection.call(createPartitionsApi, 3, request)
    requireDone(results[0], `CreatePartitions of ${topic}`)
  })
}

/** Deletes a topic, its records, and what groups committed for it. */
export async function deleteTopic(calls: AdminCalls, topic: string, options?: CallOptions): Promise<void> {
  const request = { topics: [{ name: topic, topicId: ZERO_UUID }], topicNames: [], timeoutMs: calls.requestTimeoutMs }
  await calls.kafka(options, async (connection) => {
    const { responses } = await connection.call(deleteTopicsApi, 6, request)
    requireDone(responses[0], `DeleteTopics ${topic}`)
  })
}

/** Topics by name, or all but the broker's own, in the order of their names. */
export async function describeTopics(
  calls: AdminCalls,
  names: readonly string[] | undefined,
  options?: CallOptions,
): Promise<TopicDescription[]> {
  const described = await calls.mykafka(options, async (client) => {
    if (names === undefined) return await client.metadata()
    return (await Promise.all(names.map((name) => client.metadata(name)))).flat()
  })
  return described.map(describe).sort((a, b) => compareNames(a.topic, b.topic))
}

/** Those of them that are there: one may be deleted at any time. */
export async function describeExistingTopics(
  calls: AdminCalls,
  names: readonly string[],
  options?: CallOptions,
): Promise<TopicDescription[]> {
  const described = names.map(async (name) => {
    try {
      return await describeTopics(calls, [name], options)
    } catch (error) {
      if (error instanceof MyKafkaError && error.code === 'UNKNOWN_TOPIC_OR_PARTITION') return []
      throw error
    }
  })
  return (await Promise.all(described)).flat()
}

function describe({ topic, partitions }: TopicMetadata): TopicDescription {
  return {
    topic,
    partitions: partitions.map((offsets, partition) => ({ partition, offline: offsets.highWatermark < 0, ...offsets })),
  }
}

/** The order in which names are listed. */
export function compareNames(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
