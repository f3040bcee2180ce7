import { describe, expect, it } from 'vitest'
import { CHUNK_OVERHEAD, StoredRecords } from '../../../src/client/consumer/stored-records.js'
import type { ConsumerRecord } from '../../../src/client/consumer/topic-partition.js'
import { frameVector } from '../../support/vectors.js'

const AT = { topic: 't', partition: 3 }
/** Two records, the offsets 100 and 101. */
const stored = frameVector('FETCH response, two records').subarray(10)

function taken(records: StoredRecords, limit: number): ConsumerRecord[] {
  const into: ConsumerRecord[] = []
  records.take(limit, AT, into)
  return into
}

it('gives the records of a FETCH a few at a time', () => {
  const records = new StoredRecords(stored, true)
  expect(records).toMatchObject({ lastOffset: 101, bytes: stored.length + CHUNK_OVERHEAD, empty: false })
  expect(taken(records, 1)).toEqual([
    { ...AT, offset: 100, timestamp: 1700000000000, key: Buffer.from('seat-A-1'), value: Buffer.from('created') },
  ])
  expect(taken(records, 10)).toEqual([
    { ...AT, offset: 101, timestamp: 1700000000000, key: null, value: Buffer.from('no key') },
  ])
  expect(records.empty).toBe(true)
})

it('is empty where nothing came', () => {
  expect(new StoredRecords(Buffer.alloc(0), true)).toMatchObject({ lastOffset: -1, empty: true })
})

describe('damaged bytes', () => {
  const corrupt = expect.objectContaining({ code: 'CORRUPT_MESSAGE' })

  it('that are cut off are refused as a whole, wherever', () => {
    const first = stored.readInt32BE(16) + 20
    const end = first + 4 + stored.readInt32BE(first) + 4
    for (let length = 1; length < stored.length; length++) {
      if (length === end) continue
      expect(() => new StoredRecords(stored.subarray(0, length), true), `${length}`).toThrow(corrupt)
    }
  })

  it('end what is given, and are told in their turn', () => {
    const flipped = Buffer.from(stored)
    flipped[flipped.length - 6] = 0x4f
    const records = new StoredRecords(flipped, true)
    expect(taken(records, 10)).toHaveLength(1)
    expect(() => taken(records, 10)).toThrow(corrupt)
    expect(() => taken(records, 10)).toThrow(corrupt)
    expect(taken(new StoredRecords(flipped, false), 10)).toHaveLength(2)
  })
})
