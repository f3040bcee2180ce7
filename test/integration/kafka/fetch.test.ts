import { beforeEach, describe, expect, it } from 'vitest'
import { fetchApi } from '../../../src/wire/kafka/generated/fetch.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import {
  type FetchFrom,
  fetch,
  fetchRequest,
  makeTopic,
  produce,
  sentBatch,
  storedBatch,
} from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'

const ERROR = { offsetOutOfRange: 1, unknownTopic: 3, unknownLeaderEpoch: 75, unknownTopicId: 100 } as const

let broker: TestBroker
let peer: KafkaPeer
let topicId: string

const one = sentBatch('one record')
const sixty = sentBatch('60 records')
/** What lies in the log of the topic t: offsets 0, 1 to 60, 61. */
const LOG = [storedBatch(one, 0), storedBatch(sixty, 1), storedBatch(one, 61)]
const END = 62

beforeEach(async () => {
  broker = await startBroker()
  peer = await KafkaPeer.connect(broker.port)
  topicId = await makeTopic(peer, 't')
  for (const batch of [one, sixty, one]) await produce(peer, 't', batch)
})

const hex = (...bytes: (Buffer | undefined)[]): string =>
  Buffer.concat(bytes.map((each) => each ?? Buffer.alloc(0))).toString('hex')

describe.each([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17])('Fetch %i', (version) => {
  const from = (offset: number, more: Partial<FetchFrom> = {}): FetchFrom =>
    version >= 13 ? { topic: '', topicId, offset, ...more } : { topic: 't', offset, ...more }

  it('gives whole batches as they are stored, from the one that holds the offset', async () => {
    for (const [offset, first] of [
      [0, 0],
      [1, 1],
      [30, 1],
      [60, 1],
      [61, 2],
      [62, 3],
    ] as const) {
      const [partition] = await fetch(peer, from(offset), { version })
      expect(partition).toMatchObject({
        errorCode: 0,
        highWatermark: END,
        lastStableOffset: END,
        preferredReadReplica: -1,
      })
      expect(partition?.logStartOffset).toBe(version >= 5 ? 0 : -1)
      expect(hex(partition?.records)).toBe(hex(...LOG.slice(first)))
    }
  })

  it('tells of aborted transactions, of which there are none, to those who ask', async () => {
    const [uncommitted] = await fetch(peer, from(0), { version, isolationLevel: 0 })
    const [committed] = await fetch(peer, from(0), { version, isolationLevel: 1 })
    expect([uncommitted?.abortedTransactions, committed?.abortedTransactions]).toEqual([null, []])
    expect(hex(committed?.records)).toBe(hex(...LOG))
  })

  it('reads a partition that is named again once, from where it was asked for last', async () => {
    const request = fetchRequest([from(0), from(0), from(61)])
    const { responses } = await peer.call(fetchApi, version, request)
    const read = responses.flatMap(({ partitions }) => partitions)
    expect(read).toHaveLength(1)
    expect(hex(read[0]?.records as Buffer)).toBe(hex(LOG[2]))
  })

  it('refuses an offset that is not there', async () => {
    for (const offset of [-1, 63, 2 ** 40]) {
      const [partition] = await fetch(peer, from(offset), { version })
      expect(partition).toMatchObject({ errorCode: ERROR.offsetOutOfRange, highWatermark: -1, logStartOffset: -1 })
      expect(partition?.records).toHaveLength(0)
    }
  })

  it('does not know another topic or partition', async () => {
    const other =
      version >= 13 ? { topic: '', topicId: 'AAAAAAAAAAAAAAAAAAAAAQ', offset: 0 } : { topic: 'u', offset: 0 }
    const partitions = await fetch(peer, [other, from(0, { partition: 7 }), from(61)], { version })
    expect(partitions.map(({ errorCode }) => errorCode)).toEqual([
      version >= 13 ? ERROR.unknownTopicId : ERROR.unknownTopic,
      ERROR.unknownTopic,
      0,
    ])
    expect(hex(partitions[2]?.records)).toBe(hex(LOG[2]))
  })
})

describe('limits', () => {
  const SIZES = LOG.map(({ length }) => length) as [number, number, number]
  const read = async (options: { maxBytes?: number; partition?: number; offset?: number }): Promise<string> => {
    const [partition] = await fetch(
      peer,
      { topic: 't', offset: options.offset ?? 0, maxBytes: options.partition ?? 1 << 20 },
      { maxBytes: options.maxBytes ?? 1 << 20 },
    )
    return hex(partition?.records)
  }

  it.each(['maxBytes', 'partition'] as const)('by %s: whole batches, one at least', async (limit) => {
    for (const [bytes, batches] of [
      [0, 1],
      [1, 1],
      [SIZES[0], 1],
      [SIZES[0] + SIZES[1] - 1, 1],
      [SIZES[0] + SIZES[1], 2],
      [SIZES[0] + SIZES[1] + SIZES[2], 3],
    ] as const) {
      expect(await read({ [limit]: bytes }), `${bytes}`).toBe(hex(...LOG.slice(0, batches)))
    }
    expect(await read({ [limit]: 1, offset: 30 })).toBe(hex(LOG[1]))
  })

  it('the first partition with records gives a batch above the limit, the others do not', async () => {
    for (const [topic, batch] of Object.entries({ u: sixty, v: one, w: sixty })) {
      await makeTopic(peer, topic)
      await produce(peer, topic, batch)
    }
    const both = [
      { topic: 't', offset: END },
      { topic: 'u', offset: 0, maxBytes: 10 },
      { topic: 'v', offset: 0 },
      { topic: 'w', offset: 0 },
    ]
    const [end, large, rest, tooLarge] = await fetch(peer, both, { maxBytes: SIZES[1] + SIZES[0] })
    expect(end?.records).toHaveLength(0)
    expect(hex(large?.records)).toBe(hex(storedBatch(sixty, 0)))
    expect(hex(rest?.records)).toBe(hex(LOG[0]))
    expect(tooLarge).toMatchObject({ errorCode: 0, highWatermark: 60 })
    expect(tooLarge?.records).toHaveLength(0)
  })

  it('without room the offset is checked all the same', async () => {
    await makeTopic(peer, 'u')
    const asked = [
      { topic: 't', offset: 0 },
      { topic: 'u', offset: 1000 },
    ]
    const [, beyond] = await fetch(peer, asked, { maxBytes: 1 })
    expect(beyond).toMatchObject({ errorCode: ERROR.offsetOutOfRange })
  })

  it('fetch.max.bytes holds where the client asks for more', async () => {
    const small = await startBroker({ fetchMaxBytes: 1024 })
    const client = await KafkaPeer.connect(small.port)
    await makeTopic(client, 't')
    for (let i = 0; i < 100; i++) await produce(client, 't', one)
    const [partition] = await fetch(client, { topic: 't', offset: 0 })
    expect(partition?.records.length).toBe(Math.floor(1024 / one.length) * one.length)
  })
})

describe('leader epochs', () => {
  it('0 is known, one above it is not', async () => {
    const ask = (currentLeaderEpoch: number) => fetch(peer, { topic: 't', offset: 0, currentLeaderEpoch })
    expect(await ask(0)).toMatchObject([{ errorCode: 0 }])
    expect(await ask(1)).toMatchObject([{ errorCode: ERROR.unknownLeaderEpoch, highWatermark: -1 }])
  })

  it('a client whose log went further is told where it has to go back to', async () => {
    const ask = (offset: number, lastFetchedEpoch: number) => fetch(peer, { topic: 't', offset, lastFetchedEpoch })
    expect(await ask(END, 0)).toMatchObject([{ errorCode: 0, divergingEpoch: null }])
    const [diverged] = await ask(END + 10, 0)
    expect(diverged).toMatchObject({ errorCode: 0, divergingEpoch: { epoch: 0, endOffset: END } })
    expect(await ask(0, 3)).toMatchObject([{ errorCode: 0, divergingEpoch: { epoch: 0, endOffset: END } }])
  })
})

it('batches come across segments, which roll', async () => {
  const rolling = await startBroker({ segmentBytes: 4096 })
  const client = await KafkaPeer.connect(rolling.port)
  await makeTopic(client, 't')
  const expected: Buffer[] = []
  for (let offset = 0; expected.length < 20; offset += 60) {
    await produce(client, 't', sixty)
    expected.push(storedBatch(sixty, offset))
  }
  const [partition] = await fetch(client, { topic: 't', offset: 0 })
  expect(hex(partition?.records)).toBe(hex(...expected))
})
