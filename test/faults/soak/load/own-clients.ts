/** `mykafka/client`, and batches of Kafka's wire as other clients send them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, connect, PartitionError } from '../../../../src/client/index.js'
import { seededRandom } from '../../../support/seeded-random.js'
import { fetchFrom, listOffset, produceBatch } from '../../history/clients/kafka-calls.js'
import { makeBatch } from '../../history/clients/made-records.js'
import { TOPICS } from '../topics.js'
import { type Load, REQUEST_TIMEOUT_MS, withKafka } from './load.js'

const CODECS = 5
const ALL = -1
const FILLER = 'what a record holds '.repeat(100)

const ours = ({ port }: Load) => connect({ brokers: `127.0.0.1:${port}`, requestTimeoutMs: REQUEST_TIMEOUT_MS })

/** Batches compressed by every codec, at acks=1 and acks=all. */
export function batchProducer(load: Load): Promise<void> {
  const random = seededRandom(load.seed)
  return withKafka(load, async (kafka) => {
    for (;;) {
      const records = Array.from({ length: random.integer(1, 100) }, () => ({
        key: Buffer.from(`key ${random.integer(1, 1000)}`),
        value: Buffer.from(FILLER.slice(0, random.integer(0, 500))),
      }))
      const batch = await makeBatch(records, random.integer(0, CODECS - 1))
      const acks = random.next() < 0.2 ? ALL : 1
      const partition = random.integer(0, TOPICS.batches.partitions - 1)
      await produceBatch(kafka, 'batches', partition, { records: batch, acks })
      load.did()
      await sleep(random.integer(0, 60))
    }
  })
}

export async function clientProducer(load: Load): Promise<void> {
  const random = seededRandom(load.seed)
  const kafka = ours(load)
  const producer = kafka.producer({ lingerMs: 5, deliveryTimeoutMs: 60_000 })
  try {
    for (;;) {
      const sending = Array.from({ length: random.integer(1, 40) }, () =>
        producer.send({
          topic: 'records',
          key: `key ${random.integer(1, 1000)}`,
          value: FILLER.slice(0, random.integer(0, 400)),
        }),
      )
      await Promise.all(sending)
      load.did()
      await sleep(random.integer(0, 60))
    }
  } finally {
    await kafka.close({ timeoutMs: 1000 }).catch(() => {})
  }
}

export async function clientConsumer(load: Load): Promise<void> {
  const kafka = ours(load)
  const consumer = kafka.consumer({ groupId: 'client', autoOffsetReset: 'earliest', autoCommitIntervalMs: 1000 })
  try {
    await consumer.subscribe('records')
    for (;;) if ((await consumer.poll({ timeoutMs: 1000 })).length > 0) load.did()
  } catch (error) {
    throw error instanceof PartitionError && error.code !== 'CORRUPT_MESSAGE' ? new Error(String(error)) : error
  } finally {
    await kafka.close({ timeoutMs: 1000 }).catch(() => {})
  }
}

/** Reads a whole partition, which others delete at the front meanwhile, over and over. */
export function fromTheBeginning(load: Load): Promise<void> {
  const random = seededRandom(load.seed)
  return withKafka(load, async (kafka) => {
    for (;;) {
      const topic = random.pick(['batches', 'zipped', 'records', 'keyed', 'keyed-records'] as const)
      const partition = random.integer(0, TOPICS[topic].partitions - 1)
      const end = await listOffset(kafka, topic, partition, 'end')
      let from = await listOffset(kafka, topic, partition, 'start')
      while (from < end) {
        try {
          from = (await fetchFrom(kafka, topic, partition, from, { maxBytes: 1 << 18 })).next
        } catch (error) {
          if ((error as { code?: string }).code !== 'OFFSET_OUT_OF_RANGE') throw error
          from = await listOffset(kafka, topic, partition, 'start')
        }
        await sleep(20)
      }
      load.did()
      await sleep(random.integer(100, 1000))
    }
  })
}

/** A group without members that commits often: the topic of the offsets is compacted. */
export async function commits(load: Load): Promise<void> {
  const random = seededRandom(load.seed)
  const client = await Client.connect({ port: load.port, requestTimeoutMs: REQUEST_TIMEOUT_MS })
  try {
    for (;;) {
      const group = `group ${random.integer(1, 50)}`
      await client.commitOffset(group, 'records', random.integer(0, 2), 0)
      await client.fetchOffset(group, 'records', 0)
      load.did()
      await sleep(10)
    }
  } finally {
    await client.close()
  }
}
