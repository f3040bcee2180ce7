import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'
import { testRandom } from '../../support/random.js'
import { readStoredEntries } from '../../support/stored-format.js'

let broker: TestBroker
let peer: Peer

beforeEach(async () => {
  broker = await startBroker()
  peer = await broker.connect()
})

/** One of each call, and the answers to them on an empty broker; those to FETCH by what is in them. */
const requests = [
  frames.createTopic('t', 2),
  frames.produce('t', 0, [{ key: 'k', value: 'first' }]),
  frames.fetch('t', 0, 0),
  frames.commitOffset('g', 't', 0, 1),
  frames.fetchOffset('g', 't', 0),
  frames.metadata('t'),
]

async function expectAnswers(): Promise<void> {
  expect(await peer.frames(2)).toEqual([frames.created(0), frames.produced(0, 0, 0, 1)])
  const { count, records } = frames.readFetched(await peer.frame())
  expect(count).toBe(1)
  expect(readStoredEntries(records)).toMatchObject([{ offset: 0n, value: Buffer.from('first') }])
  expect(await peer.frames(3)).toEqual([
    frames.committed(0),
    frames.offsetFetched(0, 1),
    frames.described(0, {
      t: [
        [0, 1],
        [0, 0],
      ],
    }),
  ])
}

it('reads frames that come one byte at a time', async () => {
  for (const byte of Buffer.concat(requests)) {
    peer.send(Buffer.from([byte]))
    await turn()
  }
  await expectAnswers()
})

it('reads frames that come in pieces of any size, split in a length prefix too', async () => {
  const bytes = Buffer.concat(requests)
  for (let size = 2; size <= 13; size++) {
    const name = `pieces-of-${size}`
    const renamed = Buffer.concat([frames.createTopic(name, 1), frames.metadata(name), frames.fetch(name, 0, 0)])
    const stream = size === 2 ? bytes : renamed
    for (let at = 0; at < stream.length; at += size) {
      peer.send(stream.subarray(at, at + size))
      await turn()
    }
    if (size === 2) await expectAnswers()
    else
      expect(await peer.frames(3)).toEqual([
        frames.created(0),
        frames.described(0, { [name]: [[0, 0]] }),
        frames.fetched(0, 0),
      ])
  }
})

it('answers fifty frames of one chunk, in their order', async () => {
  await peer.call(frames.createTopic('t', 1))
  const fifty = Array.from({ length: 50 }, (_, i) => frames.produce('t', 0, [{ value: `${i}` }, { value: `${i}b` }]))
  peer.send(Buffer.concat(fifty))
  expect(await peer.frames(50)).toEqual(fifty.map((_, i) => frames.produced(0, 0, 2 * i, 2)))
})

it('lets a FETCH see the PRODUCE before it in the same chunk', async () => {
  await peer.call(frames.createTopic('t', 1))
  for (let i = 0; i < 20; i++) {
    peer.send(Buffer.concat([frames.produce('t', 0, [{ value: `${i}` }]), frames.fetch('t', 0, i)]))
    expect(await peer.frame()).toEqual(frames.produced(0, 0, i, 1))
    const { records } = frames.readFetched(await peer.frame())
    expect(readStoredEntries(records)).toMatchObject([{ offset: BigInt(i), value: Buffer.from(`${i}`) }])
  }
})

it('lets the calls of one connection see those before them, whatever their kind', async () => {
  peer.send(
    Buffer.concat([
      frames.createTopic('t', 1),
      frames.createTopic('t', 1),
      frames.commitOffset('g', 't', 0, 7),
      frames.fetchOffset('g', 't', 0),
      frames.commitOffset('g', 't', 0, 5),
      frames.commitOffset('g', 't', 0, 6),
      frames.fetchOffset('g', 't', 0),
      frames.produce('t', 0, [{ value: 'x' }]),
      frames.metadata('t'),
    ]),
  )
  expect(await peer.frames(9)).toEqual([
    frames.created(0),
    frames.created(1),
    frames.committed(0),
    frames.offsetFetched(0, 7),
    frames.committed(0),
    frames.committed(0),
    frames.offsetFetched(0, 6),
    frames.produced(0, 0, 0, 1),
    frames.described(0, { t: [[0, 1]] }),
  ])
})

it('answers 1000 pipelined calls of all kinds right and in order', async () => {
  const random = testRandom()
  await peer.call(frames.createTopic('t', 3))
  const ends = [0, 0, 0]
  const values: string[][] = [[], [], []]
  const stored = new Map<number, number>()
  const calls: Buffer[] = []
  const checks: ((answer: Buffer) => void)[] = []
  for (let i = 0; i < 1000; i++) {
    const partition = random.integer(0, 2)
    const end = ends[partition] as number
    const kind = random.integer(0, 5)
    if (kind === 0) {
      const records = Array.from({ length: random.integer(1, 4) }, (_, n) => ({ value: `${i}.${n}`.repeat(n + 1) }))
      calls.push(frames.produce('t', partition, records))
      checks.push((answer) => expect(answer).toEqual(frames.produced(0, partition, end, records.length)))
      values[partition]?.push(...records.map(({ value }) => value))
      ends[partition] = end + records.length
    } else if (kind === 1) {
      const from = random.integer(0, end)
      const expected = (values[partition] as string[]).slice(from)
      calls.push(frames.fetch('t', partition, from))
      checks.push((answer) => {
        const { errorCode, count, records } = frames.readFetched(answer)
        expect({ errorCode, count }).toEqual({ errorCode: 0, count: expected.length })
        expect(readStoredEntries(records).map(({ value }) => value?.toString())).toEqual(expected)
      })
    } else if (kind === 2) {
      stored.set(partition, i)
      calls.push(frames.commitOffset('g', 't', partition, i))
      checks.push((answer) => expect(answer).toEqual(frames.committed(0)))
    } else if (kind === 3) {
      const offset = stored.get(partition) ?? -1
      calls.push(frames.fetchOffset('g', 't', partition))
      checks.push((answer) => expect(answer).toEqual(frames.offsetFetched(0, offset)))
    } else if (kind === 4) {
      const watermarks = ends.map((of): [number, number] => [0, of])
      calls.push(frames.metadata('t'))
      checks.push((answer) => expect(answer).toEqual(frames.described(0, { t: watermarks })))
    } else {
      calls.push(frames.createTopic('t', 1))
      checks.push((answer) => expect(answer).toEqual(frames.created(1)))
    }
  }
  const stream = Buffer.concat(calls)
  for (let at = 0; at < stream.length; ) {
    const size = random.pick([1, 3, 50, 1000, 20_000])
    peer.send(stream.subarray(at, at + size))
    at += size
    if (random.next() < 0.5) await turn()
  }
  const answers = await peer.frames(1000)
  for (const [i, check] of checks.entries()) check(answers[i] as Buffer)
  expect(peer.unread).toBe(0)
})

it('keeps the order where cold and warm, large and small answers mix', async () => {
  await peer.call(frames.createTopic('t', 1))
  const sizes = [10, 900_000, 20_000, 3_000_000, 1, 70_000]
  peer.send(...sizes.map((size, i) => frames.produce('t', 0, [{ value: Buffer.alloc(size, i + 1) }])))
  expect(await peer.frames(6)).toEqual(sizes.map((_, i) => frames.produced(0, 0, i, 1)))
  const order = Array.from({ length: 60 }, (_, i) => (i * 7) % 6)
  peer.send(Buffer.concat(order.flatMap((offset) => [frames.fetch('t', 0, offset, 1), frames.metadata('t')])))
  for (const offset of order) {
    const { records } = frames.readFetched(await peer.frame())
    const [entry] = readStoredEntries(records)
    expect(entry?.offset).toBe(BigInt(offset))
    expect(entry?.value?.equals(Buffer.alloc(sizes[offset] as number, offset + 1))).toBe(true)
    expect(await peer.frame()).toEqual(frames.described(0, { t: [[0, 6]] }))
  }
})
