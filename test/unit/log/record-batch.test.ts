import { describe, expect, it } from 'vitest'
import { decompress } from '../../../src/log/compression.js'
import {
  BATCH_AT,
  codecOf,
  decodeBatch,
  decodeBatches,
  hasLogAppendTime,
  isControl,
  isTransactional,
} from '../../../src/log/record-batch.js'
import { encodeBatch } from '../../../src/log/record-batch-encoder.js'
import { iterateBatch } from '../../../src/log/record-cursor.js'
import { asText, batchVector, batchVectors, controlBatch } from '../../support/record-batches.js'

describe('a record batch', () => {
  it.each(batchVectors)('comes apart into its records: $name', async ({ bytes, records, codec, variant }) => {
    const batch = decodeBatch(bytes)
    expect(batch).toMatchObject({
      baseOffset: records[0]?.offset,
      lastOffsetDelta: records.length - 1,
      count: records.length,
      length: bytes.length,
      maxTimestamp: Math.max(...records.map(({ timestamp }) => timestamp)),
    })
    expect(codecOf(batch)).toBe(codec)
    expect(hasLogAppendTime(batch)).toBe(variant === 'logAppend')
    expect(isTransactional(batch)).toBe(variant === 'transactional')
    expect(isControl(batch)).toBe(false)
    const plain = await decompress(codec, batch.records, 1 << 20)
    expect(asText(iterateBatch(batch, plain))).toEqual(asText(records))
  })

  it('tells who produced it', () => {
    const { bytes } = batchVector({ variant: 'idempotent' })
    expect(decodeBatch(bytes)).toMatchObject({ producerId: 4711, producerEpoch: 3, baseSequence: 17, leaderEpoch: 7 })
  })

  it('tells a control batch', () => {
    const batch = decodeBatch(controlBatch)
    expect(isControl(batch)).toBe(true)
    expect(isTransactional(batch)).toBe(true)
    expect([...iterateBatch(batch, batch.records)].map(({ key }) => key)).toEqual([Buffer.from('00000001', 'hex')])
  })

  it('is told from the batches behind it', () => {
    const some = batchVectors.slice(0, 4)
    const lengths = [...decodeBatches(Buffer.concat(some.map(({ bytes }) => bytes)))].map(({ length }) => length)
    expect(lengths).toEqual(some.map(({ bytes }) => bytes.length))
  })

  it.each(batchVectors.filter(({ codec, variant }) => codec === 0 && variant === 'create'))(
    'is written as others write it: $name',
    ({ bytes, records }) => {
      // The leader epoch is the broker's.
      const expected = Buffer.from(bytes)
      expected.writeInt32BE(0, BATCH_AT.leaderEpoch)
      expect(encodeBatch(records).toString('hex')).toBe(expected.toString('hex'))
    },
  )

  it('keeps the gaps between offsets', () => {
    const records = [5, 6, 900_000].map((offset) => ({
      offset,
      timestamp: -offset,
      key: null,
      value: null,
      headers: [],
    }))
    const batch = decodeBatch(encodeBatch(records))
    expect(batch).toMatchObject({ baseOffset: 5, lastOffsetDelta: 899_995, count: 3, maxTimestamp: -5 })
    expect([...iterateBatch(batch, batch.records)]).toEqual(records)
  })

  it('is refused where it is cut off, at every byte', () => {
    const { bytes } = batchVector({ set: 'plain', codec: 0 })
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeBatch(bytes.subarray(0, length))).toThrow(expect.objectContaining({ code: 'CORRUPT_MESSAGE' }))
    }
  })

  it('is refused where its records are cut off, at every byte', () => {
    const { bytes } = batchVector({ set: 'mixed', codec: 0 })
    const batch = decodeBatch(bytes)
    for (let length = 0; length < batch.records.length; length++) {
      expect(() => [...iterateBatch(batch, batch.records.subarray(0, length))]).toThrow(
        expect.objectContaining({ code: 'INVALID_RECORD' }),
      )
    }
  })

  it('is refused where bytes follow its records', () => {
    const batch = decodeBatch(batchVector({ set: 'plain', codec: 0 }).bytes)
    expect(() => [...iterateBatch(batch, Buffer.concat([batch.records, Buffer.alloc(1)]))]).toThrow(/1 bytes follow/)
  })

  it('is refused where it announces more records than its bytes can hold', () => {
    const bytes = Buffer.from(batchVector({ set: 'plain', codec: 0 }).bytes)
    bytes.writeInt32BE(0x7fffffff, BATCH_AT.count)
    const batch = decodeBatch(bytes)
    expect(() => [...iterateBatch(batch, batch.records)]).toThrow(/cannot hold 2147483647 records/)
  })

  it('is refused where its offsets do not ascend', () => {
    const twice = [0, 1].map((offset) => ({ offset, timestamp: 0, key: null, value: null }))
    const bytes = encodeBatch(twice)
    // Of the second record: length, attributes, timestamp delta, then the offset delta.
    bytes[BATCH_AT.records + 7 + 3] = 0
    const batch = decodeBatch(bytes)
    expect(() => [...iterateBatch(batch, batch.records)]).toThrow(/offset delta 0/)
  })
})
