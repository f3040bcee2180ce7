import { describe, expect, it } from 'vitest'
import { readAsBatches, readAsEntries } from '../../../src/log/conversion/converted-reads.js'
import { resolveLogConfig } from '../../../src/log/log-config.js'
import { PartitionLog } from '../../../src/log/partition-log.js'
import { encodePacked } from '../../../src/log/record-codec.js'
import type { RecordFormat } from '../../../src/log/record-format.js'
import { silentLogger } from '../../../src/logger.js'
import { native } from '../../../src/native/load.js'
import { readBatches } from '../../support/kafka-records.js'
import { batchVector, controlBatch } from '../../support/record-batches.js'
import { readStoredEntries } from '../../support/stored-format.js'
import { temporaryDirectory } from '../../support/temporary.js'

const LIMITS = { maxPlainBytes: 1 << 20 }

async function openLog(recordFormat: RecordFormat, segmentBytes = 1 << 30): Promise<PartitionLog> {
  const config = resolveLogConfig({ recordFormat, fsync: 'never', segmentBytes })
  const options = { config, logger: silentLogger, clean: true, recoveryPoint: 0, logStartOffset: 0 }
  return PartitionLog.open(await temporaryDirectory(), options)
}

async function appendBatch(log: PartitionLog, bytes: Buffer, count: number): Promise<void> {
  const records = Buffer.from(bytes)
  await log.append([{ records, count, timestamp: -1, storedLength: records.length }], 1)
}

const offsetsOf = (parts: readonly Buffer[]) =>
  readStoredEntries(Buffer.concat(parts)).map(({ offset }) => Number(offset))

describe('a kafka log read as entries', () => {
  it('is read over the marks of transactions, to the next record or the bound', async () => {
    const log = await openLog('kafka', 1024)
    const { bytes } = batchVector({ set: 'plain', codec: 3 })
    await appendBatch(log, bytes, 4)
    for (let i = 0; i < 30; i++) await appendBatch(log, controlBatch, 1)
    await appendBatch(log, bytes, 4)
    for (let i = 0; i < 3; i++) await appendBatch(log, controlBatch, 1)
    const read = (offset: number, upperBound = log.highWatermark) =>
      readAsEntries(log, { offset, maxBytes: 200, upperBound }, LIMITS)
    expect(offsetsOf((await read(0)).parts)).toEqual([0, 1, 2, 3])
    for (const offset of [4, 20, 33]) expect(offsetsOf((await read(offset)).parts)).toEqual([34, 35, 36, 37])
    expect(offsetsOf((await read(36)).parts)).toEqual([36, 37])
    for (const offset of [38, 41]) expect(await read(offset)).toMatchObject({ count: 0, bytes: 0 })
    expect(await read(4, 34)).toMatchObject({ count: 0, bytes: 0 })
    await expect(read(42)).rejects.toMatchObject({ code: 'OFFSET_OUT_OF_RANGE' })
    await log.close()
  })

  it('gives one record at least, and what fits beside it', async () => {
    const log = await openLog('kafka')
    const { bytes } = batchVector({ set: 'large', codec: 4 })
    for (let i = 0; i < 3; i++) await appendBatch(log, bytes, 4)
    for (let offset = 0; offset < 12; offset++) {
      for (const maxBytes of [0, 150_000, 250_000, 1 << 20]) {
        const found = await readAsEntries(log, { offset, maxBytes, upperBound: log.highWatermark }, LIMITS)
        expect(found.lastOffset).toBe(offset + found.count - 1)
        if (found.count > 1) expect(found.bytes).toBeLessThanOrEqual(maxBytes)
      }
    }
    await log.close()
  })
})

describe('a mykafka log read as batches', () => {
  it('crosses segments, and ends at the bound', async () => {
    const log = await openLog('mykafka', 1024)
    for (let i = 0; i < 50; i++) {
      const records = encodePacked([{ key: `${i}`, value: Buffer.alloc(100, i) }])
      await log.append([{ records, count: 1, timestamp: i, storedLength: native.checkPacked(records, 1) }], 1)
    }
    expect(log.stats().segments).toBeGreaterThan(5)
    for (let offset = 0; offset <= 40; offset += 8) {
      const { bytes, count } = await readAsBatches(log, { offset, maxBytes: 1 << 20, upperBound: 40 })
      const found = await readBatches(bytes)
      expect(found.map((record) => record.offset)).toEqual(Array.from({ length: 40 - offset }, (_, i) => offset + i))
      expect(count).toBe(found.length)
    }
    await log.close()
  })
})
