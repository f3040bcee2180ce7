import { beforeEach, describe, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'
import { readStoredEntries, type StoredEntry } from '../../support/stored-format.js'

const OUT_OF_RANGE = frames.fetched(frames.ERROR.offsetOutOfRange, 0)
const UNKNOWN = frames.fetched(frames.ERROR.unknownTopicOrPartition, 0)
const EMPTY = frames.fetched(0, 0)
/** What an entry has beside its key and value. */
const OVERHEAD = 28

let broker: TestBroker
let peer: Peer

async function entriesOf(request: Buffer): Promise<StoredEntry[]> {
  const { errorCode, count, records } = frames.readFetched(await peer.call(request))
  const entries = readStoredEntries(records)
  expect({ errorCode, count }).toEqual({ errorCode: 0, count: entries.length })
  return entries
}

describe('a FETCH', () => {
  beforeEach(async () => {
    broker = await startBroker()
    peer = await broker.connect()
    await peer.call(frames.createTopic('t', 2))
    const records = Array.from({ length: 20 }, (_, i) => ({ value: Buffer.alloc(100, i) }))
    await peer.call(frames.produce('t', 0, records))
  })

  it('at the log end is an empty success', async () => {
    expect(await peer.call(frames.fetch('t', 0, 20))).toEqual(EMPTY)
    expect(await peer.call(frames.fetch('t', 1, 0))).toEqual(EMPTY)
    expect(await peer.call(frames.fetch('t', 0, 20, 0))).toEqual(EMPTY)
  })

  it('outside of the log is OFFSET_OUT_OF_RANGE', async () => {
    for (const offset of [21, 1000, -1, -2, Number.MAX_SAFE_INTEGER]) {
      expect(await peer.call(frames.fetch('t', 0, offset)), `${offset}`).toEqual(OUT_OF_RANGE)
    }
    expect(await peer.call(frames.fetch('t', 1, 1))).toEqual(OUT_OF_RANGE)
  })

  it('beyond what JavaScript can count is INVALID_REQUEST, not another offset', async () => {
    for (const offset of [2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)]) {
      expect(await peer.call(frames.fetch('t', 0, offset)), `${offset}`).toEqual(frames.fetched(42, 0))
    }
  })

  it('of a partition that is not there is UNKNOWN_TOPIC_OR_PARTITION', async () => {
    for (const partition of [2, -1, -2, 2 ** 31 - 1, -(2 ** 31)]) {
      expect(await peer.call(frames.fetch('t', partition, 0)), `${partition}`).toEqual(UNKNOWN)
    }
    for (const topic of ['u', 'T', '..', '@broker', 'constructor', '']) {
      expect(await peer.call(frames.fetch(topic, 0, 0)), topic).toEqual(UNKNOWN)
    }
  })

  it('gives whole records up to maxBytes, and one however small that is', async () => {
    const one = OVERHEAD + 100
    for (const [maxBytes, count] of [
      [0, 1],
      [1, 1],
      [one - 1, 1],
      [one, 1],
      [one + 1, 1],
      [2 * one - 1, 1],
      [2 * one, 2],
      [5 * one, 5],
      [20 * one - 1, 19],
      [20 * one, 20],
      [2 ** 31 - 1, 20],
    ] as const) {
      const entries = await entriesOf(frames.fetch('t', 0, 0, maxBytes))
      expect(entries.length, `${maxBytes}`).toBe(count)
      expect(entries[0]?.offset).toBe(0n)
    }
    expect(await entriesOf(frames.fetch('t', 0, 19, 0))).toHaveLength(1)
  })

  it('from any offset begins with that record', async () => {
    for (let offset = 0; offset < 20; offset++) {
      const entries = await entriesOf(frames.fetch('t', 0, offset))
      expect(entries.map((entry) => Number(entry.offset))).toEqual(
        Array.from({ length: 20 - offset }, (_, i) => offset + i),
      )
      expect(entries[0]?.value).toEqual(Buffer.alloc(100, offset))
    }
  })
})

describe('a FETCH in a log of many segments', () => {
  const COUNT = 400
  const valueAt = (i: number): Buffer => Buffer.alloc((i * 37) % 300, i)

  beforeEach(async () => {
    broker = await startBroker({ segmentBytes: 2048, indexIntervalBytes: 256 })
    peer = await broker.connect()
    await peer.call(frames.createTopic('t', 1))
    for (let i = 0; i < COUNT; i += 4) {
      await peer.call(
        frames.produce(
          't',
          0,
          [0, 1, 2, 3].map((n) => ({ key: `${i + n}`, value: valueAt(i + n) })),
        ),
      )
    }
  })

  it('goes on from one into the next', async () => {
    for (const maxBytes of [1, 500, 3000, 40_000, 1 << 20]) {
      let offset = 0
      while (offset < COUNT) {
        const entries = await entriesOf(frames.fetch('t', 0, offset, maxBytes))
        const bytes = entries.reduce((sum, { length }) => sum + length, 0)
        expect(bytes <= maxBytes || entries.length === 1).toBe(true)
        // As many as fit: across segments too, up to 64 of them.
        const next = offset + entries.length
        const nextLength = OVERHEAD + `${next}`.length + valueAt(next).length
        if (next < COUNT) expect(bytes + nextLength, `at ${offset}`).toBeGreaterThan(maxBytes)
        for (const entry of entries) {
          expect(Number(entry.offset)).toBe(offset)
          expect(entry.key?.toString()).toBe(`${offset}`)
          expect(entry.value?.equals(valueAt(offset))).toBe(true)
          offset++
        }
      }
      expect(offset).toBe(COUNT)
    }
  })

  it('answers for each offset', async () => {
    peer.send(Buffer.concat(Array.from({ length: COUNT }, (_, offset) => frames.fetch('t', 0, offset, 1))))
    for (let offset = 0; offset < COUNT; offset++) {
      const { count, records } = frames.readFetched(await peer.frame())
      expect(count).toBe(1)
      expect(readStoredEntries(records)).toMatchObject([{ offset: BigInt(offset), key: Buffer.from(`${offset}`) }])
    }
  })
})
