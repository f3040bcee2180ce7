import { createRequire } from 'node:module'
import confluent from '@confluentinc/kafka-javascript'
import {
  decode,
  Expected,
  emit,
  encode,
  exit,
  lacking,
  main,
  onCommands,
  Positions,
  step,
  until,
} from '../protocol.mjs'

const { version } = createRequire(import.meta.url)('@confluentinc/kafka-javascript/package.json')
const { Kafka, logLevel } = confluent.KafkaJS
const connect = (bootstrap) =>
  new Kafka({ kafkaJS: { clientId: 'interop', brokers: [bootstrap], logLevel: logLevel.ERROR } })

/** Headers are kept in an object: one value, or an array where a name comes again. */
function headersOf(list = []) {
  const headers = {}
  for (const [name, value] of list) headers[name] = [...(headers[name] ?? []), decode(value)]
  return headers
}

function listOf(headers = {}) {
  return Object.entries(headers ?? {}).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values]).map((value) => [name, encode(value)]),
  )
}

async function produceBatch(kafka, { topic, codec = 'none', acks = -1, idempotent = false, records }) {
  const producer = kafka.producer({
    kafkaJS: { idempotent, acks, compression: codec, allowAutoTopicCreation: false },
    'linger.ms': 20,
  })
  await producer.connect()
  const messages = records.map(({ partition, key, value, headers, timestamp }) => ({
    partition,
    key: decode(key),
    value: decode(value),
    headers: headersOf(headers),
    ...(timestamp === null || timestamp === undefined ? {} : { timestamp: String(timestamp) }),
  }))
  const results = await producer.send({ topic, messages })
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
  version: () => emit({ event: 'version', version: `${version} (librdkafka ${confluent.librdkafkaVersion})` }),

  async produce(bootstrap, { batches }) {
    const kafka = connect(bootstrap)
    for (const batch of batches) await produceBatch(kafka, batch)
  },

  async consume(bootstrap, { topics, group }) {
    const settings = { groupId: group, fromBeginning: true, autoCommit: false }
    const consumer = connect(bootstrap).consumer({ kafkaJS: settings })
    await consumer.connect()
    const expected = new Expected(topics)
    await consumer.subscribe({ topics: expected.topics })
    await new Promise((resolve) => {
      const eachMessage = async ({ topic, partition, message }) => {
        emit(record(topic, partition, message))
        if (expected.took(topic)) resolve()
      }
      consumer.run({ eachMessage })
    })
    await consumer.disconnect()
  },

  async member(bootstrap, { topic, group, reset, sessionTimeoutMs = 6000 }) {
    const positions = new Positions()
    const consumer = connect(bootstrap).consumer({
      kafkaJS: {
        groupId: group,
        fromBeginning: reset === 'earliest',
        autoCommit: false,
        sessionTimeout: sessionTimeoutMs,
        heartbeatInterval: 200,
      },
      rebalance_cb: (_error, assignment) => {
        const ours = assignment.filter((entry) => entry.topic === topic)
        if (_error.code === confluent.CODES.ERRORS.ERR__ASSIGN_PARTITIONS) {
          positions.assigned(ours.map(({ partition }) => partition))
        } else positions.assigned([])
      },
    })
    await consumer.connect()
    await consumer.subscribe({ topics: [topic] })
    await consumer.run({
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

  async topics(bootstrap, { topic }) {
    const admin = connect(bootstrap).admin()
    await admin.connect()
    const partitions = async () => (await admin.fetchTopicMetadata({ topics: [topic] }))[0].partitions.length
    const listed = async () => (await admin.listTopics()).includes(topic)
    const configEntries = [{ name: 'retention.ms', value: '86400000' }]
    step('created', await admin.createTopics({ topics: [{ topic, numPartitions: 3, configEntries }] }))
    step('listed', await until(listed, (there) => there))
    step('partitions', await partitions())
    for (const name of ['config', 'altered', 'grown']) lacking(name)
    await admin.deleteTopics({ topics: [topic] })
    step('deleted', !(await until(listed, (there) => !there)))
    await admin.disconnect()
  },
})
