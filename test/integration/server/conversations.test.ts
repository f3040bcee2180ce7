import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'
import { readStoredEntries } from '../../support/stored-format.js'
import { frameVector } from '../../support/vectors.js'

const TOPIC = 'reservation-events'
/** The timestamp that the vectors' records bear. */
const CLOCK = 1_700_000_000_000

let broker: TestBroker
let peer: Peer

beforeEach(async () => {
  broker = await startBroker()
  peer = await broker.connect()
})

afterEach(() => void vi.useRealTimers())

/** As the vectors have it: 3 partitions, 100 records in partition 2. */
async function filled(): Promise<void> {
  expect(await peer.call(frameVector('CREATE_TOPIC reservation-events 3'))).toEqual(
    frameVector('CREATE_TOPIC response OK'),
  )
  const records = Array.from({ length: 100 }, (_, i) => ({ value: `earlier ${i}` }))
  expect(await peer.call(frames.produce(TOPIC, 2, records))).toEqual(frames.produced(0, 2, 0, 100))
}

it('creates a topic once, and never one without partitions', async () => {
  const frame = frameVector('CREATE_TOPIC reservation-events 3')
  expect(await peer.call(frame)).toEqual(frameVector('CREATE_TOPIC response OK'))
  expect(await peer.call(frame)).toEqual(frameVector('CREATE_TOPIC response ALREADY_EXISTS'))
  expect(await peer.call(frames.createTopic('none', 0))).toEqual(frameVector('CREATE_TOPIC response INVALID'))
  expect(await peer.call(frames.metadata(''))).toEqual(frames.described(0, { [TOPIC]: Array(3).fill([0, 0]) }))
})

it('produces by key, and fetches what was produced byte for byte', async () => {
  await filled()
  vi.useFakeTimers({ toFake: ['Date'], now: CLOCK })
  const byKey = frameVector('PRODUCE partition -1, three records (keys seat-A-1, null, empty)')
  expect(await peer.call(byKey)).toEqual(frames.produced(0, 1, 0, 3))
  // The vectors of the answers are of another partition.
  const toPartition2 = Buffer.from(byKey)
  toPartition2.writeInt32BE(2, 7 + TOPIC.length)
  expect(await peer.call(toPartition2)).toEqual(frameVector('PRODUCE response partition 2, base offset 100, count 3'))
  const firstTwo = frameVector('FETCH response, two records')
  expect(await peer.call(frames.fetch(TOPIC, 2, 100, firstTwo.length - 10))).toEqual(firstTwo)

  const all = await peer.call(frameVector('FETCH partition 2, offset 100, max 1 MiB'))
  expect(all.subarray(10, firstTwo.length)).toEqual(firstTwo.subarray(10))
  const { count, records } = frames.readFetched(all)
  expect(count).toBe(3)
  expect(readStoredEntries(records)).toMatchObject([
    { offset: 100n, timestamp: BigInt(CLOCK), key: Buffer.from('seat-A-1'), value: Buffer.from('created') },
    { offset: 101n, timestamp: BigInt(CLOCK), key: null, value: Buffer.from('no key') },
    { offset: 102n, timestamp: BigInt(CLOCK), key: Buffer.alloc(0), value: Buffer.from('empty key') },
  ])
})

it('keeps what a group commits', async () => {
  await filled()
  const ask = frameVector('FETCH_OFFSET db-writer reservation-events 2')
  expect(await peer.call(ask)).toEqual(frameVector('FETCH_OFFSET response not committed'))
  expect(await peer.call(frameVector('COMMIT_OFFSET db-writer reservation-events 2 102'))).toEqual(
    frameVector('COMMIT_OFFSET response'),
  )
  expect(await peer.call(ask)).toEqual(frameVector('FETCH_OFFSET response 102'))
  expect(await (await broker.connect()).call(ask)).toEqual(frameVector('FETCH_OFFSET response 102'))
})

it('stores keys and values of every kind as they were sent', async () => {
  await peer.call(frames.createTopic('kinds', 1))
  const records = [
    { key: null, value: null },
    { key: '', value: '' },
    { key: Buffer.from([0, 255, 128]), value: Buffer.from([0xff, 0xff, 0xff, 0xff]) },
    { key: 'k'.repeat(5000), value: 'é😀' },
    { key: 'tombstone', value: null },
  ]
  expect(await peer.call(frames.produce('kinds', 0, records))).toEqual(frames.produced(0, 0, 0, 5))
  const { records: stored } = frames.readFetched(await peer.call(frames.fetch('kinds', 0, 0)))
  const bytes = (text: string | Buffer | null): Buffer | null => (text === null ? null : Buffer.from(text))
  expect(readStoredEntries(stored).map(({ offset, key, value }) => ({ offset, key, value }))).toEqual(
    records.map(({ key, value }, i) => ({ offset: BigInt(i), key: bytes(key), value: bytes(value) })),
  )
})
