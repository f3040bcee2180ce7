import { MyKafkaError } from '../../../errors.js'
import { MAX_PARTITIONS } from '../../../topic/partition-count.js'
import type { Topic } from '../../../topic/topic.js'
import type { TopicConfig } from '../../../topic/topic-configs.js'
import {
  type CreateTopicsRequest,
  type CreateTopicsRequestTopic,
  type CreateTopicsResponse,
  type CreateTopicsResponseTopic,
  createTopicsApi,
} from '../../../wire/kafka/generated/create-topics.js'
import { ZERO_UUID } from '../../../wire/kafka/uuid.js'
import { distinct, repeated } from '../grouped.js'
import { sideBySideInTurns } from '../in-turns.js'
import { itemError } from '../item-error.js'
import type { KafkaContext, KafkaHandler } from '../kafka-handler.js'
import { checkAssignment } from '../replica-assignment.js'
import { describeTopicConfigs } from '../topic-config-description.js'

const BY_DEFAULT = -1
const REPLICATION_FACTOR = 1
/** Each topic opens its partitions side by side. */
const CONCURRENCY = 4

/**
 * CreateTopics 0–7: topics of Kafka's record format, unless their configurations choose another. There is one replica
 * of each partition, on this node.
 */
export const createTopics: KafkaHandler<CreateTopicsRequest, CreateTopicsResponse> = {
  api: createTopicsApi,
  versions: [0, 7],
  async handle({ topics, validateOnly }, { context }) {
    const twice = repeated(topics.map(({ name }) => name))
    const asked = distinct(topics, ({ name }) => name)
    requireFew(asked, context)
    const create = async (topic: CreateTopicsRequestTopic): Promise<CreateTopicsResponseTopic> => {
      try {
        if (twice.has(topic.name)) throw new MyKafkaError('INVALID_REQUEST', `${topic.name} is there more than once`)
        return await createOne(topic, validateOnly, context)
      } catch (error) {
        return { ...unmade(topic.name), ...itemError('CreateTopics', error, context) }
      }
    }
    return { topics: await sideBySideInTurns(asked, create, CONCURRENCY) }
  },
  failed: ({ topics }, errorCode) => ({ topics: topics.map(({ name }) => ({ ...unmade(name), errorCode })) }),
}

/** As Kafka does: what one request can make is bounded, also where it only asks. */
function requireFew(topics: readonly CreateTopicsRequestTopic[], { config }: KafkaContext): void {
  let partitions = 0
  for (const { numPartitions, assignments } of topics) {
    const asked = numPartitions === BY_DEFAULT ? assignments.length || config.numPartitions : numPartitions
    partitions += Math.max(1, asked)
  }
  if (partitions <= MAX_PARTITIONS || topics.length === 1) return
  const reason = `the topics of a request have at most ${MAX_PARTITIONS} partitions together, not ${partitions}`
  throw new MyKafkaError('POLICY_VIOLATION', reason)
}

function unmade(name: string): CreateTopicsResponseTopic {
  return { name, topicId: ZERO_UUID, errorCode: 0, errorMessage: null, configs: [] }
}

async function createOne(
  asked: CreateTopicsRequestTopic,
  validateOnly: boolean,
  context: KafkaContext,
): Promise<CreateTopicsResponseTopic> {
  const { logs } = context
  const numPartitions = countPartitions(asked, context)
  const configs = readConfigs(asked)
  const topic: Pick<Topic, 'id' | 'recordFormat' | 'config'> = validateOnly
    ? { id: ZERO_UUID, ...logs.checkCreation(asked.name, numPartitions, configs, 'kafka') }
    : await logs.createTopic(asked.name, numPartitions, configs, 'kafka')
  return {
    name: asked.name,
    topicId: topic.id,
    errorCode: 0,
    errorMessage: null,
    numPartitions,
    replicationFactor: REPLICATION_FACTOR,
    configs: describeTopicConfigs(topic, context),
  }
}

function countPartitions(
  { name, numPartitions, replicationFactor, assignments }: CreateTopicsRequestTopic,
  { logs, config }: KafkaContext,
): number {
  if (assignments.length === 0) {
    if (replicationFactor !== BY_DEFAULT && replicationFactor !== REPLICATION_FACTOR) {
      const reason = `there is one broker: the replication factor of ${name} is 1 (or -1 for the default)`
      throw new MyKafkaError('INVALID_REPLICATION_FACTOR', `${reason}, not ${replicationFactor}`)
    }
    return numPartitions === BY_DEFAULT ? config.numPartitions : numPartitions
  }
  if (numPartitions !== BY_DEFAULT || replicationFactor !== BY_DEFAULT) {
    const reason = 'an assignment goes without a number of partitions and without a replication factor'
    throw new MyKafkaError('INVALID_REQUEST', reason)
  }
  for (const { brokerIds } of assignments) checkAssignment(brokerIds, logs.identity.nodeId)
  const assigned = new Set(assignments.map(({ partitionIndex }) => partitionIndex))
  if (assigned.size === assignments.length && assignments.every((_, partition) => assigned.has(partition))) {
    return assignments.length
  }
  throw new MyKafkaError('INVALID_REPLICA_ASSIGNMENT', 'each partition from 0 on is assigned once')
}

function readConfigs({ configs }: CreateTopicsRequestTopic): TopicConfig {
  return Object.fromEntries(
    configs.map(({ name, value }) => {
      if (value === null) throw new MyKafkaError('INVALID_CONFIG', `${name} has no value`)
      return [name, value]
    }),
  )
}
