import { beforeEach, expect, it } from 'vitest'
import { type FetchRequest, fetchApi } from '../../../src/wire/kafka/generated/fetch.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import {
  type FetchFrom,
  fetched,
  fetchRequest,
  makeTopic,
  produce,
  sentBatch,
  storedBatch,
} from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'

const ERROR = { sessionIdNotFound: 70, invalidSessionEpoch: 71, unknownTopicId: 100, topicIdError: 106 } as const
const VERSION = 17
const FOREVER_MS = 2 ** 31 - 1

let broker: TestBroker
let peer: KafkaPeer
let producer: KafkaPeer
let ids: Record<'t' | 'u', string>

const one = sentBatch('one record')
const from = (topic: 't' | 'u', offset: number): FetchFrom => ({ topic: '', topicId: ids[topic], offset })

beforeEach(async () => {
  broker = await startBroker()
  peer = await KafkaPeer.connect(broker.port)
  producer = await KafkaPeer.connect(broker.port)
  ids = { t: await makeTopic(peer, 't'), u: await makeTopic(peer, 'u') }
})

async function call(sessionId: number, sessionEpoch: number, asked: FetchFrom[], options: Partial<FetchRequest> = {}) {
  const response = await peer.call(fetchApi, VERSION, fetchRequest(asked, { sessionId, sessionEpoch, ...options }))
  const { errorCode, sessionId: session } = response
  return { errorCode, session: session as number, partitions: fetched(response) }
}

async function open(): Promise<number> {
  const { session, partitions } = await call(0, 0, [from('t', 0), from('u', 0)])
  expect(partitions.map(({ topicId }) => topicId)).toEqual([ids.t, ids.u])
  expect(session).toBeGreaterThan(0)
  return session
}

it('a client asks for what has changed, and gets what has changed', async () => {
  const session = await open()
  expect(await call(session, 1, [])).toEqual({ errorCode: 0, session, partitions: [] })
  await produce(producer, 'u', one)
  const changed = await call(session, 2, [])
  expect(changed.partitions).toMatchObject([{ topicId: ids.u, highWatermark: 1, records: storedBatch(one, 0) }])
  // The position is the client's: as long as it does not move, the same comes again.
  expect((await call(session, 3, [])).partitions).toMatchObject([{ topicId: ids.u, records: storedBatch(one, 0) }])
  expect(await call(session, 4, [from('u', 1)])).toEqual({ errorCode: 0, session, partitions: [] })
})

it('a session waits for all its partitions', async () => {
  const session = await open()
  const waiting = call(session, 1, [], { minBytes: 1, maxWaitMs: FOREVER_MS })
  await produce(producer, 't', one)
  expect((await waiting).partitions).toMatchObject([{ topicId: ids.t, records: storedBatch(one, 0) }])
})

it('a partition that is forgotten is read no more', async () => {
  const session = await open()
  const forgottenTopicsData = [{ topic: '', topicId: ids.t, partitions: [0] }]
  expect((await call(session, 1, [], { forgottenTopicsData })).partitions).toEqual([])
  for (const topic of ['t', 'u']) await produce(producer, topic, one)
  expect((await call(session, 2, [])).partitions.map(({ topicId }) => topicId)).toEqual([ids.u])
})

it('an unknown session, another epoch and topics by name are told for what they are', async () => {
  const session = await open()
  expect(await call(session + 1, 1, [])).toEqual({ errorCode: ERROR.sessionIdNotFound, session: 0, partitions: [] })
  expect(await call(session, 7, [])).toEqual({ errorCode: ERROR.invalidSessionEpoch, session: 0, partitions: [] })
  const request = fetchRequest([], { sessionId: session, sessionEpoch: 1 })
  expect(await peer.call(fetchApi, 12, request)).toMatchObject({ errorCode: ERROR.topicIdError, sessionId: 0 })
  expect(await call(session, 1, [])).toMatchObject({ errorCode: 0, session })
})

it('a topic that is no more is told in each answer', async () => {
  const gone = { topic: '', topicId: 'AAAAAAAAAAAAAAAAAAAAAQ', offset: 0 }
  const { session } = await call(0, 0, [from('t', 0), gone])
  for (const epoch of [1, 2]) {
    const { partitions } = await call(session, epoch, [], { minBytes: 1, maxWaitMs: FOREVER_MS })
    expect(partitions).toMatchObject([{ topicId: gone.topicId, errorCode: ERROR.unknownTopicId }])
  }
})

it('where there are no slots, clients work without sessions', async () => {
  broker = await startBroker({ maxFetchSessions: 0 })
  peer = await KafkaPeer.connect(broker.port)
  ids = { ...ids, t: await makeTopic(peer, 't') }
  await produce(peer, 't', one)
  expect(await call(0, 0, [from('t', 0)])).toMatchObject({ session: 0, partitions: [{ records: storedBatch(one, 0) }] })
})
