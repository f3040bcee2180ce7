import { randomBytes } from 'node:crypto'
import { Partitioners, type PartitionMetadata } from 'kafkajs'
import { describe, expect, it } from 'vitest'
import { FramePool } from '../../../../src/client/producer/frame-pool.js'
import { askForPartition, StickyPartition } from '../../../../src/client/producer/partition-choice.js'
import { PartitionQueue } from '../../../../src/client/producer/partition-queue.js'
import { ProducerBatch } from '../../../../src/client/producer/producer-batch.js'
import { partitionOfKey } from '../../../../src/topic/partitioner.js'
import { seededRandom } from '../../../support/random.js'

const queues = (count: number): PartitionQueue[] =>
  Array.from({ length: count }, (_, partition) => new PartitionQueue('t', partition))

const lengthen = (queue: PartitionQueue, batches: number): void => {
  for (let i = 0; i < batches; i++) {
    const batch = new ProducerBatch(queue, 0, 0, new FramePool(0))
    batch.closed = true
    queue.batches.push(batch)
  }
}

/** How often each of the partitions was chosen. */
function chosen(
  sticky: StickyPartition,
  partitions: readonly PartitionQueue[],
  times: number,
  bytes: number,
): number[] {
  const counts = partitions.map(() => 0)
  for (let i = 0; i < times; i++) {
    const { partition } = sticky.choose(partitions, bytes, () => {})
    sticky.took(bytes)
    counts[partition] = (counts[partition] as number) + 1
  }
  return counts
}

it('10,000 random keys go where the default partitioner of kafkajs has them', () => {
  const partitioner = Partitioners.DefaultPartitioner()
  const random = seededRandom(5)
  const topics = Array.from({ length: 101 }, (_, count) =>
    Array.from({ length: count }, (_, partitionId) => ({ partitionId, leader: 0 }) as PartitionMetadata),
  )
  for (let i = 0; i < 10_000; i++) {
    const key = i % 2 === 0 ? randomBytes(random.integer(0, 40)) : Buffer.from(`seat-${random.integer(0, 1e9)}`)
    const count = random.integer(1, 100)
    const partitionMetadata = topics[count] as PartitionMetadata[]
    const theirs = partitioner({ topic: 't', partitionMetadata, message: { key, value: null } })
    if (partitionOfKey('murmur2', key, count) !== theirs)
      throw new Error(`${key.toString('hex')} of ${count}: ${theirs}`)
  }
})

describe('records without a key', () => {
  it('go to one partition until a batch is filled, then to another', () => {
    const partitions = queues(3)
    const sticky = new StickyPartition(1000, false, seededRandom(1).next)
    const runs: number[] = []
    let last = -1
    for (let i = 0; i < 100; i++) {
      const { partition } = sticky.choose(partitions, 100, () => {})
      sticky.took(100)
      if (partition === last) runs[runs.length - 1] = (runs.at(-1) as number) + 1
      else runs.push(1)
      last = partition
    }
    expect(runs).toEqual(Array.from({ length: 10 }, () => 10))
  })

  it('do not leave a partition whose batch has room, but for one that was sent before it was full', () => {
    const partitions = queues(2)
    const sticky = new StickyPartition(1000, false)
    const first = sticky.choose(partitions, 600, () => {})
    sticky.took(600)
    first.batches.push(new ProducerBatch(first, 0, 0, new FramePool(0)))
    expect(sticky.choose(partitions, 600, () => {})).toBe(first)
    sticky.took(600)
    expect(sticky.choose(partitions, 900, () => {})).not.toBe(first)
  })

  it('stay with the only partition there is', () => {
    expect(chosen(new StickyPartition(10, true), queues(1), 50, 10)).toEqual([50])
  })

  it('take to a partition that was added', () => {
    const sticky = new StickyPartition(10, true)
    chosen(sticky, queues(1), 5, 10)
    const [old, added] = chosen(sticky, queues(2), 100, 10)
    expect(old).toBeGreaterThan(0)
    expect(added).toBeGreaterThan(0)
  })

  it('go where queues are short more often than where they are long', () => {
    const partitions = queues(4)
    lengthen(partitions[1] as PartitionQueue, 9)
    const counts = chosen(new StickyPartition(10, true, seededRandom(2).next), partitions, 10_000, 10)
    const others = [counts[0], counts[2], counts[3]].map(Number)
    // Weights of 10, 1, 10 and 10, and never twice the same in a row.
    expect(counts[1]).toBeLessThan(600)
    for (const count of others) expect(count).toBeGreaterThan(2800)
  })

  it('go everywhere alike where that is not wanted', () => {
    const partitions = queues(4)
    lengthen(partitions[1] as PartitionQueue, 9)
    const counts = chosen(new StickyPartition(10, false, seededRandom(3).next), partitions, 10_000, 10)
    for (const count of counts) expect(count).toBeGreaterThan(2200)
  })

  it('tell of the partition that they leave', () => {
    const left: number[] = []
    const partitions = queues(2)
    const sticky = new StickyPartition(10, true)
    const first = sticky.choose(partitions, 10, (queue) => left.push(queue.partition))
    sticky.took(10)
    sticky.choose(partitions, 10, (queue) => left.push(queue.partition))
    expect(left).toEqual([first.partition])
  })
})

describe('a function that places records', () => {
  const record = { topic: 't', key: null, value: 'v' }

  it('is told of the record and the number of partitions', () => {
    const asked: unknown[] = []
    const ask = (...args: unknown[]): number => asked.push(args) && 2
    expect(askForPartition(ask, record, 3)).toBe(2)
    expect(asked).toEqual([[record, 3]])
  })

  it.each([-1, 3, 0.5, Number.NaN, '1' as unknown as number])('must not answer %s', (partition) => {
    expect(() => askForPartition(() => partition, record, 3)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringContaining('3 partitions of t') }),
    )
  })
})
