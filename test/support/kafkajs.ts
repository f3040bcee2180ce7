import { Kafka, type KafkaConfig, logLevel } from 'kafkajs'
import type { Broker } from '../../src/server/broker.js'
import { behindEachTest } from './clean-up.js'

const connected = new Set<{ disconnect(): Promise<void> }>()

behindEachTest(async () => {
  const open = [...connected]
  connected.clear()
  await Promise.allSettled(open.map((each) => each.disconnect()))
})

/** kafkajs with its defaults. What is connected by `connect` is disconnected behind the test. */
export function kafkajs(broker: Pick<Broker, 'bootstrapServers'>, config: Partial<KafkaConfig> = {}): Kafka {
  return new Kafka({ clientId: 'test', brokers: [broker.bootstrapServers], logLevel: logLevel.ERROR, ...config })
}

/** Connects a producer, a consumer or an admin. */
export async function connect<Client extends { connect(): Promise<void>; disconnect(): Promise<void> }>(
  client: Client,
): Promise<Client> {
  connected.add(client)
  await client.connect()
  return client
}
