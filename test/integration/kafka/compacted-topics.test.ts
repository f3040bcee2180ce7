import { CompressionTypes, type EachMessagePayload } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { fetchEntries } from '../../support/both-wires.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import { connect, kafkajs } from '../../support/kafkajs.js'

const SEGMENT = { 'cleanup.policy': 'compact', 'segment.bytes': '4096', 'min.cleanable.dirty.ratio': '0.01' }
const KEYS = 15
const ROUNDS = 30

/** A topic with many values of few keys, compacted; every third key is deleted at last. */
async function compactedTopic(recordFormat: string): Promise<TestBroker> {
  const started = await startBroker({ logCleanerBackoffMs: 5 })
  const kafka = kafkajs(started.broker)
  const admin = await connect(kafka.admin())
  const configEntries = Object.entries({ ...SEGMENT, 'record.format': recordFormat }).map(([name, value]) => ({
    name,
    value,
  }))
  await admin.createTopics({ topics: [{ topic: 't', configEntries }] })
  const producer = await connect(kafka.producer({ idempotent: true, maxInFlightRequests: 1 }))
  for (let round = 0; round < ROUNDS; round++) {
    await producer.send({
      topic: 't',
      acks: -1,
      compression: round % 2 === 0 ? CompressionTypes.GZIP : CompressionTypes.None,
      messages: Array.from({ length: KEYS }, (_, key) => {
        const last = round === ROUNDS - 1 && key % 3 === 0
        return { key: `key-${key}`, value: last ? null : `${round} of ${key} ${'.'.repeat(60 + key)}` }
      }),
    })
  }
  // The last of it is in the active segment.
  const filler = { key: 'filler', value: '.'.repeat(4000) }
  for (let i = 0; i < 3; i++) await producer.send({ topic: 't', acks: -1, messages: [filler] })
  const end = ROUNDS * KEYS
  const isCompacted = () =>
    started.logger.lines.some(({ fields }) => fields.topic === 't' && (fields.endOffset as number) > end)
  while (!isCompacted()) await new Promise((resolve) => setTimeout(resolve, 10))
  return started
}

describe.each(['kafka', 'mykafka'])('a compacted topic of the format %s', (recordFormat) => {
  it('is read by kafkajs from its beginning to its end, and has the right values', async () => {
    const { broker, connect: connectPeer } = await compactedTopic(recordFormat)
    const kafka = kafkajs(broker)
    const consumer = await connect(kafka.consumer({ groupId: 'group' }))
    await consumer.subscribe({ topic: 't', fromBeginning: true })
    const end = ROUNDS * KEYS + 2
    const values = new Map<string, string | null>()
    const offsets: number[] = []
    await new Promise<void>((resolve, reject) => {
      const eachMessage = async ({ message }: EachMessagePayload): Promise<void> => {
        offsets.push(Number(message.offset))
        values.set(String(message.key), message.value?.toString() ?? null)
        if (Number(message.offset) === end) resolve()
      }
      consumer.run({ eachMessage }).catch(reject)
    })
    expect(offsets.length).toBeLessThan(end / 2)
    expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => a - b))
    for (let key = 0; key < KEYS; key++) {
      const value = values.get(`key-${key}`)
      if (key % 3 === 0) expect(value).toBeNull()
      else expect(value).toMatch(new RegExp(`^${ROUNDS - 1} of ${key} `))
    }
    // MyKafka's FETCH says how many records it gives; the helper compares.
    const entries = await fetchEntries(await connectPeer(), 't')
    expect(entries.map(({ offset }) => offset)).toEqual(offsets)
  })
})
