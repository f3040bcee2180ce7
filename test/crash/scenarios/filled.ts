import { Client, type RecordInput } from '../../../src/client/index.js'
import { BrokerProcess } from '../../support/broker-process.js'
import type { Random } from '../../support/random.js'

/** A topic of many small segments. */
export const TOPIC = 'filled'
export const PARTITIONS = 3
/** In each partition. */
export const RECORDS = 600

const SMALL_SEGMENTS = ['--segment-bytes', '16384', '--index-interval-bytes', '256']

/** Starts a broker for `use`, which ends it. */
export async function withBroker<T>(
  dataDir: string,
  use: (client: Client, broker: BrokerProcess) => Promise<T>,
): Promise<T> {
  const broker = await BrokerProcess.start({ dataDir, args: SMALL_SEGMENTS })
  const client = await Client.connect({ port: broker.port })
  const result = await use(client, broker)
  await client.close()
  return result
}

/** Makes the topic and its records. */
export async function fill(client: Client, random: Random): Promise<void> {
  await client.createTopic(TOPIC, PARTITIONS)
  for (let partition = 0; partition < PARTITIONS; partition++) {
    for (let left = RECORDS; left > 0; ) {
      const count = Math.min(left, random.integer(1, 20))
      const records: RecordInput[] = Array.from({ length: count }, () => ({
        value: random.bytes(random.integer(0, 300)),
      }))
      await client.produce(TOPIC, records, { partition })
      left -= count
    }
  }
}
