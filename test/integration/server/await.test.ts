import { beforeEach, describe, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { Peer } from '../../support/peer.js'

const FOREVER_MS = 2 ** 31 - 1
const { ERROR } = frames

let broker: TestBroker
let waiter: Peer
let producer: Peer

beforeEach(async () => {
  broker = await startBroker()
  waiter = await broker.connect()
  producer = await broker.connect()
  await producer.call(frames.createTopic('t', 3))
  await producer.call(frames.createTopic('u', 1))
})

/** Others are served meanwhile, so often that an answer that did not wait would be here. */
async function expectUnanswered(): Promise<void> {
  for (let i = 0; i < 5; i++) await producer.call(frames.createTopic('t', 3))
  expect(waiter.unread).toBe(0)
}

const append = (topic: string, partition: number): Promise<Buffer> =>
  producer.call(frames.produce(topic, partition, [{ value: 'v' }]))

it('tells the partitions that have a record at or behind their offset', async () => {
  await append('t', 1)
  await append('u', 0)
  const asked = [
    ['t', 0, 0],
    ['t', 1, 0],
    ['u', 0, 1],
    ['u', 0, 0],
  ] as const
  expect(await waiter.call(frames.awaitRecords(FOREVER_MS, asked))).toEqual(frames.awaited(0, [1, 3]))
})

it('waits for a record, in any of them', async () => {
  waiter.send(
    frames.awaitRecords(FOREVER_MS, [
      ['t', 0, 0],
      ['u', 0, 0],
    ]),
  )
  await expectUnanswered()
  await append('t', 1)
  await expectUnanswered()
  await append('u', 0)
  expect(await waiter.frame()).toEqual(frames.awaited(0, [1]))
})

it('tells none when the time is over, and at once where nothing is asked for', async () => {
  expect(await waiter.call(frames.awaitRecords(20, [['t', 0, 0]]))).toEqual(frames.awaited(0))
  expect(await waiter.call(frames.awaitRecords(0, [['t', 0, 0]]))).toEqual(frames.awaited(0))
  expect(await waiter.call(frames.awaitRecords(FOREVER_MS, []))).toEqual(frames.awaited(0))
})

it.each([
  ['no topic', ['v', 0, 0]],
  ['no partition', ['t', 3, 0]],
  ['an offset above the end', ['t', 0, 1]],
  ['an offset below the start', ['t', 0, -1]],
] as const)('tells of what a FETCH answers with an error: %s', async (_, wrong) => {
  const asked = [['u', 0, 0], wrong] as const
  expect(await waiter.call(frames.awaitRecords(FOREVER_MS, asked))).toEqual(frames.awaited(0, [1]))
  const [topic, partition, offset] = wrong
  expect(frames.readFetched(await waiter.call(frames.fetch(topic, partition, offset))).errorCode).not.toBe(0)
})

it('is ended by the next one of its connection', async () => {
  const one = frames.awaitRecords(FOREVER_MS, [['t', 0, 0]])
  const both = frames.awaitRecords(FOREVER_MS, [
    ['t', 0, 0],
    ['t', 1, 0],
  ])
  waiter.send(one)
  await expectUnanswered()
  waiter.send(both)
  expect(await waiter.frame()).toEqual(frames.awaited(0))
  await expectUnanswered()
  await append('t', 1)
  expect(await waiter.frame()).toEqual(frames.awaited(0, [1]))
})

it('hundreds that are sent without waiting hold one wait', async () => {
  const count = 500
  waiter.send(Buffer.concat(Array.from({ length: count }, () => frames.awaitRecords(FOREVER_MS, [['t', 0, 0]]))))
  expect(new Set((await waiter.frames(count - 1)).map(String)).size).toBe(1)
  await expectUnanswered()
  await append('t', 0)
  expect(await waiter.frame()).toEqual(frames.awaited(0, [0]))
})

it('every connection that waits is answered by one append', async () => {
  const waiters = await Promise.all(Array.from({ length: 20 }, () => broker.connect()))
  for (const each of waiters) each.send(frames.awaitRecords(FOREVER_MS, [['t', 0, 0]]))
  await expectUnanswered()
  await append('t', 0)
  for (const each of waiters) expect(await each.frame()).toEqual(frames.awaited(0, [0]))
})

it('holds back other calls of its connection', async () => {
  waiter.send(frames.awaitRecords(FOREVER_MS, [['t', 0, 0]]), frames.fetch('t', 0, 0))
  await expectUnanswered()
  await append('t', 0)
  expect(await waiter.frame()).toEqual(frames.awaited(0, [0]))
  expect(frames.readFetched(await waiter.frame()).count).toBe(1)
})

it('refuses what is malformed, and a wait goes on to its end', async () => {
  expect(await waiter.call(frames.awaitRecords(-1, [['t', 0, 0]]))).toEqual(frames.awaited(ERROR.invalidRequest))
  expect(await waiter.call(frames.awaitRecords(5, [['t', 0, 0]], 2))).toEqual(frames.awaited(ERROR.invalidRequest))
  expect(await waiter.call(frames.awaitRecords(5, [['t', 0, 2n ** 60n]]))).toEqual(frames.awaited(ERROR.invalidRequest))
  expect(await waiter.call(frames.awaitRecords(5, [['t', 0, 0]]))).toEqual(frames.awaited(0))
})

describe('is let go of', () => {
  it('when the broker stops, with an answer', async () => {
    waiter.send(frames.awaitRecords(FOREVER_MS, [['t', 0, 0]]))
    await expectUnanswered()
    const stopped = broker.stop()
    expect((await waiter.frame())[5]).toBe(0)
    await stopped
    expect(broker.logger.messages('error')).toEqual([])
  })

  it('when the client ends its side, or goes', async () => {
    waiter.send(frames.awaitRecords(FOREVER_MS, [['t', 0, 0]]))
    const gone = await Peer.connect(broker.port)
    gone.send(frames.awaitRecords(FOREVER_MS, [['t', 0, 0]]))
    await expectUnanswered()
    waiter.socket.end()
    gone.socket.destroy()
    expect(await waiter.frame()).toEqual(frames.awaited(0))
    // The producer's is left.
    await expect.poll(() => broker.broker.connectionCount).toBe(1)
  })
})
