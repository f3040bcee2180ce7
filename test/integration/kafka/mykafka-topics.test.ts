import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { KAFKA_ERRORS } from '../../../src/errors.js'
import { BATCH_AT } from '../../../src/log/record-batch.js'
import { encodeBatch } from '../../../src/log/record-batch-encoder.js'
import { produceApi } from '../../../src/wire/kafka/generated/produce.js'
import { fetchEntries, startBothWires } from '../../support/both-wires.js'
import * as frames from '../../support/frames.js'
import { produce, produceRequest } from '../../support/kafka-calls.js'
import { fetchBatches, fetchRecords, readBatches } from '../../support/kafka-records.js'
import { asText, batchVector, batchVectors, bombVectors, withRecords } from '../../support/record-batches.js'

const withoutHeaders = batchVectors.filter(({ variant, set }) => variant === 'create' && set !== 'mixed')

describe('a topic of the format mykafka, over Kafka’s wire', () => {
  it('takes what clients write, whatever it is compressed with, and gives it back over both wires', async () => {
    const { kafka, mykafka } = await startBothWires()
    const expected: ReturnType<typeof asText> = []
    for (const { bytes, records } of withoutHeaders) {
      const { errorCode, baseOffset } = await produce(kafka, 'm', bytes)
      expect({ errorCode, baseOffset }).toEqual({ errorCode: 0, baseOffset: expected.length })
      expected.push(...asText(records.map((record) => ({ ...record, offset: baseOffset + record.offset }))))
    }
    expect(asText(await fetchEntries(mykafka, 'm'))).toEqual(expected)
    expect(asText(await fetchRecords(kafka, 'm'))).toEqual(expected)
  })

  it('gives what came over MyKafka’s wire', async () => {
    const { kafka, mykafka } = await startBothWires()
    const before = Date.now()
    const sent = [
      { key: 'k', value: 'v' },
      { key: null, value: 'a null key' },
      { key: 'tomb', value: null },
      { key: '', value: '' },
      { key: null, value: null },
    ]
    await mykafka.call(frames.produce('m', 0, sent))
    const found = await fetchRecords(kafka, 'm')
    const bytes = (text: string | null) => (text === null ? null : Buffer.from(text))
    expect(found).toEqual(
      sent.map(({ key, value }, offset) => ({
        offset,
        timestamp: found[0]?.timestamp,
        key: bytes(key),
        value: bytes(value),
        headers: [],
      })),
    )
    expect(found[0]?.timestamp).toBeGreaterThanOrEqual(before)
  })

  it.each([4, 5, 7, 10, 11, 12])('answers Fetch %i from any offset with whole batches', async (version) => {
    const { kafka, mykafka } = await startBothWires()
    await mykafka.call(
      frames.produce(
        'm',
        0,
        Array.from({ length: 100 }, (_, i) => ({ value: `value ${i}` })),
      ),
    )
    for (const offset of [0, 1, 50, 99, 100]) {
      const { errorCode, highWatermark, batches } = await fetchBatches(kafka, 'm', offset, { version })
      expect({ errorCode, highWatermark }).toEqual({ errorCode: 0, highWatermark: 100 })
      const offsets = (await readBatches(batches)).map((record) => record.offset)
      expect(offsets).toEqual(Array.from({ length: 100 - offset }, (_, i) => offset + i))
    }
    expect(await fetchBatches(kafka, 'm', 101, { version })).toMatchObject({
      errorCode: KAFKA_ERRORS.OFFSET_OUT_OF_RANGE.wire,
    })
  })

  it('gives as many records as fit, but one at least', async () => {
    const { kafka, mykafka } = await startBothWires()
    const values = [10, 200_000, 3, 1_500_000, 40, 2_000_000, 1].map((length, i) => Buffer.alloc(length, i))
    for (const value of values) await mykafka.call(frames.produce('m', 0, [{ value }]))
    for (const maxBytes of [0, 1, 200_100, 400_000, 1 << 20, 5 << 20]) {
      const found = await fetchRecords(kafka, 'm', 0, maxBytes)
      expect(found.map(({ value }) => value?.length)).toEqual(values.map(({ length }) => length))
      const { batches } = await fetchBatches(kafka, 'm', 2, { maxBytes })
      if (maxBytes > 100) expect(batches.length).toBeLessThanOrEqual(maxBytes)
    }
  })

  it('keeps a timestamp for each record, however often they change', async () => {
    const { kafka, mykafka } = await startBothWires()
    const records = Array.from({ length: 3000 }, (_, offset) => {
      return { offset, timestamp: 1_700_000_000_000 + (offset % 7) * 1000, key: null, value: Buffer.from(`${offset}`) }
    })
    expect(await produce(kafka, 'm', encodeBatch(records))).toMatchObject({ errorCode: 0, baseOffset: 0 })
    expect(asText(await fetchEntries(mykafka, 'm'))).toEqual(asText(records))
    expect(asText(await fetchRecords(kafka, 'm'))).toEqual(asText(records))
  })

  it('takes and gives large batches', async () => {
    const { kafka, mykafka } = await startBothWires()
    const records = Array.from({ length: 200 }, (_, i) => {
      return {
        offset: i,
        timestamp: 1_700_000_000_000,
        key: null,
        value: Buffer.alloc(i === 7 ? 6_000_000 : 70_000, i),
      }
    })
    const batch = encodeBatch(records)
    const compressed = withRecords(batch, gzipSync(batch.subarray(BATCH_AT.records)), 1)
    expect(await produce(kafka, 'm', batch)).toMatchObject({ errorCode: 0, baseOffset: 0 })
    expect(await produce(kafka, 'm', compressed)).toMatchObject({ errorCode: 0, baseOffset: 200 })
    const sizes = [...records, ...records].map(({ value }) => value.length)
    for (const found of [await fetchRecords(kafka, 'm', 0, 10 << 20), await fetchEntries(mykafka, 'm', 0, 10 << 20)]) {
      expect(found.map(({ value }) => value?.length)).toEqual(sizes)
      expect(found.every(({ value }, i) => value?.at(-1) === i % 200)).toBe(true)
    }
  })

  it('takes batches in the order of the requests, whatever takes longer', async () => {
    const { kafka } = await startBothWires()
    const slow = batchVector({ set: 'large', codec: 1, from: 'java' })
    const quick = batchVector({ set: 'tiny', codec: 0, from: 'java' })
    const sent = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? slow : quick))
    for (const { bytes } of sent) kafka.send(produceApi, 9, produceRequest({ m: [bytes] }))
    await kafka.peer.frames(sent.length)
    const found = await fetchRecords(kafka, 'm')
    const sizes = sent.flatMap(({ records }) => records.map(({ value }) => value?.length))
    expect(found.map(({ value }) => value?.length)).toEqual(sizes)
  })

  it.each([
    ['headers', batchVector({ set: 'mixed', codec: 0 }).bytes, 'UNSUPPORTED_FOR_MESSAGE_FORMAT'],
    ['compressed headers', batchVector({ set: 'mixed', codec: 2 }).bytes, 'UNSUPPORTED_FOR_MESSAGE_FORMAT'],
    ['a transactional id', batchVector({ variant: 'transactional', codec: 3 }).bytes, 'UNSUPPORTED_FOR_MESSAGE_FORMAT'],
  ] as const)('refuses %s', async (_, bytes, name) => {
    const { kafka } = await startBothWires()
    const { errorCode, baseOffset } = await produce(kafka, 'm', bytes)
    expect({ errorCode, baseOffset }).toEqual({ errorCode: KAFKA_ERRORS[name].wire, baseOffset: -1 })
    expect(await fetchRecords(kafka, 'm')).toEqual([])
  })

  it('refuses compressed records that are damaged, or more than a frame could hold', async () => {
    const { kafka } = await startBothWires({ maxFrameBytes: 1 << 20 })
    const { bytes } = batchVector({ set: 'plain', codec: 3 })
    const damaged = withRecords(bytes, bytes.subarray(BATCH_AT.records, bytes.length - 3), 3)
    expect(await produce(kafka, 'm', damaged)).toMatchObject({ errorCode: KAFKA_ERRORS.INVALID_RECORD.wire })
    for (const bomb of bombVectors) {
      const { errorCode } = await produce(kafka, 'm', withRecords(bytes, bomb.bytes, bomb.codec))
      expect(errorCode, bomb.name).toBe(KAFKA_ERRORS.MESSAGE_TOO_LARGE.wire)
    }
    const { bytes: good } = batchVector({ set: 'plain', codec: 4 })
    expect(await produce(kafka, 'm', good)).toMatchObject({ errorCode: 0, baseOffset: 0 })
  })

  it('takes an idempotent batch once, however often it comes', async () => {
    const { kafka } = await startBothWires()
    const { bytes } = batchVector({ variant: 'idempotent', codec: 3 })
    for (let i = 0; i < 3; i++) {
      expect(await produce(kafka, 'm', bytes)).toMatchObject({ errorCode: 0, baseOffset: 0 })
    }
    expect(await fetchRecords(kafka, 'm')).toHaveLength(4)
  })
})
