/** kafkajs as programs use it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { CompressionTypes, type Consumer, Kafka, logLevel } from 'kafkajs'
import { seededRandom } from '../../../support/seeded-random.js'
import type { Load } from './load.js'

const TOPIC = 'zipped'
const GROUP = 'kafkajs'
const RECORDS = 30
const EVERY_MS = 60
const STAYS_MS = 15_000

function kafkajs({ port }: Load): Kafka {
  const retry = { initialRetryTime: 100, maxRetryTime: 1000, retries: 20 }
  return new Kafka({ clientId: 'soak', brokers: [`127.0.0.1:${port}`], logLevel: logLevel.NOTHING, retry })
}

export async function kafkajsProducer(load: Load): Promise<void> {
  const random = seededRandom(load.seed)
  const producer = kafkajs(load).producer({ idempotent: true, maxInFlightRequests: 1 })
  await producer.connect()
  try {
    for (;;) {
      const messages = Array.from({ length: RECORDS }, () => ({
        key: `key ${random.integer(1, 1000)}`,
        value: 'value '.repeat(random.integer(1, 60)),
      }))
      await producer.send({ topic: TOPIC, messages, compression: CompressionTypes.GZIP })
      load.did()
      await sleep(EVERY_MS)
    }
  } finally {
    await producer.disconnect().catch(() => {})
  }
}

/** A member that stays. */
export async function kafkajsConsumer(load: Load): Promise<void> {
  const consumer = kafkajs(load).consumer({ groupId: GROUP, sessionTimeout: 10_000, heartbeatInterval: 1000 })
  await begin(consumer, load)
  await new Promise((_, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => {
      if (!payload.restart) reject(payload.error)
    })
  }).finally(() => consumer.disconnect().catch(() => {}))
}

/** Members that join and leave again: a rebalance each time. */
export async function passingConsumer(load: Load): Promise<void> {
  const random = seededRandom(load.seed)
  for (;;) {
    const consumer = kafkajs(load).consumer({ groupId: GROUP, sessionTimeout: 10_000, heartbeatInterval: 1000 })
    try {
      await begin(consumer, load)
      await sleep(random.integer(1000, STAYS_MS))
    } finally {
      await consumer.disconnect().catch(() => {})
    }
    load.did()
    await sleep(random.integer(1000, STAYS_MS))
  }
}

async function begin(consumer: Consumer, load: Load): Promise<void> {
  await consumer.connect()
  await consumer.subscribe({ topic: TOPIC, fromBeginning: true })
  await consumer.run({ autoCommitInterval: 1000, eachBatch: async () => load.did() })
}
