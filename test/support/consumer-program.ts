/** A kafkajs consumer as a process of its own, which tells what it hears and commits when it is told: see child-consumer.ts. */
import { Kafka, logLevel } from 'kafkajs'
import type { ConsumerSettings, Heard } from './child-consumer.js'

const settings = JSON.parse(process.argv[2] as string) as ConsumerSettings
const kafka = new Kafka({ clientId: 'child', brokers: [settings.bootstrapServers], logLevel: logLevel.NOTHING })
const consumer = kafka.consumer({
  groupId: settings.groupId,
  sessionTimeout: settings.sessionTimeoutMs,
  heartbeatInterval: settings.sessionTimeoutMs / 10,
  maxWaitTimeInMs: 100,
})
const tell = (heard: Heard): void => void process.send?.(heard)
const next = new Map<number, string>()

consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
  next.clear()
  tell({ kind: 'assigned', partitions: payload.memberAssignment[settings.topic] ?? [] })
})

process.on('message', async () => {
  const offsets = [...next].map(([partition, offset]) => ({ topic: settings.topic, partition, offset }))
  await consumer.commitOffsets(offsets)
  tell({ kind: 'committed' })
})

await consumer.connect()
await consumer.subscribe({ topic: settings.topic, fromBeginning: true })
await consumer.run({
  autoCommit: false,
  eachMessage: async ({ partition, message }) => {
    next.set(partition, String(Number(message.offset) + 1))
    tell({ kind: 'message', partition, offset: Number(message.offset), value: String(message.value) })
  },
})
