import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MyKafkaError } from '../../src/errors.js'
import { packBatch } from '../../src/log/conversion/batch-to-packed.js'
import { storeBatches } from '../../src/log/conversion/batches-to-stored.js'
import { packedAsBatch } from '../../src/log/conversion/packed-to-batch.js'
import { encodeStored } from '../../src/log/conversion/stored-to-batches.js'
import { decodeBatch, decodeBatches } from '../../src/log/record-batch.js'
import { encodeBatch } from '../../src/log/record-batch-encoder.js'
import { encodePacked } from '../../src/log/record-codec.js'
import { iterateBatch } from '../../src/log/record-cursor.js'
import { storedEntry } from '../support/stored-format.js'
import { bytes, record, records, safeInteger } from './arbitraries.js'

const LIMITS = { maxPlainBytes: 1 << 20 }
const PACKING = { ...LIMITS, logAppendTimeMs: -1, keysRequired: false }
const step = fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 0xffffffff }))
const time = fc.oneof(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 }), safeInteger)
const logged = fc.array(fc.record({ step, timestamp: time, record }), { minLength: 1, maxLength: 30 }).map((list) => {
  let offset = -1
  return list.map(({ step: gap, timestamp, record: fields }) => {
    offset += gap
    return { offset, timestamp, ...fields }
  })
})
const headers = fc.array(
  fc.record({ key: fc.string({ unit: 'grapheme', maxLength: 8 }), value: fc.option(bytes(8), { nil: null }) }),
  { maxLength: 3 },
)

/** Whether one batch can tell all their offsets and timestamps as deltas to its first record. */
function fitOneBatch(list: { offset: number; timestamp: number }[]): boolean {
  const [first = { offset: 0, timestamp: 0 }] = list
  return list.every(
    ({ offset, timestamp }) => offset - first.offset <= 0x7fffffff && Number.isSafeInteger(timestamp - first.timestamp),
  )
}

describe('converted records', () => {
  it('come back as they were stored, by way of Kafka batches', async () => {
    await fc.assert(
      fc.asyncProperty(logged, fc.nat(6000), async (list, maxBytes) => {
        const entries = list.map(({ offset, timestamp, key, value }) => storedEntry(offset, timestamp, key, value))
        const batches = encodeStored(Buffer.concat(entries), maxBytes)
        const back = await storeBatches(batches.bytes, 0, 1 << 20, LIMITS)
        expect(back.count).toBe(batches.count)
        expect(Buffer.concat(back.parts)).toEqual(Buffer.concat(entries.slice(0, batches.count)))
        const isAmple = maxBytes >= Buffer.concat(entries).length * 2 + 61
        if (isAmple && fitOneBatch(list)) expect(batches.count).toBe(list.length)
      }),
    )
  })

  it('come back as they were packed, by way of a Kafka batch', async () => {
    await fc.assert(
      fc.asyncProperty(records, time, async (list, timestamp) => {
        const packed = encodePacked(list)
        const [run, ...more] = await packBatch(packedAsBatch(packed, list.length, timestamp, false), PACKING)
        expect(more).toEqual([])
        expect(run).toMatchObject({ timestamp, count: list.length })
        expect(Buffer.from(run?.records ?? [])).toEqual(packed)
      }),
    )
  })

  it('keep their headers in a batch', () => {
    const near = logged.map((list) => list.map((fields, offset) => ({ ...fields, offset, timestamp: offset })))
    fc.assert(
      fc.property(near, fc.array(headers, { minLength: 30, maxLength: 30 }), (list, given) => {
        const all = list.map((fields, i) => ({ ...fields, headers: given[i] ?? [] }))
        const batch = decodeBatch(encodeBatch(all))
        expect([...iterateBatch(batch, batch.records)]).toEqual(all)
      }),
    )
  })

  it('are refused or read, never worse, where bytes are changed', async () => {
    const change = fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 }))
    await fc.assert(
      fc.asyncProperty(records, fc.array(change, { minLength: 1, maxLength: 4 }), async (list, changes) => {
        const batch = packedAsBatch(encodePacked(list), list.length, 1, false)
        for (const [at, byte] of changes) batch[at % batch.length] = byte
        try {
          for (const found of decodeBatches(batch)) for (const _ of iterateBatch(found, found.records));
          await packBatch(batch, PACKING)
          await storeBatches(batch, 0, 1 << 20, LIMITS)
        } catch (error) {
          expect(error).toBeInstanceOf(MyKafkaError)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
