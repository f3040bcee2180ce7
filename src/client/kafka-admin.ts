import { errorFromWire, MyKafkaError } from '../errors.js'
import { createPartitionsApi } from '../wire/kafka/generated/create-partitions.js'
import { createTopicsApi } from '../wire/kafka/generated/create-topics.js'
import { deleteTopicsApi } from '../wire/kafka/generated/delete-topics.js'
import { describeConfigsApi } from '../wire/kafka/generated/describe-configs.js'
import { incrementalAlterConfigsApi } from '../wire/kafka/generated/incremental-alter-configs.js'
import { ZERO_UUID } from '../wire/kafka/uuid.js'
import { KafkaConnection } from './kafka-connection.js'
import { type ClientOptions, type ResolvedClientOptions, resolveOptions } from './options.js'

const TOPIC = 2
const BROKER_DEFAULT = -1
const OPERATION = { set: 0, delete: 1 } as const

/** Where a configuration has its value from. */
export type ConfigSource = 'topic' | 'broker' | 'default'

const SOURCES: Readonly<Record<number, ConfigSource>> = { 1: 'topic', 2: 'broker', 3: 'broker', 4: 'broker' }

/** A configuration of a topic. */
export interface ConfigEntry {
  readonly name: string
  /** Null where there is none, or where it is a secret. */
  readonly value: string | null
  readonly source: ConfigSource
}

interface Outcome {
  readonly errorCode: number
  readonly errorMessage?: string | null | undefined
}

/** Administration of topics by Kafka's messages: what MyKafka's calls cannot say. One connection, as {@link Client}. */
export class KafkaAdmin {
  readonly #connection: KafkaConnection
  readonly #timeoutMs: number

  static async connect(options: ClientOptions = {}): Promise<KafkaAdmin> {
    const resolved = resolveOptions(options)
    return new KafkaAdmin(await KafkaConnection.open(resolved), resolved)
  }

  private constructor(connection: KafkaConnection, { requestTimeoutMs }: ResolvedClientOptions) {
    this.#connection = connection
    this.#timeoutMs = requestTimeoutMs
  }

  /** Creates a topic with configurations of its own. */
  async createTopic(name: string, numPartitions: number, configs: Readonly<Record<string, string>>): Promise<void> {
    const topic = {
      name,
      numPartitions,
      replicationFactor: BROKER_DEFAULT,
      assignments: [],
      configs: Object.entries(configs).map(([name, value]) => ({ name, value })),
    }
    const request = { topics: [topic], timeoutMs: this.#timeoutMs, validateOnly: false }
    const { topics } = await this.#connection.call(createTopicsApi, 7, request)
    requireDone(topics[0], `CreateTopics ${name}`)
  }

  /** Adds partitions. @param count - how many the topic is to have */
  async createPartitions(name: string, count: number): Promise<void> {
    const topics = [{ name, count, assignments: null }]
    const request = { topics, timeoutMs: this.#timeoutMs, validateOnly: false }
    const { results } = await this.#connection.call(createPartitionsApi, 3, request)
    requireDone(results[0], `CreatePartitions of ${name}`)
  }

  async deleteTopic(name: string): Promise<void> {
    const request = { topics: [{ name, topicId: ZERO_UUID }], topicNames: [], timeoutMs: this.#timeoutMs }
    const { responses } = await this.#connection.call(deleteTopicsApi, 6, request)
    requireDone(responses[0], `DeleteTopics ${name}`)
  }

  /** Changes configurations of a topic; null takes one back. */
  async alterConfigs(name: string, changes: Readonly<Record<string, string | null>>): Promise<void> {
    const configs = Object.entries(changes).map(([name, value]) => ({
      name,
      configOperation: value === null ? OPERATION.delete : OPERATION.set,
      value,
    }))
    const request = { resources: [{ resourceType: TOPIC, resourceName: name, configs }], validateOnly: false }
    const { responses } = await this.#connection.call(incrementalAlterConfigsApi, 1, request)
    requireDone(responses[0], `IncrementalAlterConfigs of ${name}`)
  }

  /** The configurations of topics, by topic. */
  async describeConfigs(names: readonly string[]): Promise<Map<string, ConfigEntry[]>> {
    const resources = names.map((resourceName) => ({ resourceType: TOPIC, resourceName, configurationKeys: null }))
    const request = { resources, includeSynonyms: false, includeDocumentation: false }
    const { results } = await this.#connection.call(describeConfigsApi, 4, request)
    return new Map(
      results.map((result) => {
        requireDone(result, `DescribeConfigs of ${result.resourceName}`)
        const entries = result.configs.map(({ name, value, configSource = 0 }) => ({
          name,
          value,
          source: SOURCES[configSource] ?? 'default',
        }))
        return [result.resourceName, entries]
      }),
    )
  }

  close(): Promise<void> {
    return this.#connection.close()
  }
}

/** What the broker says of the reason is told where it says something. */
function requireDone(outcome: Outcome | undefined, asked: string): void {
  if (outcome === undefined) throw new MyKafkaError('INVALID_RESPONSE', `${asked}: the broker left it out`)
  if (outcome.errorCode === 0) return
  const error = errorFromWire(outcome.errorCode, asked)
  throw outcome.errorMessage ? new MyKafkaError(error.code, outcome.errorMessage) : error
}
