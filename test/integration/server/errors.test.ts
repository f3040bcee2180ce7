import { beforeEach, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'
import { readStoredEntries } from '../../support/stored-format.js'

const { ERROR } = frames
let broker: TestBroker
let peer: Peer

beforeEach(async () => {
  broker = await startBroker()
  peer = await broker.connect()
  await peer.call(frames.createTopic('t', 2))
})

const record = [{ key: 'k', value: 'v' }]

it('tells of a topic or a partition that is not there, in each call', async () => {
  for (const [topic, partition] of [
    ['u', 0],
    ['t', 2],
    ['t', -2],
    ['t', 2 ** 31 - 1],
    ['toString', 0],
  ] as const) {
    const code = ERROR.unknownTopicOrPartition
    const asked = frames.readProduced(await peer.call(frames.produce(topic, partition, record)))
    expect(asked).toMatchObject({ errorCode: code, baseOffset: -1, count: 0 })
    expect(await peer.call(frames.fetch(topic, partition, 0))).toEqual(frames.fetched(code, 0))
    expect(await peer.call(frames.commitOffset('g', topic, partition, 0))).toEqual(frames.committed(code))
    expect(await peer.call(frames.fetchOffset('g', topic, partition))).toEqual(frames.offsetFetched(code, -1))
  }
  expect(await peer.call(frames.metadata('u'))).toEqual(frames.described(ERROR.unknownTopicOrPartition, {}))
  expect(await peer.call(frames.produce('t', 2, record))).toEqual(
    frames.produced(ERROR.unknownTopicOrPartition, 2, -1, 0),
  )
  expect(await peer.call(frames.metadata('t'))).toEqual(
    frames.described(0, {
      t: [
        [0, 0],
        [0, 0],
      ],
    }),
  )
})

it("refuses clients' records for the internal topics", async () => {
  for (const topic of ['__consumer_offsets', '__cluster_metadata']) {
    for (const partition of [0, -1]) {
      const answer = frames.readProduced(await peer.call(frames.produce(topic, partition, record)))
      expect(answer).toMatchObject({ errorCode: ERROR.invalidTopic, baseOffset: -1, count: 0 })
    }
    expect(await peer.call(frames.createTopic(topic, 1))).toEqual(frames.created(1))
    expect(await peer.call(frames.metadata(topic))).toEqual(frames.described(0, { [topic]: [[0, 0]] }))
  }
  expect(await peer.call(frames.metadata(''))).toEqual(
    frames.described(0, {
      t: [
        [0, 0],
        [0, 0],
      ],
    }),
  )
})

it('lets clients read the internal topics', async () => {
  await peer.call(frames.commitOffset('g', 't', 1, 5))
  const { count, records } = frames.readFetched(await peer.call(frames.fetch('__consumer_offsets', 0, 0)))
  expect(count).toBe(1)
  // [groupLen:2][group][topicLen:2][topic][partition:4] and [offset:8]
  expect(readStoredEntries(records)).toMatchObject([
    { key: Buffer.from('\0\x01g\0\x01t\0\0\0\x01'), value: Buffer.from([0, 0, 0, 0, 0, 0, 0, 5]) },
  ])
})

it('answers a call that nobody knows, and the connection goes on', async () => {
  for (const apiKey of [8, 9, 100, 127, 128, 255]) {
    const payloads = [Buffer.alloc(0), Buffer.from('payload'), Buffer.alloc(5000)]
    for (const payload of payloads) {
      expect(await peer.call(frames.frame(apiKey, payload))).toEqual(
        frames.frame(apiKey, Buffer.from([ERROR.invalidRequest])),
      )
    }
  }
  expect(await peer.call(frames.produce('t', 0, record))).toEqual(frames.produced(0, 0, 0, 1))
})

it('refuses records that are not exactly as many as the request says, and stores none of them', async () => {
  const three = [{ value: 'a' }, { key: 'k', value: null }, { value: 'c' }]
  for (const count of [1, 2, 4, 1000, 2 ** 31 - 1]) {
    expect(await peer.call(frames.produce('t', 0, three, count)), `${count}`).toEqual(
      frames.produced(ERROR.invalidRecord, 0, -1, 0),
    )
  }
  for (const count of [0, -1, -(2 ** 31)]) {
    const answer = frames.readProduced(await peer.call(frames.produce('t', 0, three, count)))
    expect(answer, `${count}`).toMatchObject({ errorCode: ERROR.invalidRecord, baseOffset: -1, count: 0 })
  }
  expect(await peer.call(frames.produce('t', 0, three, 3))).toEqual(frames.produced(0, 0, 0, 3))
  expect(await peer.call(frames.produce('t', -1, []))).toEqual(frames.produced(ERROR.invalidRecord, -1, -1, 0))
})

it('refuses one request of many in a chunk, and takes those around it', async () => {
  peer.send(
    Buffer.concat([
      frames.produce('t', 0, record),
      frames.produce('t', 0, record, 7),
      frames.produce('u', 0, record),
      frames.produce('t', 0, record),
    ]),
  )
  expect(await peer.frames(2)).toEqual([frames.produced(0, 0, 0, 1), frames.produced(ERROR.invalidRecord, 0, -1, 0)])
  expect(frames.readProduced(await peer.frame()).errorCode).toBe(ERROR.unknownTopicOrPartition)
  expect(await peer.frame()).toEqual(frames.produced(0, 0, 1, 1))
})
