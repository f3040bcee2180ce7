import { describe, expect, it } from 'vitest'
import { AppendOrder } from '../../../src/log/conversion/append-order.js'
import { findTimestamp } from '../../../src/log/conversion/batch-timestamps.js'
import { packBatch } from '../../../src/log/conversion/batch-to-packed.js'
import { storeBatches } from '../../../src/log/conversion/batches-to-stored.js'
import { packedAsBatch } from '../../../src/log/conversion/packed-to-batch.js'
import { requireKeys } from '../../../src/log/conversion/require-keys.js'
import { encodeStored } from '../../../src/log/conversion/stored-to-batches.js'
import { BATCH_AT, decodeBatches } from '../../../src/log/record-batch.js'
import { encodeBatch } from '../../../src/log/record-batch-encoder.js'
import { encodePacked } from '../../../src/log/record-codec.js'
import { iterateBatch, RECORDS_A_STEP } from '../../../src/log/record-cursor.js'
import { turnsDuring } from '../../support/loop-turns.js'
import { asText, batchVector, batchVectors, controlBatch } from '../../support/record-batches.js'
import { readStoredEntries, storedEntry } from '../../support/stored-format.js'

const LIMITS = { maxPlainBytes: 1 << 20 }
const PACKING = { ...LIMITS, logAppendTimeMs: -1, keysRequired: false }
const created = batchVectors.filter(({ variant }) => variant === 'create' || variant === 'idempotent')
const withoutHeaders = created.filter(({ set }) => set !== 'mixed')

/** Entries as records of a batch. */
function asRecords(parts: readonly Buffer[]) {
  return readStoredEntries(Buffer.concat(parts)).map(({ offset, timestamp, key, value }) => {
    return { offset: Number(offset), timestamp: Number(timestamp), key, value }
  })
}

const decodeAll = (batches: Buffer) =>
  [...decodeBatches(batches)].flatMap((batch) => [...iterateBatch(batch, batch.records)])

describe('a batch for a mykafka log', () => {
  it.each(withoutHeaders)('is packed by runs of one timestamp: $name', async ({ bytes, records }) => {
    const runs = await packBatch(bytes, PACKING)
    const timestamps = runs.flatMap(({ count, timestamp }) => Array.from({ length: count }, () => timestamp))
    expect(timestamps).toEqual(records.map(({ timestamp }) => timestamp))
    const changes = timestamps.filter((timestamp, i) => i > 0 && timestamp !== timestamps[i - 1]).length
    expect(runs).toHaveLength(changes + 1)
    expect(Buffer.concat(runs.map((run) => run.records)).equals(encodePacked(records))).toBe(true)
    const stored = records.map((record) => 28 + (record.key?.length ?? 0) + (record.value?.length ?? 0))
    expect(runs.reduce((sum, run) => sum + run.storedLength, 0)).toBe(stored.reduce((sum, length) => sum + length, 0))
  })

  it.each([
    ['headers', batchVector({ set: 'mixed', codec: 0 }).bytes],
    ['compressed headers', batchVector({ set: 'mixed', codec: 3 }).bytes],
    ['a transaction', batchVector({ variant: 'transactional', codec: 0 }).bytes],
    ['marks of a transaction', controlBatch],
  ])('is refused with %s', async (_, bytes) => {
    await expect(async () => await packBatch(bytes, PACKING)).rejects.toMatchObject({
      code: 'UNSUPPORTED_FOR_MESSAGE_FORMAT',
    })
  })

  it('is refused where it decompresses to more than allowed', async () => {
    const { bytes } = batchVector({ set: 'large', codec: 4 })
    await expect(async () => await packBatch(bytes, { ...PACKING, maxPlainBytes: 1000 })).rejects.toMatchObject({
      code: 'MESSAGE_TOO_LARGE',
    })
  })

  it('is refused with a gap between its offsets', () => {
    const gap = [0, 2].map((offset) => ({ offset, timestamp: 0, key: null, value: null }))
    expect(() => packBatch(encodeBatch(gap), PACKING)).toThrow(expect.objectContaining({ code: 'INVALID_RECORD' }))
  })

  it('is refused with a key that no entry can hold', () => {
    const bytes = encodeBatch([{ offset: 0, timestamp: 0, key: Buffer.alloc((16 << 20) + 1), value: null }])
    expect(() => packBatch(bytes, PACKING)).toThrow(expect.objectContaining({ code: 'MESSAGE_TOO_LARGE' }))
  })
})

describe('entries for a Kafka fetch', () => {
  const entries = [
    storedEntry(7, 1000, Buffer.from('k'), Buffer.from('v')),
    storedEntry(8, 3000, null, Buffer.from('null key')),
    storedEntry(20, 2000, Buffer.from('tomb'), null),
    storedEntry(21, -1, Buffer.alloc(0), Buffer.alloc(0)),
  ]

  it('are one batch with their offsets and timestamps', () => {
    const { bytes, count, lastOffset } = encodeStored(Buffer.concat(entries), 1 << 20)
    expect({ count, lastOffset }).toEqual({ count: 4, lastOffset: 21 })
    const [batch, ...more] = [...decodeBatches(bytes)]
    expect(more).toEqual([])
    expect(batch).toMatchObject({
      baseOffset: 7,
      lastOffsetDelta: 14,
      baseTimestamp: 1000,
      maxTimestamp: 3000,
      producerId: -1,
      producerEpoch: -1,
      baseSequence: -1,
      attributes: 0,
    })
    expect(asText(decodeAll(bytes))).toEqual(asText(asRecords(entries)))
  })

  it.each(['plain', 'tiny'])('are what a client would have sent: %s', (set) => {
    const { bytes, records } = batchVector({ set, codec: 0, from: 'kafka-python' })
    const stored = records.map(({ offset, timestamp, key, value }) => storedEntry(offset, timestamp, key, value))
    const expected = Buffer.from(bytes)
    expected.writeInt32BE(0, BATCH_AT.leaderEpoch)
    expect(encodeStored(Buffer.concat(stored), 1 << 20).bytes.toString('hex')).toBe(expected.toString('hex'))
  })

  it('are as many as fit, but one at least', () => {
    const all = encodeStored(Buffer.concat(entries), 1 << 20).bytes.length
    for (let maxBytes = 0; maxBytes <= all; maxBytes++) {
      const { bytes, count } = encodeStored(Buffer.concat(entries), maxBytes)
      expect(decodeAll(bytes)).toHaveLength(count)
      expect(count).toBeGreaterThan(0)
      if (count > 1) expect(bytes.length).toBeLessThanOrEqual(maxBytes)
      if (maxBytes === all) expect(count).toBe(4)
    }
  })

  it('are several batches where they are many, or their offsets far apart', () => {
    const big = Array.from({ length: 5 }, (_, i) => storedEntry(i, i, null, Buffer.alloc(400_000, i)))
    const far = storedEntry(5_000_000_000, 0, null, null)
    const { bytes, count } = encodeStored(Buffer.concat([...big, far]), 1 << 24)
    expect(count).toBe(6)
    expect([...decodeBatches(bytes)].map((batch) => batch.count)).toEqual([2, 2, 1, 1])
    expect(asText(decodeAll(bytes))).toEqual(asText(asRecords([...big, far])))
  })
})

describe('packed records for a kafka log', () => {
  it('are one batch, as a client would have sent it', () => {
    const { bytes, records } = batchVector({ set: 'tiny', codec: 0, from: 'java' })
    const expected = Buffer.from(bytes)
    expected.writeInt32BE(0, BATCH_AT.leaderEpoch)
    const timestamp = records[0]?.timestamp ?? 0
    expect(packedAsBatch(encodePacked(records), 1, timestamp, false).toString('hex')).toBe(expected.toString('hex'))
  })

  it('keep keys and values, null and empty ones', () => {
    const records = [
      { key: null, value: null },
      { key: Buffer.alloc(0), value: Buffer.alloc(0) },
      { key: Buffer.from('k'), value: Buffer.alloc(70_000, 1) },
    ]
    const expected = records.map((record, offset) => ({ ...record, offset, timestamp: 5 }))
    expect(asText(decodeAll(packedAsBatch(encodePacked(records), 3, 5, false)))).toEqual(asText(expected))
  })

  it('are refused without a key where one is needed', () => {
    const packed = encodePacked([
      { key: 'k', value: 'v' },
      { key: null, value: 'v' },
    ])
    expect(() => packedAsBatch(packed, 2, 0, true)).toThrow(expect.objectContaining({ code: 'INVALID_RECORD' }))
  })

  it('are refused where they do not parse', () => {
    const packed = encodePacked([{ key: Buffer.from('k'), value: Buffer.from('v') }])
    for (let length = 0; length < packed.length; length++) {
      expect(() => packedAsBatch(packed.subarray(0, length), 1, 0, false)).toThrow(
        expect.objectContaining({ code: 'INVALID_RECORD' }),
      )
    }
  })
})

describe('batches for a MyKafka fetch', () => {
  it.each(batchVectors)('are entries, without headers: $name', async ({ bytes, records }) => {
    const { parts, bytes: length, count, lastOffset } = await storeBatches(bytes, 0, 1 << 20, LIMITS)
    expect(asText(asRecords(parts))).toEqual(asText(records.map((record) => ({ ...record, headers: [] }))))
    expect(Buffer.concat(parts)).toHaveLength(length)
    expect({ count, lastOffset }).toEqual({ count: records.length, lastOffset: records.at(-1)?.offset })
  })

  it('begin at the offset asked for', async () => {
    const { bytes, records } = batchVector({ set: 'mixed', codec: 1 })
    for (const from of records.keys()) {
      const { parts, count } = await storeBatches(bytes, from, 1 << 20, LIMITS)
      expect(count).toBe(records.length - from)
      expect(asRecords(parts)[0]?.offset).toBe(from)
    }
  })

  it('are as many as fit, over several batches, but one at least', async () => {
    const later = Buffer.from(batchVector({ set: 'plain', codec: 0 }).bytes)
    later.writeBigInt64BE(100n)
    const both = Buffer.concat([batchVector({ set: 'mixed', codec: 3 }).bytes, controlBatch, later])
    const all = await storeBatches(both, 0, 1 << 20, LIMITS)
    expect(all.count).toBe(11)
    for (let maxBytes = 0; maxBytes <= all.bytes; maxBytes++) {
      const { parts, bytes, count } = await storeBatches(both, 0, maxBytes, LIMITS)
      expect(asRecords(parts)).toHaveLength(count)
      expect(count).toBeGreaterThan(0)
      if (count > 1) expect(bytes).toBeLessThanOrEqual(maxBytes)
      if (maxBytes === all.bytes) expect(count).toBe(11)
    }
  })

  it('are nothing where there are only marks of transactions and empty batches', async () => {
    const empty = Buffer.from(batchVector({ set: 'plain', codec: 0 }).bytes.subarray(0, BATCH_AT.records))
    empty.writeInt32BE(empty.length - 12, BATCH_AT.batchLength)
    empty.writeInt32BE(0, BATCH_AT.count)
    expect(await storeBatches(Buffer.concat([controlBatch, empty]), 0, 1 << 20, LIMITS)).toMatchObject({
      count: 0,
      bytes: 0,
    })
  })

  it('are those before a damaged one, which is told when it is asked for', async () => {
    const good = batchVector({ set: 'plain', codec: 0 }).bytes
    const damaged = Buffer.from(batchVector({ set: 'mixed', codec: 3 }).bytes)
    damaged.fill(0xff, BATCH_AT.records + 20)
    const { count } = await storeBatches(Buffer.concat([good, damaged]), 0, 1 << 20, LIMITS)
    expect(count).toBe(4)
    await expect(storeBatches(damaged, 0, 1 << 20, LIMITS)).rejects.toMatchObject({ code: 'CORRUPT_MESSAGE' })
  })
})

describe('the record of a time', () => {
  it.each(batchVectors.filter(({ set }) => set === 'mixed'))('is found in $name', async ({ bytes, records }) => {
    for (const wanted of [0, ...records.map(({ timestamp }) => timestamp), records[0]?.timestamp ?? 0 + 1]) {
      const { offset, timestamp } = records.find((record) => record.timestamp >= wanted) ?? {}
      expect(await findTimestamp(bytes, wanted, 0, LIMITS)).toEqual({ offset, timestamp })
    }
    expect(await findTimestamp(bytes, 1e15, 0, LIMITS)).toBeNull()
    expect(await findTimestamp(bytes, Number.POSITIVE_INFINITY, 0, LIMITS)).toMatchObject({ offset: 5 })
  })

  it('is that of the append where the broker gave it', async () => {
    const { bytes } = batchVector({ variant: 'logAppend', codec: 3 })
    expect(await findTimestamp(bytes, 5, 0, LIMITS)).toEqual({ offset: 1000, timestamp: 1_800_000_000_000 })
    expect(await findTimestamp(bytes, 5, 1002, LIMITS)).toEqual({ offset: 1002, timestamp: 1_800_000_000_000 })
  })

  it('is not one that is deleted', async () => {
    const { bytes, records } = batchVector({ set: 'mixed', codec: 3 })
    for (const from of records.keys()) {
      const left = records.slice(from)
      const times = left.map(({ timestamp }) => timestamp)
      for (const wanted of [0, ...times]) {
        const { offset, timestamp } = left.find((record) => record.timestamp >= wanted) ?? {}
        expect(await findTimestamp(bytes, wanted, from, LIMITS)).toEqual({ offset, timestamp })
      }
      const largest = { offset: from + times.indexOf(Math.max(...times)), timestamp: Math.max(...times) }
      expect(await findTimestamp(bytes, Number.POSITIVE_INFINITY, from, LIMITS)).toEqual(largest)
    }
    expect(await findTimestamp(bytes, 0, records.length, LIMITS)).toBeNull()
  })
})

it('a batch for a compacted topic needs keys', async () => {
  for (const codec of [0, 1, 3]) {
    const { bytes } = batchVector({ set: 'mixed', codec })
    await expect(async () => await requireKeys(bytes, LIMITS)).rejects.toMatchObject({ code: 'INVALID_RECORD' })
  }
  await requireKeys(batchVector({ set: 'large', codec: 4 }).bytes, LIMITS)
})

describe('the order of appends', () => {
  it('is that of their arrival, whatever takes how long', async () => {
    const order = new AppendOrder()
    const log = {}
    const appended: number[] = []
    const append = (i: number) => {
      appended.push(i)
      return Promise.resolve(i)
    }
    const runs = Array.from({ length: 20 }, (_, i) => {
      if (i % 5 === 4) return order.run(log, () => Promise.reject(new Error(`no ${i}`)), append)
      if (i % 2 === 0) return order.run(log, () => new Promise<number>((done) => setImmediate(done, i)), append)
      return order.run(log, () => i, append)
    })
    const results = await Promise.allSettled(runs)
    expect(appended).toEqual(Array.from({ length: 20 }, (_, i) => i).filter((i) => i % 5 !== 4))
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(4)
  })

  it('of another log is its own, and nothing waits where nothing is under way', () => {
    const order = new AppendOrder()
    const [slow, other] = [{}, {}]
    const appended: string[] = []
    const append = async (name: string) => void appended.push(name)
    void order.run(slow, () => new Promise<string>(() => {}), append)
    void order.run(other, () => 'other', append)
    expect(appended).toEqual(['other'])
  })
})

describe('a batch of very many records', () => {
  const ONE = Buffer.from('k')
  const batchOf = (count: number): Buffer =>
    encodeBatch(Array.from({ length: count }, (_, offset) => ({ offset, timestamp: offset, key: ONE, value: null })))
  const COUNT = 2 * RECORDS_A_STEP + 1
  const many = batchOf(COUNT)

  it.each([
    ['its keys are looked for', (batch: Buffer) => requireKeys(batch, LIMITS)],
    ['it is packed', (batch: Buffer) => packBatch(batch, PACKING)],
    ['it is stored as entries', (batch: Buffer) => storeBatches(batch, 0, Number.MAX_SAFE_INTEGER, LIMITS)],
    ['a time is looked for', (batch: Buffer) => findTimestamp(batch, COUNT - 1, 0, LIMITS)],
    ['the largest time is', (batch: Buffer) => findTimestamp(batch, Number.POSITIVE_INFINITY, 0, LIMITS)],
  ])('lets the event loop turn while %s', async (_, convert) => {
    expect((await turnsDuring<unknown>(() => convert(batchOf(10)))).turns).toBe(0)
    expect((await turnsDuring<unknown>(() => convert(many))).turns).toBeGreaterThanOrEqual(2)
  })
})
