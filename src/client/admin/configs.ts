import { MyKafkaError } from '../../errors.js'
import { describeClusterApi } from '../../wire/kafka/generated/describe-cluster.js'
import { describeConfigsApi } from '../../wire/kafka/generated/describe-configs.js'
import { incrementalAlterConfigsApi } from '../../wire/kafka/generated/incremental-alter-configs.js'
import type { KafkaConnection } from '../kafka-connection.js'
import type { CallOptions } from '../transport.js'
import { type AdminCalls, requireDone } from './calls.js'

/** Kafka's numbers of what has configurations. */
const RESOURCE = { topic: 2, broker: 4 } as const
const OPERATION = { set: 0, delete: 1 } as const
const BROKERS = 1

/** Where a configuration has its value from. */
export type ConfigSource = 'topic' | 'broker' | 'default'

const SOURCES: Readonly<Record<number, ConfigSource>> = { 1: 'topic', 2: 'broker', 3: 'broker', 4: 'broker' }

/** A configuration of a topic or of a broker. */
export interface ConfigEntry {
  readonly name: string
  /** Null where there is none, or where it is a secret. */
  readonly value: string | null
  readonly source: ConfigSource
}

/** The configurations of topics, by topic. */
export function describeConfigs(
  calls: AdminCalls,
  topics: readonly string[],
  options?: CallOptions,
): Promise<Map<string, ConfigEntry[]>> {
  return calls.kafka(options, (connection) => ask(connection, RESOURCE.topic, topics))
}

/** The configurations of the broker that answers. */
export function describeBrokerConfigs(calls: AdminCalls, options?: CallOptions): Promise<ConfigEntry[]> {
  return calls.kafka(options, async (connection) => {
    const request = { includeClusterAuthorizedOperations: false, endpointType: BROKERS }
    const { brokers } = requireDone(await connection.call(describeClusterApi, 1, request), 'DescribeCluster')
    const [broker] = brokers
    if (broker === undefined) throw new MyKafkaError('INVALID_RESPONSE', 'DescribeCluster: there is no broker')
    const name = String(broker.brokerId)
    return (await ask(connection, RESOURCE.broker, [name])).get(name) ?? []
  })
}

async function ask(
  connection: KafkaConnection,
  resourceType: number,
  names: readonly string[],
): Promise<Map<string, ConfigEntry[]>> {
  const resources = names.map((resourceName) => ({ resourceType, resourceName, configurationKeys: null }))
  const request = { resources, includeSynonyms: false, includeDocumentation: false }
  const { results } = await connection.call(describeConfigsApi, 4, request)
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

/** Changes configurations of a topic, all or none; null takes one back. */
export async function alterConfigs(
  calls: AdminCalls,
  topic: string,
  changes: Readonly<Record<string, string | null>>,
  options?: CallOptions,
): Promise<void> {
  const configs = Object.entries(changes).map(([name, value]) => ({
    name,
    configOperation: value === null ? OPERATION.delete : OPERATION.set,
    value,
  }))
  const resources = [{ resourceType: RESOURCE.topic, resourceName: topic, configs }]
  await calls.kafka(options, async (connection) => {
    const request = { resources, validateOnly: false }
    const { responses } = await connection.call(incrementalAlterConfigsApi, 1, request)
    requireDone(responses[0], `IncrementalAlterConfigs of ${topic}`)
  })
}
