import { KAFKA_ERRORS, MyKafkaError } from '../../../errors.js'
import { METADATA_TOPIC, type Topic, unknownTopic } from '../../../topic/topic.js'
import { checkTopicName, isTopicName } from '../../../topic/topic-name.js'
import {
  type MetadataRequest,
  type MetadataRequestTopic,
  type MetadataResponse,
  type MetadataResponseTopic,
  metadataApi,
} from '../../../wire/kafka/generated/metadata.js'
import { ZERO_UUID } from '../../../wire/kafka/uuid.js'
import { distinct } from '../grouped.js'
import { areMany, behindTurn, sideBySideInTurns } from '../in-turns.js'
import type { KafkaCall, KafkaHandler } from '../kafka-handler.js'
import { describePartition } from '../partition-description.js'

/** Each topic that is made opens its partitions side by side. */
const CONCURRENCY = 4

/**
 * Metadata 0–12: one broker, which leads every partition, and the topics asked for by name or by id, or all. A topic
 * that is missing is made where `auto.create.topics.enable` and the client allow it.
 */
export const metadata: KafkaHandler<MetadataRequest, MetadataResponse> = {
  api: metadataApi,
  versions: [0, 12],
  async handle({ topics, allowAutoTopicCreation }, call) {
    const { logs } = call.context
    // An empty list asks for all topics in version 0, and for none from version 1 on.
    if (topics === null || (call.version === 0 && topics.length === 0)) {
      const all = logs.topics().filter(({ name }) => name !== METADATA_TOPIC)
      return respond(
        all.map((topic) => describe(topic, logs.identity.nodeId)),
        call,
      )
    }
    const named = areMany(topics.length) ? await behindTurn(topics) : topics
    const asked = distinct(named, ({ name, topicId }) => (topicId === ZERO_UUID ? (name ?? '') : ` ${topicId}`))
    const find = (topic: MetadataRequestTopic) => findOrCreate(topic, allowAutoTopicCreation, call)
    return respond(await sideBySideInTurns(asked, find, CONCURRENCY), call)
  },
  failed: ({ topics }, errorCode, call) =>
    respond(
      (topics ?? []).map(({ name, topicId }) => unknown(name, topicId, errorCode)),
      call,
    ),
}

function respond(topics: MetadataResponseTopic[], { context, listener }: KafkaCall): MetadataResponse {
  const { nodeId, clusterId } = context.logs.identity
  const { host, port } = listener
  return { brokers: [{ nodeId, host, port, rack: context.config.rack }], clusterId, controllerId: nodeId, topics }
}

async function findOrCreate(
  { name, topicId }: MetadataRequestTopic,
  mayCreate: boolean,
  { context }: KafkaCall,
): Promise<MetadataResponseTopic> {
  const { logs, config, failures } = context
  if (topicId !== ZERO_UUID) {
    const topic = logs.topicById(topicId)
    if (topic !== undefined) return describe(topic, logs.identity.nodeId)
    return unknown(name, topicId, KAFKA_ERRORS.UNKNOWN_TOPIC_ID.wire)
  }
  // Without an error: requests name thousands.
  if (!mayCreate && logs.topic(name ?? '') === undefined && isTopicName(name ?? '')) {
    return unknown(name ?? '', ZERO_UUID, KAFKA_ERRORS.UNKNOWN_TOPIC_OR_PARTITION.wire)
  }
  try {
    const topic = logs.topic(name ?? '') ?? (await create(name ?? ''))
    return describe(topic, logs.identity.nodeId)
  } catch (error) {
    return unknown(name ?? '', ZERO_UUID, failures.report('Metadata', error))
  }

  async function create(missing: string): Promise<Topic> {
    checkTopicName(missing)
    if (!mayCreate || !config.autoCreateTopicsEnable) {
      throw unknownTopic(missing)
    }
    try {
      return await logs.createTopic(missing, config.numPartitions, {}, 'kafka')
    } catch (error) {
      // Many clients ask at once for the topic that they are about to use.
      const made = logs.topic(missing)
      if (made !== undefined) return made
      // It was there and is gone again: what the client is to do is ask once more.
      const came = error instanceof MyKafkaError && error.code === 'TOPIC_ALREADY_EXISTS'
      throw came ? unknownTopic(missing) : error
    }
  }
}

function unknown(name: string | null, topicId: string, errorCode: number): MetadataResponseTopic {
  return { errorCode, name, topicId, partitions: [] }
}

function describe({ name, id, internal, partitions }: Topic, nodeId: number): MetadataResponseTopic {
  return {
    errorCode: 0,
    name,
    topicId: id,
    isInternal: internal,
    partitions: partitions.map((log, partitionIndex) => describePartition(log !== null, partitionIndex, nodeId)),
  }
}
