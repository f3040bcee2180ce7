import { readFileSync } from 'node:fs'
import { Admin, Consumer, Producer } from '@platformatic/kafka'
import { decode, Expected, emit, encode, exit, main, onCommands, Positions, step, until } from '../protocol.mjs'

const packageFile = new URL('../package.json', import.meta.resolve('@platformatic/kafka'))
const { version } = JSON.parse(readFileSync(packageFile, 'utf8'))
const connection = (bootstrap) => ({ clientId: 'interop', bootstrapBrokers: [bootstrap] })

async function produceBatch(bootstrap, { topic, codec = 'none', acks = -1, idempotent = false, records }) {
  const producer = new Producer({ ...connection(bootstrap), idempotent })
  const messages = records.map(({ partition, key, value, headers = [], timestamp }) => ({
    topic,
    partition,
    key: decode(key) ?? undefined,
    value: decode(value) ?? undefined,
    // A map of buffers keeps a name that comes again.
    headers: new Map(headers.map(([name, content]) => [Buffer.from(name), decode(content)])),
    ...(timestamp === null || timestamp === undefined ? {} : { timestamp: BigInt(timestamp) }),
  }))
  const { offsets: results } = await producer.send({ messages, acks, compression: codec, idempotent })
  const next = new Map(results?.map(({ partition, offset }) => [partition, Number(offset)]))
  const offsets = records.map(({ partition }) => {
    const offset = next.get(partition)
    if (offset === undefined) return null
    next.set(partition, offset + 1)
    return { partition, offset }
  })
  emit({ event: 'produced', topic, offsets: acks === 0 ? null : offsets })
  await producer.close()
}

const record = ({ topic, partition, offset, timestamp, key, value, headerEntries }) => ({
  event: 'record',
  topic,
  partition,
  offset: Number(offset),
  timestamp: Number(timestamp),
  key: encode(key),
  value: encode(value),
  headers: headerEntries.map(([name, content]) => [name.toString(), encode(content)]),
})

await main({
  version: () => emit({ event: 'version', version }),

  async produce(bootstrap, { batches }) {
    for (const batch of batches) await produceBatch(bootstrap, batch)
  },

  async consume(bootstrap, { topics, group }) {
    const consumer = new Consumer({ ...connection(bootstrap), groupId: group })
    const expected = new Expected(topics)
    const stream = await consumer.consume({ autocommit: false, topics: expected.topics, mode: 'earliest' })
    for await (const message of stream) {
      emit(record(message))
      if (expected.took(message.topic)) break
    }
    await consumer.close(true)
  },

  async member(bootstrap, { topic, group, reset, sessionTimeoutMs = 6000 }) {
    const consumer = new Consumer({
      ...connection(bootstrap),
      groupId: group,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: 20_000,
      heartbeatInterval: 200,
    })
    const positions = new Positions()
    const joined = () =>
      positions.assigned((consumer.assignments ?? []).filter((a) => a.topic === topic).flatMap((a) => a.partitions))
    consumer.on('consumer:group:join', joined)
    const stream = await consumer.consume({
      autocommit: false,
      topics: [topic],
      mode: 'committed',
      fallbackMode: reset,
    })
    stream.on('data', (message) => {
      positions.consumed(message.partition, message.offset)
      emit(record(message))
    })
    await onCommands(async (command) => {
      if (command === 'leave') {
        await consumer.close(true)
        await exit(0)
      }
      if (command !== 'commit') throw new Error(`unknown command ${command}`)
      const offsets = positions.entries().map(([partition, offset]) => ({ topic, partition, offset: BigInt(offset) }))
      await consumer.commit({ offsets: offsets.map((entry) => ({ ...entry, leaderEpoch: -1 })) })
      positions.committed()
    })
  },

  async topics(bootstrap, { topic }) {
    const admin = new Admin(connection(bootstrap))
    const resource = { resourceType: 2, resourceName: topic }
    const retention = async () => {
      const resources = [{ ...resource, configurationKeys: ['retention.ms'] }]
      const [{ configs }] = await admin.describeConfigs({ resources })
      return configs.find(({ name }) => name === 'retention.ms').value
    }
    const partitions = async () => {
      const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true })
      return topics.get(topic).partitionsCount
    }
    const listed = async () => (await admin.listTopics()).includes(topic)
    const configs = [{ name: 'retention.ms', value: '86400000' }]
    const created = await admin.createTopics({ topics: [topic], partitions: 3, replicas: 1, configs })
    step('created', created.length === 1)
    step('listed', await until(listed, (there) => there))
    step('partitions', await partitions())
    step('config', await retention())
    const set = [{ name: 'retention.ms', configOperation: 0, value: '3600000' }]
    await admin.incrementalAlterConfigs({ resources: [{ ...resource, configs: set }] })
    step('altered', await until(retention, (value) => value !== '86400000'))
    await admin.createPartitions({ topics: [{ name: topic, count: 5, assignments: null }] })
    step('grown', await until(partitions, (count) => count !== 3))
    await admin.deleteTopics({ topics: [topic] })
    step('deleted', !(await until(listed, (there) => !there)))
    await admin.close()
  },
})
