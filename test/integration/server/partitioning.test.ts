import { expect, it } from 'vitest'
import { startBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import type { Peer } from '../../support/peer.js'
import { readVectors } from '../../support/vectors.js'

const KEYS = Array.from({ length: 10_000 }, (_, i) => `user-${i}`)

/** Produces one record a request by the broker's choice; returns the partition of each. */
async function placed(peer: Peer, topic: string, keys: readonly (string | null)[]): Promise<number[]> {
  peer.send(Buffer.concat(keys.map((key) => frames.produce(topic, -1, [{ key, value: '' }]))))
  const answers = await peer.frames(keys.length)
  return answers.map((answer) => {
    const { errorCode, partition } = frames.readProduced(answer)
    expect(errorCode).toBe(0)
    return partition
  })
}

const ends = (counts: number[]): [number, number][] => counts.map((count) => [0, count])

it('puts the keys user-0 to user-9999 where every Kafka client would', async () => {
  const broker = await startBroker()
  const peer = await broker.connect()
  for (const partitions of [6, 8, 12]) await peer.call(frames.createTopic(`of-${partitions}`, partitions))
  const ofSix = await placed(peer, 'of-6', KEYS)
  expect(await peer.call(frames.metadata('of-6'))).toEqual(
    frames.described(0, { 'of-6': ends([1700, 1668, 1703, 1575, 1650, 1704]) }),
  )
  const moved = async (partitions: number): Promise<number> => {
    const others = await placed(peer, `of-${partitions}`, KEYS)
    return others.filter((partition, i) => partition !== ofSix[i]).length
  }
  expect(await moved(8)).toBe(7462)
  expect(await moved(12)).toBe(5039)
})

it('hashes as Java does where it is told to', async () => {
  const { keys } = readVectors<{ keys: { key: string; javaHashOf6: number; murmur2Of6: number }[] }>(
    'partitioners.json',
  )
  for (const partitioner of ['java-hash', 'murmur2'] as const) {
    const broker = await startBroker({ partitioner })
    const peer = await broker.connect()
    await peer.call(frames.createTopic('t', 6))
    const of = partitioner === 'java-hash' ? 'javaHashOf6' : 'murmur2Of6'
    expect(
      await placed(
        peer,
        't',
        keys.map(({ key }) => key),
      ),
    ).toEqual(keys.map((vector) => vector[of]))
  }
})

it('gives records without a key to the partitions in turn, each topic by itself', async () => {
  const broker = await startBroker()
  const peer = await broker.connect()
  await peer.call(frames.createTopic('a', 3))
  await peer.call(frames.createTopic('b', 2))
  expect(await placed(peer, 'a', Array(7).fill(null))).toEqual([0, 1, 2, 0, 1, 2, 0])
  expect(await placed(peer, 'b', Array(3).fill(null))).toEqual([0, 1, 0])
  expect(await placed(peer, 'a', [null, 'user-0', null])).toEqual([1, expect.any(Number), 2])
})

it('places a whole request by its first key', async () => {
  const broker = await startBroker()
  const peer = await broker.connect()
  await peer.call(frames.createTopic('t', 6))
  const [first] = await placed(peer, 't', ['user-1'])
  for (const others of [['user-2', 'user-3'], ['', 'x'], []]) {
    const records = ['user-1', ...others].map((key) => ({ key, value: '' }))
    expect(frames.readProduced(await peer.call(frames.produce('t', -1, records)))).toMatchObject({
      partition: first,
      count: records.length,
    })
  }
})
