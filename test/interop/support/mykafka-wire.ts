/** MyKafka's own wire, beside Kafka's, on the same port. */
import { Client } from '../../../src/client/client.js'
import { sharedBroker } from './broker.js'
import type { ReadRecord } from './client-program.js'
import { base64, examples, type WrittenRecord } from './records.js'
import { fresh } from './scenario.js'

/** What stands for it among the clients' names. */
export const MYKAFKA_WIRE = "MyKafka's wire"

/** Connects, uses and closes. */
export async function overMyKafka<T>(use: (client: Client) => Promise<T>): Promise<T> {
  const { port } = await sharedBroker()
  const client = await Client.connect({ host: '127.0.0.1', port })
  try {
    return await use(client)
  } finally {
    await client.close()
  }
}

/** A topic of MyKafka's entries. */
export async function createMyKafkaTopic(partitions: number): Promise<string> {
  const topic = fresh('mykafka')
  await overMyKafka((client) => client.createTopic(topic, partitions))
  return topic
}

const bytes = (text: string | null): Buffer | null => (text === null ? null : Buffer.from(text, 'base64'))

/** Writes what this wire can tell: neither headers nor timestamps. */
export async function writeOverMyKafka(topic: string, partitions: number): Promise<WrittenRecord[]> {
  const records = examples({ cannotWrite: ['timestamp', 'distant timestamp'], headers: false, partitions, large: true })
  await overMyKafka(async (client) => {
    for (const { partition, key, value } of records) {
      await client.produce(topic, [{ key: bytes(key), value: bytes(value) }], { partition })
    }
  })
  return records
}

/** Reads whole topics. */
export function readOverMyKafka(topics: readonly string[], partitions: number): Promise<ReadRecord[]> {
  return overMyKafka(async (client) => {
    const read: ReadRecord[] = []
    for (const topic of topics) {
      for (let partition = 0; partition < partitions; partition++) {
        for (let at = 0; ; ) {
          const records = await client.fetch(topic, partition, at)
          if (records.length === 0) break
          for (const { offset, timestamp, key, value } of records) {
            const content = { key: key && base64(key), value: value && base64(value), headers: [] }
            read.push({ topic, partition, offset, timestamp, ...content })
          }
          at = (read.at(-1) as ReadRecord).offset + 1
        }
      }
    }
    return read
  })
}
