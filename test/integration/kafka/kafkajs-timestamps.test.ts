import { CompressionTypes, type Message } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import type { BrokerOptions } from '../../../src/server/broker.js'
import { fetchEntries } from '../../support/both-wires.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import { connect, kafkajs } from '../../support/kafkajs.js'
import { type Random, testRandom } from '../../support/random.js'
import { temporaryDirectory } from '../../support/temporary.js'

const BEGIN = 1_700_000_000_000
const KEYS = 12

interface Placed {
  readonly offset: number
  readonly timestamp: number
}

/** Batches whose times mostly go on, sometimes back, and once far ahead. */
function someBatches(random: Random, count: number): Message[][] {
  let clock = BEGIN
  return Array.from({ length: count }, (_, i) =>
    Array.from({ length: random.integer(1, 5) }, () => {
      clock += random.integer(0, 30)
      const away = random.next() < 0.2 ? -random.integer(0, 300) : i === 20 ? 5000 : 0
      const key = `key-${random.integer(1, KEYS)}`
      return { key, value: 'v'.repeat(random.integer(20, 120)), timestamp: String(clock + away) }
    }),
  )
}

async function makeTopic({ broker }: TestBroker, configs: Record<string, string>): Promise<void> {
  const admin = await connect(kafkajs(broker).admin())
  const configEntries = Object.entries({ 'segment.bytes': '2048', 'index.interval.bytes': '200', ...configs }).map(
    ([name, value]) => ({ name, value }),
  )
  await admin.createTopics({ topics: [{ topic: 't', configEntries }] })
}

async function send({ broker }: TestBroker, batches: readonly Message[][]): Promise<void> {
  const producer = await connect(kafkajs(broker).producer())
  for (const [i, messages] of batches.entries()) {
    const compression = i % 2 === 0 ? CompressionTypes.GZIP : CompressionTypes.None
    await producer.send({ topic: 't', acks: -1, compression, messages })
  }
}

/** Holds the broker's answers against a look at all that is there; where there is nothing, kafkajs has the end. */
async function expectFound({ broker }: TestBroker, placed: readonly Placed[], random: Random): Promise<void> {
  const admin = await connect(kafkajs(broker).admin())
  const [ends] = await admin.fetchTopicOffsets('t')
  const times = placed.map(({ timestamp }) => timestamp)
  const wanted = [BEGIN - 1000, Math.max(...times), Math.max(...times) + 1]
  for (let i = 0; i < 40; i++) wanted.push(random.pick(times) + random.integer(-1, 1))
  for (const time of wanted) {
    const found = placed.find(({ timestamp }) => timestamp >= time)
    const [answer] = await admin.fetchTopicOffsetsByTimestamp('t', time)
    expect(answer?.offset, `${time}`).toBe(found === undefined ? ends?.high : String(found.offset))
  }
}

async function restarted(before: TestBroker, options: BrokerOptions = {}): Promise<TestBroker> {
  await before.stop()
  return await startBroker({ ...options, dataDir: before.dataDir })
}

describe.each(['kafka', 'mykafka'])('a topic of the format %s', (recordFormat) => {
  it('tells kafkajs where a time begins, across segments, deletions and restarts', async () => {
    const random = testRandom()
    let started = await startBroker({ dataDir: await temporaryDirectory() })
    await makeTopic(started, { 'record.format': recordFormat })
    const batches = someBatches(random, 80)
    await send(started, batches)
    const placed = batches.flat().map(({ timestamp }, offset) => ({ offset, timestamp: Number(timestamp) }))
    await expectFound(started, placed, random)
    started = await restarted(started)
    await expectFound(started, placed, random)

    // Into the middle of a segment and, for what has batches, of a batch.
    const admin = await connect(kafkajs(started.broker).admin())
    // It knows a topic only from then on.
    await admin.fetchTopicOffsets('t')
    for (const start of [Math.floor(placed.length / 3), Math.floor(placed.length / 2) + 1]) {
      await admin.deleteTopicRecords({ topic: 't', partitions: [{ partition: 0, offset: String(start) }] })
      await expectFound(started, placed.slice(start), random)
    }
    started = await restarted(started)
    await expectFound(started, placed.slice(Math.floor(placed.length / 2) + 1), random)
  })

  it('counts the time of the append where that is what it keeps', async () => {
    const random = testRandom()
    const started = await startBroker()
    await makeTopic(started, { 'record.format': recordFormat, 'message.timestamp.type': 'LogAppendTime' })
    await send(started, someBatches(random, 40))
    // Of a batch, each record has the time of all.
    const placed = await fetchEntries(await started.connect(), 't')
    expect(Math.min(...placed.map(({ timestamp }) => timestamp))).toBeGreaterThan(BEGIN + 100_000)
    await expectFound(started, placed, random)
  })

  it('finds among what a compaction has left', async () => {
    const random = testRandom()
    const options = { logCleanerBackoffMs: 5 }
    let started = await startBroker({ dataDir: await temporaryDirectory(), ...options })
    const compact = { 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0.01' }
    await makeTopic(started, { 'record.format': recordFormat, ...compact })
    const batches = someBatches(random, 120)
    await send(started, batches)
    const end = batches.flat().length
    // What no compression makes smaller, so that the records before it are in no active segment.
    const filler = { key: 'filler', value: random.bytes(1500), timestamp: String(BEGIN) }
    await send(started, [[filler], [filler], [filler]])
    const cleaned = (): boolean =>
      started.logger.lines.some(({ fields }) => fields.topic === 't' && (fields.endOffset as number) >= end)
    while (!cleaned()) await new Promise((resolve) => setTimeout(resolve, 10))
    const placed = await fetchEntries(await started.connect(), 't')
    expect(placed.length).toBeLessThan(end / 2)
    await expectFound(started, placed, random)
    started = await restarted(started, options)
    await expectFound(started, placed, random)
  })
})
