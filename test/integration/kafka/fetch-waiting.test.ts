import { beforeEach, describe, expect, it } from 'vitest'
import { apiVersionsApi } from '../../../src/wire/kafka/generated/api-versions.js'
import { deleteTopicsApi } from '../../../src/wire/kafka/generated/delete-topics.js'
import { fetchApi } from '../../../src/wire/kafka/generated/fetch.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import { fetch, fetchRequest, makeTopic, produce, sentBatch, storedBatch } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'

const FOREVER_MS = 2 ** 31 - 1
const UNKNOWN_TOPIC = 3
const NOTHING = Buffer.alloc(0)

let broker: TestBroker
let consumer: KafkaPeer
let producer: KafkaPeer

const one = sentBatch('one record')
const BOTH = [
  { topic: 't', offset: 0 },
  { topic: 'u', offset: 0 },
]

beforeEach(async () => {
  broker = await startBroker()
  consumer = await KafkaPeer.connect(broker.port)
  producer = await KafkaPeer.connect(broker.port)
  for (const { topic } of BOTH) await makeTopic(producer, topic)
})

/** Others are served meanwhile, so often that an answer that did not wait would be here. */
async function expectUnanswered(): Promise<void> {
  for (let i = 0; i < 5; i++) await makeTopic(producer, 't')
  expect(consumer.peer.unread).toBe(0)
}

it('waits for a record, in any of its partitions', async () => {
  const answer = fetch(consumer, BOTH, { minBytes: 1, maxWaitMs: FOREVER_MS })
  await expectUnanswered()
  await produce(producer, 'u', one)
  expect(await answer).toMatchObject([
    { topic: 't', highWatermark: 0, records: NOTHING },
    { topic: 'u', highWatermark: 1, records: storedBatch(one, 0) },
  ])
})

it('waits for min_bytes, whichever partitions they come from', async () => {
  const answer = fetch(consumer, BOTH, { minBytes: 3 * one.length, maxWaitMs: FOREVER_MS })
  await produce(producer, 't', one)
  await expectUnanswered()
  await produce(producer, 'u', one)
  await expectUnanswered()
  await produce(producer, 't', one)
  expect(await answer).toMatchObject([
    { topic: 't', records: Buffer.concat([storedBatch(one, 0), storedBatch(one, 1)]) },
    { topic: 'u', records: storedBatch(one, 0) },
  ])
})

it('asks for no more than max_bytes can give', async () => {
  await produce(producer, 't', one)
  const answer = fetch(consumer, BOTH, { minBytes: 10_000, maxBytes: one.length, maxWaitMs: FOREVER_MS })
  expect(await answer).toMatchObject([{ records: storedBatch(one, 0) }, { records: NOTHING }])
})

it('waits for max_wait only, and answers with what there is', async () => {
  await produce(producer, 't', one)
  const answer = fetch(consumer, BOTH, { minBytes: 1000, maxWaitMs: 20 })
  expect(await answer).toMatchObject([{ records: storedBatch(one, 0) }, { records: NOTHING }])
})

describe.each([
  ['max_wait 0', { minBytes: 1, maxWaitMs: 0 }, BOTH],
  ['min_bytes 0', { minBytes: 0, maxWaitMs: FOREVER_MS }, BOTH],
  ['a negative max_wait', { minBytes: 1, maxWaitMs: -5 }, BOTH],
  ['no partition', { minBytes: 1, maxWaitMs: FOREVER_MS }, []],
  ['an unknown topic among them', { minBytes: 1, maxWaitMs: FOREVER_MS }, [...BOTH, { topic: 'v', offset: 0 }]],
  ['an offset out of range', { minBytes: 1, maxWaitMs: FOREVER_MS }, [{ topic: 't', offset: 9 }]],
  ['a log that diverged', { minBytes: 1, maxWaitMs: FOREVER_MS }, [{ topic: 't', offset: 9, lastFetchedEpoch: 0 }]],
])('with %s', (_, options, from) => {
  it('answers at once', async () => {
    expect(await fetch(consumer, from, options)).toHaveLength(from.length)
  })
})

it('every waiting fetch is answered by one append', async () => {
  const consumers = await Promise.all(Array.from({ length: 20 }, () => KafkaPeer.connect(broker.port)))
  const answers = consumers.map((each) => fetch(each, BOTH, { minBytes: 1, maxWaitMs: FOREVER_MS }))
  await expectUnanswered()
  await produce(producer, 't', one)
  for (const answer of await Promise.all(answers)) expect(answer[0]).toMatchObject({ records: storedBatch(one, 0) })
})

it('many wait on one connection', async () => {
  const warnings: Error[] = []
  const warn = (warning: Error): unknown => warnings.push(warning)
  process.on('warning', warn)
  const count = 50
  const answers = Array.from({ length: count }, () => fetch(consumer, BOTH, { minBytes: 1, maxWaitMs: FOREVER_MS }))
  await expectUnanswered()
  await produce(producer, 't', one)
  for (const answer of await Promise.all(answers)) expect(answer[0]).toMatchObject({ records: storedBatch(one, 0) })
  process.off('warning', warn)
  expect(warnings).toEqual([])
})

it('a request of another kind waits behind it, as on a Kafka broker', async () => {
  const fetching = fetch(consumer, BOTH, { minBytes: 1, maxWaitMs: FOREVER_MS })
  const asking = consumer.call(apiVersionsApi, 0, { clientSoftwareName: '', clientSoftwareVersion: '' })
  await expectUnanswered()
  await produce(producer, 't', one)
  expect(await fetching).toHaveLength(2)
  expect(await asking).toMatchObject({ errorCode: 0 })
})

describe('is let go of', () => {
  it('when its topic is deleted, with the error', async () => {
    const answer = fetch(consumer, BOTH, { minBytes: 1, maxWaitMs: FOREVER_MS })
    await expectUnanswered()
    const deletion = { topics: [], topicNames: ['u'], timeoutMs: 0 }
    await producer.call(deleteTopicsApi, 5, deletion)
    expect(await answer).toMatchObject([{ errorCode: 0 }, { errorCode: UNKNOWN_TOPIC }])
    expect(broker.logger.messages('error')).toEqual([])
  })

  it('when the broker stops, with an answer', async () => {
    const answer = fetch(consumer, BOTH, { minBytes: 1, maxWaitMs: FOREVER_MS })
    await expectUnanswered()
    const stopped = broker.stop()
    expect(await answer).toMatchObject([{ errorCode: 0 }, { errorCode: 0 }])
    await stopped
  })

  it('when the client ends its side, or goes', async () => {
    const half = fetch(consumer, BOTH, { minBytes: 1, maxWaitMs: FOREVER_MS })
    const gone = await KafkaPeer.connect(broker.port)
    gone.send(fetchApi, 12, fetchRequest(BOTH, { minBytes: 1, maxWaitMs: FOREVER_MS }))
    await expectUnanswered()
    consumer.peer.socket.end()
    gone.peer.socket.destroy()
    expect(await half).toHaveLength(2)
    await consumer.peer.closed
    // The producer's is left.
    await expect.poll(() => broker.broker.connectionCount).toBe(1)
  })
})
