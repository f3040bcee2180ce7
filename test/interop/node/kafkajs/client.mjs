import { createRequire } from 'node:module'
import { Kafka, logLevel } from 'kafkajs'
import { decode, Expected, emit, encode, exit, main, onCommands, Positions, step, until } from '../protocol.mjs'
import { compressionType } from './codecs.mjs'

const { version } = createRequire(import.meta.url)('kafkajs/package.json')
const connect = (bootstrap) => new Kafka({ clientId: 'interop', brokers: [bootstrap], logLevel: logLevel.ERROR })

/** kafkajs keeps headers in an object: one value, or an array where a name comes again. */
function headersOf(list = []) {
  const headers = {}
  for (const [name, value] of list) headers[name] = [...(headers[name] ?? []), decode(value)]
  return headers
}

function listOf(headers = {}) {
  return Object.entries(headers).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).map((value) => [name, encode(value)]),
  )
}

async function produceBatch(kafka, { topic, codec = 'none', acks = -1, idempotent = false, records }) {
  const producer = kafka.producer({ idempotent, maxInFlightRequests: 1, allowAutoTopicCreation: false })
  await producer.connect()
  const messages = records.map(({ partition, key, value, headers, timestamp }) => ({
    partition,
    key: decode(key),
    value: decode(value),
    headers: headersOf(headers),
    ...(timestamp === null || timestamp === undefined ? {} : { timestamp: String(timestamp) }),
  }))
  const results = await producer.send({ topic, acks, compression: compressionType(codec), messages })
  const next = new Map(results.map(({ partition, baseOffset }) => [partition, Number(baseOffset)]))
  const offsets = records.map(({ partition }) => {
    const offset = next.get(partition)
    if (offset === undefined) return null
    next.set(partition, offset + 1)
    return { partition, offset }
  })
  emit({ event: 'produced', topic, offsets: acks === 0 ? null : offsets })
  await producer.disconnect()
}

const record = (topic, partition, { offset, timestamp, key, value, headers }) => ({
  event: 'record',
  topic,
  partition,
  offset: Number(offset),
  timestamp: Number(timestamp),
  key: encode(key),
  value: encode(value),
  headers: listOf(headers),
})

await main({
  version: () => emit({ event: 'version', version }),

  async produce(bootstrap, { batches }) {
    const kafka = connect(bootstrap)
    for (const batch of batches) await produceBatch(kafka, batch)
  },

  async consume(bootstrap, { topics, group }) {
    const consumer = connect(bootstrap).consumer({ groupId: group, maxWaitTimeInMs: 200 })
    await consumer.connect()
    const expected = new Expected(topics)
    await consumer.subscribe({ topics: expected.topics, fromBeginning: true })
    await new Promise((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => payload.restart || reject(payload.error))
      const eachMessage = async ({ topic, partition, message }) => {
        emit(record(topic, partition, message))
        if (expected.took(topic)) resolve()
      }
      consumer.run({ autoCommit: false, eachMessage }).catch(reject)
    })
    await consumer.disconnect()
  },

  async member(bootstrap, { topic, group, reset, sessionTimeoutMs = 6000 }) {
    const consumer = connect(bootstrap).consumer({
      groupId: group,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: 20_000,
      heartbeatInterval: 200,
      // When it leaves, it waits for its last fetch.
      maxWaitTimeInMs: 200,
    })
    const positions = new Positions()
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => positions.assigned(payload.memberAssignment[topic] ?? []))
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: reset === 'earliest' })
    await consumer.run({
      autoCommit: false,
      eachMessage: async ({ partition, message }) => {
        positions.consumed(partition, message.offset)
        emit(record(topic, partition, message))
      },
    })
    await onCommands(async (command) => {
      if (command === 'leave') {
        await consumer.disconnect()
        await exit(0)
      }
      if (command !== 'commit') throw new Error(`unknown command ${command}`)
      const offsets = positions.entries()
      await consumer.commitOffsets(offsets.map(([partition, offset]) => ({ topic, partition, offset: String(offset) })))
      positions.committed()
    })
  },

  /** What the other scenarios start from; the runner has no client of its own. */
  async create(bootstrap, { topics }) {
    const admin = connect(bootstrap).admin()
    await admin.connect()
    await admin.createTopics({
      waitForLeaders: true,
      topics: topics.map(({ topic, partitions, config = {} }) => ({
        topic,
        numPartitions: partitions,
        configEntries: Object.entries(config).map(([name, value]) => ({ name, value })),
      })),
    })
    await admin.disconnect()
    emit({ event: 'created' })
  },

  async grow(bootstrap, { topic, partitions }) {
    const admin = connect(bootstrap).admin()
    await admin.connect()
    await admin.createPartitions({ topicPartitions: [{ topic, count: partitions }] })
    const count = async () => (await admin.fetchTopicMetadata({ topics: [topic] })).topics[0].partitions.length
    await until(count, (now) => now === partitions)
    await admin.disconnect()
    emit({ event: 'grown' })
  },

  async topics(bootstrap, { topic }) {
    const admin = connect(bootstrap).admin()
    await admin.connect()
    const resources = [{ type: 2, name: topic, configNames: ['retention.ms'] }]
    const retention = async () => {
      const { resources: described } = await admin.describeConfigs({ resources, includeSynonyms: false })
      return described[0].configEntries.find(({ configName }) => configName === 'retention.ms').configValue
    }
    const partitions = async () => (await admin.fetchTopicMetadata({ topics: [topic] })).topics[0].partitions.length
    const listed = async () => (await admin.listTopics()).includes(topic)
    const configEntries = [{ name: 'retention.ms', value: '86400000' }]
    step('created', await admin.createTopics({ topics: [{ topic, numPartitions: 3, configEntries }] }))
    step('listed', await until(listed, (there) => there))
    step('partitions', await partitions())
    step('config', await retention())
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: 2, name: topic, configEntries: [{ name: 'retention.ms', value: '3600000' }] }],
    })
    step('altered', await until(retention, (value) => value !== '86400000'))
    await admin.createPartitions({ topicPartitions: [{ topic, count: 5 }] })
    step('grown', await until(partitions, (count) => count !== 3))
    await admin.deleteTopics({ topics: [topic] })
    step('deleted', !(await until(listed, (there) => !there)))
    await admin.disconnect()
  },
})
