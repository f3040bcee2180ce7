/** Requests of the administrative APIs, with what a test does not care about filled in. */
import type { CreateTopicsRequest, CreateTopicsRequestTopic } from '../../src/wire/kafka/generated/create-topics.js'
import { createTopicsApi } from '../../src/wire/kafka/generated/create-topics.js'
import type { DescribeConfigsRequest } from '../../src/wire/kafka/generated/describe-configs.js'
import type { KafkaPeer } from './kafka-peer.js'

export const TOPIC = 2
export const BROKER = 4

type NewTopic = Partial<Omit<CreateTopicsRequestTopic, 'configs'>> & { name: string; configs?: Record<string, string> }

/** The broker's number of partitions, and its replication factor. */
export function newTopics(topics: NewTopic[], validateOnly = false): CreateTopicsRequest {
  return {
    topics: topics.map(({ configs = {}, ...topic }) => ({
      numPartitions: -1,
      replicationFactor: -1,
      assignments: [],
      configs: Object.entries(configs).map(([name, value]) => ({ name, value })),
      ...topic,
    })),
    timeoutMs: 1000,
    validateOnly,
  }
}

/** Makes one topic of Kafka records. Returns its id. */
export async function makeTopic(
  peer: KafkaPeer,
  name: string,
  numPartitions = 1,
  configs: Record<string, string> = {},
): Promise<string> {
  const { topics } = await peer.call(createTopicsApi, 7, newTopics([{ name, numPartitions, configs }]))
  if (topics[0]?.errorCode !== 0) throw new Error(`${name}: ${topics[0]?.errorCode} ${topics[0]?.errorMessage}`)
  return topics[0].topicId
}

export function configsOf(
  resourceType: number,
  resourceName: string,
  configurationKeys: string[] | null = null,
): DescribeConfigsRequest {
  const resources = [{ resourceType, resourceName, configurationKeys }]
  return { resources, includeSynonyms: true, includeDocumentation: true }
}
