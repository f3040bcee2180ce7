import { describe, expect, it } from 'vitest'
import {
  createPartitioner,
  expectedMovedShare,
  isMovedKey,
  javaHash,
  murmur2,
  type PartitionerName,
  partitionOfKey,
} from '../../../src/topic/partitioner.js'
import { readVectors } from '../../support/vectors.js'

interface KeyVector {
  key: string
  murmur2: number
  javaHash: number
  murmur2Of6: number
  javaHashOf6: number
}

const vectors = readVectors<{
  keys: KeyVector[]
  userKeys0to9999: { murmur2Of6: number[]; moved6to8: number; moved6to12: number }
}>('partitioners.json')

const userKeys = Array.from({ length: 10_000 }, (_, i) => Buffer.from(`user-${i}`))

describe('the vectors of partitioners.json hold', () => {
  for (const vector of vectors.keys) {
    it(`key "${vector.key}"`, () => {
      const key = Buffer.from(vector.key)
      expect(murmur2(key)).toBe(vector.murmur2)
      expect(javaHash(key)).toBe(vector.javaHash)
      expect(partitionOfKey('murmur2', key, 6)).toBe(vector.murmur2Of6)
      expect(partitionOfKey('java-hash', key, 6)).toBe(vector.javaHashOf6)
    })
  }

  it('the keys user-0 to user-9999 of 6 partitions', () => {
    const counts = [0, 0, 0, 0, 0, 0]
    for (const key of userKeys) {
      const partition = partitionOfKey('murmur2', key, 6)
      counts[partition] = (counts[partition] as number) + 1
    }
    expect(counts).toEqual(vectors.userKeys0to9999.murmur2Of6)
  })

  it('and how many of them move', () => {
    const { moved6to8, moved6to12 } = vectors.userKeys0to9999
    const moved = (to: number): number => userKeys.filter((key) => isMovedKey('murmur2', key, 6, to)).length
    expect(moved(8)).toBe(moved6to8)
    expect(moved(12)).toBe(moved6to12)
    expect(moved(6)).toBe(0)
  })
})

describe('a partitioner', () => {
  it('gives keyless records to the partitions in turn', () => {
    const partitioner = createPartitioner('murmur2')
    expect([0, 1, 2, 3, 4].map(() => partitioner.partition(null, 3))).toEqual([0, 1, 2, 0, 1])
    expect(partitioner.partition(null, 5)).toBe(2)
    expect(partitioner.partition(null, 1)).toBe(0)
  })

  it('does not count records with a key as turns', () => {
    const partitioner = createPartitioner('java-hash')
    expect(partitioner.partition(null, 6)).toBe(0)
    expect(partitioner.partition(Buffer.from('seat-A-1'), 6)).toBe(4)
    expect(partitioner.partition(Buffer.alloc(0), 6)).toBe(1)
    expect(partitioner.partition(null, 6)).toBe(1)
  })

  it('takes bytes above 0x7f as signed, as Java does', () => {
    expect(javaHash(Buffer.of(0xff))).toBe(30)
    expect(javaHash(Buffer.of(0x80, 0x7f))).toBe(31 * (31 - 128) + 127)
  })

  it('never answers a negative zero', () => {
    for (const key of userKeys.slice(0, 500)) {
      expect(Object.is(partitionOfKey('java-hash', key, 3), -0)).toBe(false)
    }
  })

  it('is refused by a name that is none', () => {
    expect(() => createPartitioner('md5' as PartitionerName)).toThrow(
      expect.objectContaining({ code: 'INVALID_CONFIG', message: expect.stringContaining('"md5"') }),
    )
  })
})

describe('the share of keys that move', () => {
  it('follows from the partition counts', () => {
    expect(expectedMovedShare(6, 8)).toBe(0.75)
    expect(expectedMovedShare(6, 12)).toBe(0.5)
    expect(expectedMovedShare(6, 6)).toBe(0)
    expect(expectedMovedShare(1, 4)).toBe(0.75)
  })

  it('counts every hash once', () => {
    for (const [before, after] of [
      [3, 5],
      [4, 6],
      [6, 8],
      [12, 6],
    ] as const) {
      let moved = 0
      const hashes = before * after
      for (let hash = 0; hash < hashes; hash++) if (hash % before !== hash % after) moved++
      expect(expectedMovedShare(before, after)).toBeCloseTo(moved / hashes, 12)
    }
  })
})
