import { beforeEach, describe, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import { batchVector } from '../../support/kafka-batches.js'
import { fetch, makeTopicWith, produce, sentBatch, storedBatch } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'

const ERROR = { messageTooLarge: 10, invalidTimestamp: 32 } as const
const DAY_MS = 86_400_000

let broker: TestBroker
let peer: KafkaPeer

beforeEach(async () => {
  broker = await startBroker()
  peer = await KafkaPeer.connect(broker.port)
})

const one = sentBatch('one record')

describe('message.timestamp.type=LogAppendTime', () => {
  it('gives a batch the time of its append, and says so', async () => {
    await makeTopicWith(peer, 't', { 'message.timestamp.type': 'LogAppendTime' })
    const before = Date.now()
    const answer = await produce(peer, 't', sentBatch('gzip'))
    const after = Date.now()
    const { logAppendTimeMs = 0 } = answer
    expect(answer).toMatchObject({ errorCode: 0, baseOffset: 0 })
    expect(logAppendTimeMs).toBeGreaterThanOrEqual(before)
    expect(logAppendTimeMs).toBeLessThanOrEqual(after)
    const [partition] = await fetch(peer, { topic: 't', offset: 0 })
    const stored = partition?.records as Buffer
    // Attribute bit 3 and the largest timestamp. The CRC is new too: test/unit/native/check-batch.test.ts.
    expect(stored.readInt16BE(21)).toBe(1 | 8)
    expect(Number(stored.readBigInt64BE(35))).toBe(logAppendTimeMs)
    expect(stored.subarray(57)).toEqual(sentBatch('gzip').subarray(57))
  })

  it('makes of a batch what the Java client makes of it', async () => {
    const vector = batchVector('log append time')
    await makeTopicWith(peer, 't', { 'message.timestamp.type': 'LogAppendTime' })
    await produce(peer, 't', Buffer.from(vector.sent, 'hex'))
    const [partition] = await fetch(peer, { topic: 't', offset: 0 })
    const stored = partition?.records as Buffer
    const expected = Buffer.from(vector.stored, 'hex')
    // But for the offset, the CRC and the time, which depend on when it was appended.
    for (const bytes of [stored, expected]) bytes.fill(0, 0, 8).fill(0, 17, 21).fill(0, 35, 43)
    expect(stored).toEqual(expected)
  })
})

describe('message.timestamp.before.max.ms and after.max.ms', () => {
  it('refuse a batch whose largest timestamp is further away', async () => {
    // The vectors are of 2023.
    await makeTopicWith(peer, 'before', { 'message.timestamp.before.max.ms': String(DAY_MS) })
    await makeTopicWith(peer, 'after', { 'message.timestamp.after.max.ms': String(DAY_MS) })
    expect(await produce(peer, 'before', one)).toMatchObject({
      errorCode: ERROR.invalidTimestamp,
      baseOffset: -1,
      errorMessage: expect.stringContaining('1700000000000'),
    })
    expect(await produce(peer, 'after', one)).toMatchObject({ errorCode: 0, baseOffset: 0 })
  })

  it('do not concern records without a timestamp, nor topics of LogAppendTime', async () => {
    const limit = { 'message.timestamp.before.max.ms': String(DAY_MS) }
    await makeTopicWith(peer, 'none', limit)
    expect(await produce(peer, 'none', sentBatch('no timestamp'))).toMatchObject({ errorCode: 0 })
    await makeTopicWith(peer, 'append', { ...limit, 'message.timestamp.type': 'LogAppendTime' })
    expect(await produce(peer, 'append', one)).toMatchObject({ errorCode: 0 })
  })
})

it('max.message.bytes is the largest batch that is taken', async () => {
  await makeTopicWith(peer, 'fits', { 'max.message.bytes': String(one.length) })
  await makeTopicWith(peer, 'short', { 'max.message.bytes': String(one.length - 1) })
  expect(await produce(peer, 'fits', one)).toMatchObject({ errorCode: 0 })
  expect(await produce(peer, 'short', one)).toMatchObject({ errorCode: ERROR.messageTooLarge, baseOffset: -1 })
  const [fits] = await fetch(peer, { topic: 'fits', offset: 0 })
  expect(fits?.records).toEqual(storedBatch(one, 0))
})

it('min.insync.replicas counts up to the number of replicas, as in Kafka: more of them refuse nothing', async () => {
  await makeTopicWith(peer, 't', { 'min.insync.replicas': '2' })
  expect(await produce(peer, 't', sentBatch('one record'), { acks: -1 })).toMatchObject({ errorCode: 0, baseOffset: 0 })
})
