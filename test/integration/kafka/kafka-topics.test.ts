import { describe, expect, it } from 'vitest'
import { KAFKA_ERRORS } from '../../../src/errors.js'
import { BATCH_AT, decodeBatch } from '../../../src/log/record-batch.js'
import { encodeBatch } from '../../../src/log/record-batch-encoder.js'
import { fetchEntries, fetchSome, startBothWires } from '../../support/both-wires.js'
import * as frames from '../../support/frames.js'
import { produce } from '../../support/kafka-calls.js'
import { fetchBatches, fetchRecords } from '../../support/kafka-records.js'
import { asText, batchVector, batchVectors, withCrc } from '../../support/record-batches.js'

const written = batchVectors.filter(({ variant }) => variant === 'create')

describe('a topic of the format kafka, over MyKafka’s wire', () => {
  it('gives the records that clients wrote, whatever they are compressed with, without headers', async () => {
    const { kafka, mykafka } = await startBothWires()
    const expected: ReturnType<typeof asText> = []
    for (const { bytes, records } of written) {
      const { errorCode, baseOffset } = await produce(kafka, 'k', bytes)
      expect({ errorCode, baseOffset }).toEqual({ errorCode: 0, baseOffset: expected.length })
      expected.push(...asText(records.map((record) => ({ ...record, offset: baseOffset + record.offset }))))
    }
    expect(asText(await fetchRecords(kafka, 'k'))).toEqual(expected)
    const bare = expected.map((record) => ({ ...record, headers: [] }))
    expect(asText(await fetchEntries(mykafka, 'k'))).toEqual(bare)
    for (const maxBytes of [0, 1000, 300_000]) {
      expect(asText(await fetchEntries(mykafka, 'k', 0, maxBytes))).toEqual(bare)
    }
  })

  it('stores batches as they came', async () => {
    const { kafka } = await startBothWires()
    const sent = written.map(({ bytes }) => bytes)
    for (const bytes of sent) await produce(kafka, 'k', bytes)
    let offset = 0
    for (const bytes of sent) {
      const { batches } = await fetchBatches(kafka, 'k', offset, { maxBytes: bytes.length })
      const { length, lastOffsetDelta } = decodeBatch(batches)
      // But for the base offset and the leader epoch, which are the broker's.
      expect(length).toBe(bytes.length)
      expect(batches.subarray(BATCH_AT.magic, length).equals(bytes.subarray(BATCH_AT.magic))).toBe(true)
      offset += lastOffsetDelta + 1
    }
  })

  it('is read from any offset, in the middle of a compressed batch too', async () => {
    const { kafka, mykafka } = await startBothWires()
    const { bytes, records } = batchVector({ set: 'mixed', codec: 4 })
    await produce(kafka, 'k', bytes)
    await produce(kafka, 'k', bytes)
    for (let offset = 0; offset <= records.length * 2; offset++) {
      const { errorCode, entries } = await fetchSome(mykafka, 'k', offset)
      expect(errorCode).toBe(0)
      expect(entries.map((entry) => entry.offset)).toEqual(
        Array.from({ length: records.length * 2 - offset }, (_, i) => offset + i),
      )
    }
    const { errorCode } = await fetchSome(mykafka, 'k', records.length * 2 + 1)
    expect(errorCode).toBe(KAFKA_ERRORS.OFFSET_OUT_OF_RANGE.wire)
  })

  it('keeps what comes over it, one batch a request', async () => {
    const { kafka, mykafka } = await startBothWires()
    const before = Date.now()
    const sent = [
      { key: 'k', value: 'v' },
      { key: null, value: 'a null key' },
      { key: 'tomb', value: null },
      { key: '', value: '' },
      { key: Buffer.from([0, 255]), value: Buffer.alloc(100_000, 7) },
    ]
    for (const baseOffset of [0, sent.length]) {
      const response = frames.readProduced(await mykafka.call(frames.produce('k', 0, sent)))
      expect(response).toEqual({ errorCode: 0, partition: 0, baseOffset, count: sent.length })
    }
    const found = await fetchRecords(kafka, 'k')
    const bytes = (field: string | Buffer | null) => (field === null ? null : Buffer.from(field))
    const expected = [...sent, ...sent].map(({ key, value }, offset) => {
      return { offset, timestamp: found[offset]?.timestamp ?? -1, key: bytes(key), value: bytes(value) }
    })
    expect(asText(found)).toEqual(asText(expected))
    expect(found[0]?.timestamp).toBeGreaterThanOrEqual(before)
    expect(asText(await fetchEntries(mykafka, 'k'))).toEqual(asText(expected))
    const { batches } = await fetchBatches(kafka, 'k', 0)
    expect(decodeBatch(batches)).toMatchObject({ attributes: 0, count: sent.length, producerId: -1, baseSequence: -1 })
  })

  it('takes no batch above its max.message.bytes', async () => {
    const { mykafka } = await startBothWires({}, { 'max.message.bytes': '1000' })
    const large = await mykafka.call(frames.produce('k', 0, [{ value: Buffer.alloc(1000) }]))
    expect(frames.readProduced(large)).toMatchObject({ errorCode: frames.ERROR.messageTooLarge, baseOffset: -1 })
    const small = await mykafka.call(frames.produce('k', 0, [{ value: Buffer.alloc(900) }]))
    expect(frames.readProduced(small)).toMatchObject({ errorCode: 0, baseOffset: 0 })
    // It is told by its bytes alone, before any work: this one does not even parse.
    const unread = await mykafka.call(frames.produce('k', 0, [{ value: Buffer.alloc(2000) }], 2))
    expect(frames.readProduced(unread)).toMatchObject({ errorCode: frames.ERROR.messageTooLarge })
  })

  it('refuses what does not parse', async () => {
    const { mykafka } = await startBothWires()
    const response = await mykafka.call(frames.produce('k', 0, [{ value: 'v' }], 2))
    expect(frames.readProduced(response)).toMatchObject({ errorCode: frames.ERROR.invalidRecord })
  })

  it('gives its records the time of the append where it is configured so', async () => {
    const { kafka, mykafka } = await startBothWires({}, { 'message.timestamp.type': 'LogAppendTime' })
    const before = Date.now()
    await produce(kafka, 'k', batchVector({ set: 'large', codec: 2 }).bytes)
    await mykafka.call(frames.produce('k', 0, [{ value: 'v' }]))
    for (const found of [await fetchEntries(mykafka, 'k'), await fetchRecords(kafka, 'k')]) {
      expect(found).toHaveLength(5)
      for (const { timestamp } of found) expect(timestamp).toBeGreaterThanOrEqual(before)
    }
  })

  it('takes no record without a key where it is compacted', async () => {
    const { kafka, mykafka } = await startBothWires({}, { 'cleanup.policy': 'compact' })
    const refused = { errorCode: KAFKA_ERRORS.INVALID_RECORD.wire, baseOffset: -1 }
    for (const codec of [0, 3]) {
      expect(await produce(kafka, 'k', batchVector({ set: 'mixed', codec }).bytes)).toMatchObject(refused)
    }
    expect(frames.readProduced(await mykafka.call(frames.produce('k', 0, [{ value: 'v' }])))).toMatchObject(refused)
    const { bytes, records } = batchVector({ set: 'large', codec: 1 })
    expect(await produce(kafka, 'k', bytes)).toMatchObject({ errorCode: 0, baseOffset: 0 })
    const keyed = frames.produce('k', 0, [{ key: 'k', value: null }])
    expect(frames.readProduced(await mykafka.call(keyed))).toMatchObject({ errorCode: 0, baseOffset: records.length })
  })

  it('tells of a compressed batch that does not hold what it says, and serves what is behind it', async () => {
    const { kafka, mykafka } = await startBothWires()
    const { bytes } = batchVector({ set: 'plain', codec: 4 })
    const false_ = Buffer.from(bytes)
    false_.writeInt32BE(7, BATCH_AT.lastOffsetDelta)
    false_.writeInt32BE(8, BATCH_AT.count)
    const undecodable = Buffer.from(bytes).fill(0xee, BATCH_AT.records + 12)
    const good = encodeBatch([{ offset: 0, timestamp: 0, key: null, value: Buffer.from('good') }])
    for (const batch of [good, withCrc(false_), withCrc(undecodable), good]) {
      expect(await produce(kafka, 'k', batch)).toMatchObject({ errorCode: 0 })
    }
    expect((await fetchSome(mykafka, 'k', 0)).entries).toHaveLength(1)
    for (const offset of [1, 8, 9, 12]) {
      expect(await fetchSome(mykafka, 'k', offset)).toMatchObject({ errorCode: frames.ERROR.corruptMessage })
    }
    expect((await fetchSome(mykafka, 'k', 13)).entries.map(({ value }) => value?.toString())).toEqual(['good'])
  })

  it('tells of a batch that decompresses to more than a frame holds', async () => {
    const { kafka, mykafka } = await startBothWires({ maxFrameBytes: 100_000 })
    const { bytes } = batchVector({ set: 'large', codec: 1 })
    expect(await produce(kafka, 'k', bytes)).toMatchObject({ errorCode: 0 })
    expect(await fetchSome(mykafka, 'k', 0)).toMatchObject({ errorCode: frames.ERROR.messageTooLarge })
    expect(await fetchRecords(kafka, 'k')).toHaveLength(4)
  })
})
