import { beforeEach, describe, expect, it } from 'vitest'
import { listOffsetsApi } from '../../../src/wire/kafka/generated/list-offsets.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { makeTopic, produce, sentBatch } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { batchVector } from '../../support/record-batches.js'
import { readStoredEntries } from '../../support/stored-format.js'

const ERROR = { unknownTopic: 3, unsupportedVersion: 35, unknownLeaderEpoch: 75 } as const
const [LATEST, EARLIEST, LARGEST, EARLIEST_LOCAL, LATEST_TIERED] = [-1, -2, -3, -4, -5]
const NEWEST = 9

let broker: TestBroker
let peer: KafkaPeer

beforeEach(async () => {
  broker = await startBroker()
  peer = await KafkaPeer.connect(broker.port)
  await makeTopic(peer, 't')
})

async function ask(timestamp: number | undefined, more: { version?: number; topic?: string; epoch?: number } = {}) {
  const { version = NEWEST, topic = 't', epoch = -1 } = more
  const partitions = [{ partitionIndex: 0, currentLeaderEpoch: epoch, timestamp: timestamp as number }]
  const request = { replicaId: -1, isolationLevel: 0, topics: [{ name: topic, partitions }] }
  const { topics } = await peer.call(listOffsetsApi, version, request)
  return topics[0]?.partitions[0]
}

const found = (offset: number, timestamp = -1, leaderEpoch = 0) => ({
  partitionIndex: 0,
  errorCode: 0,
  offset,
  timestamp,
  leaderEpoch,
})
const NOTHING = found(-1, -1, -1)

describe.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('ListOffsets %i', (version) => {
  const epoch = version >= 4 ? 0 : -1

  it('tells where the log begins and ends', async () => {
    expect(await ask(EARLIEST, { version })).toEqual(found(0, -1, epoch))
    expect(await ask(LATEST, { version })).toEqual(found(0, -1, epoch))
    await produce(peer, 't', sentBatch('60 records'))
    expect(await ask(EARLIEST, { version })).toEqual(found(0, -1, epoch))
    expect(await ask(LATEST, { version })).toEqual(found(60, -1, epoch))
  })

  it('refuses what the version cannot ask for', async () => {
    for (const [timestamp, first] of [
      [LARGEST, 7],
      [EARLIEST_LOCAL, 8],
      [LATEST_TIERED, 9],
      [-6, 10],
    ] as const) {
      const answer = await ask(timestamp, { version })
      expect(answer?.errorCode, `${timestamp}`).toBe(version >= first ? 0 : ERROR.unsupportedVersion)
    }
  })
})

describe('by timestamp', () => {
  it.each([0, 1, 2, 3, 4])('finds the first record that is not older, within batches of codec %i', async (codec) => {
    const all: number[] = []
    for (const set of codec === 0 ? ['tiny', 'mixed', 'plain'] : ['tiny', 'large', 'mixed', 'plain']) {
      const { bytes, records } = batchVector({ from: 'java', variant: 'create', set, codec })
      expect(await produce(peer, 't', bytes)).toMatchObject({ errorCode: 0, baseOffset: all.length })
      all.push(...records.map(({ timestamp }) => timestamp))
    }
    for (const wanted of new Set([0, ...all, ...all.map((time) => time + 1)])) {
      const offset = all.findIndex((time) => time >= wanted)
      expect(await ask(wanted), `${wanted}`).toEqual(offset < 0 ? NOTHING : found(offset, all[offset]))
    }
    const largest = Math.max(...all)
    expect(await ask(LARGEST)).toEqual(found(all.indexOf(largest), largest))
  })

  it('finds nothing in an empty log', async () => {
    expect(await ask(0)).toEqual(NOTHING)
    expect(await ask(LARGEST)).toEqual(NOTHING)
  })

  it('finds records that came over the wire of MyKafka', async () => {
    const ours = await broker.connect()
    await ours.call(frames.createTopic('ours', 1))
    for (const value of ['a', 'b', 'c']) await ours.call(frames.produce('ours', 0, [{ value }]))
    const { records } = frames.readFetched(await ours.call(frames.fetch('ours', 0, 0)))
    const times = readStoredEntries(records).map(({ timestamp }) => Number(timestamp))
    const largest = Math.max(...times)
    expect(await ask(0, { topic: 'ours' })).toEqual(found(0, times[0]))
    expect(await ask(LARGEST, { topic: 'ours' })).toEqual(found(times.indexOf(largest), largest))
    expect(await ask(largest + 1, { topic: 'ours' })).toEqual(NOTHING)
  })
})

it('local is all there is, tiered nothing', async () => {
  await produce(peer, 't', sentBatch('60 records'))
  expect(await ask(EARLIEST_LOCAL)).toEqual(found(0))
  expect(await ask(LATEST_TIERED)).toEqual(NOTHING)
})

it('tells what is wrong', async () => {
  expect(await ask(LATEST, { topic: 'u' })).toMatchObject({ errorCode: ERROR.unknownTopic, offset: -1, timestamp: -1 })
  expect(await ask(LATEST, { epoch: 1 })).toMatchObject({ errorCode: ERROR.unknownLeaderEpoch, offset: -1 })
  expect(await ask(LATEST, { epoch: 0 })).toEqual(found(0))
})
