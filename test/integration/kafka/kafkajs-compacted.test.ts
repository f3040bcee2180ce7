import KafkaJs from 'kafkajs'
import { expect, it } from 'vitest'
import { fetchEntries } from '../../support/both-wires.js'
import { startBroker } from '../../support/broker.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { fetchRecords } from '../../support/kafka-records.js'
import { connect, kafkajs } from '../../support/kafkajs.js'

const COMPACTED = { 'cleanup.policy': 'compact', 'segment.bytes': '4096', 'min.cleanable.dirty.ratio': '0' }
const ROUNDS = 30
const KEYS = 20
const { None, GZIP } = KafkaJs.CompressionTypes

const valueIn = (round: number, key: number): string | null =>
  round === ROUNDS - 1 && key % 5 === 0 ? null : `value ${round} of ${key} ${'.'.repeat(30)}`

it.each(['kafka', 'mykafka'])('kafkajs reads a compacted topic of %s entries to its end', async (format) => {
  const { broker, port, connect: connectPeer } = await startBroker({ logCleanerBackoffMs: 5 })
  const kafka = kafkajs(broker)
  const admin = await connect(kafka.admin())
  const configEntries = Object.entries({ ...COMPACTED, 'record.format': format })
  await admin.createTopics({
    topics: [{ topic: 't', numPartitions: 1, configEntries: configEntries.map(([name, value]) => ({ name, value })) }],
  })
  const producer = await connect(kafka.producer())
  for (let round = 0; round < ROUNDS; round++) {
    const messages = Array.from({ length: KEYS }, (_, key) => ({ key: `key ${key}`, value: valueIn(round, key) }))
    await producer.send({ topic: 't', compression: round % 2 === 0 ? None : GZIP, messages })
  }
  const filling = Array.from({ length: 25 }, (_, i) => ({ key: `filling ${i}`, value: '.'.repeat(400) }))
  await producer.send({ topic: 't', messages: filling })

  const peer = await connectPeer()
  const left = () => fetchEntries(peer, 't')
  const ofRounds = async () => (await left()).filter(({ key }) => String(key).startsWith('key ')).length
  await expect.poll(ofRounds, { timeout: 30_000 }).toBe(KEYS)
  const entries = (await left()).map(({ offset, key, value }) => [offset, String(key), value?.toString() ?? null])
  const last = new Map(entries.map(([, key, value]) => [key, value]))
  for (let key = 0; key < KEYS; key++) expect(last.get(`key ${key}`)).toBe(valueIn(ROUNDS - 1, key))
  expect(entries.at(-1)?.[0]).toBe(ROUNDS * KEYS + filling.length - 1)

  // Both wires tell of the same records, in reads of any size.
  for (const maxBytes of [1, 700, 1 << 20]) {
    const overKafka = await fetchRecords(await KafkaPeer.connect(port), 't', 0, maxBytes)
    const asText = overKafka.map(({ offset, key, value }) => [offset, String(key), value?.toString() ?? null])
    expect(asText).toEqual(entries)
    expect((await fetchEntries(peer, 't', 0, maxBytes)).map(({ offset }) => offset)).toEqual(entries.map(([at]) => at))
  }

  const consumer = await connect(kafka.consumer({ groupId: 'g', maxWaitTimeInMs: 100 }))
  await consumer.subscribe({ topic: 't', fromBeginning: true })
  const read: (typeof entries)[number][] = []
  await consumer.run({
    eachMessage: async ({ message }) => {
      read.push([Number(message.offset), String(message.key), message.value?.toString() ?? null])
    },
  })
  await expect.poll(() => read.length, { timeout: 30_000 }).toBe(entries.length)
  expect(read).toEqual(entries)
})
