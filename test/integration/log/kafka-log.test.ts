import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PackedBatch } from '../../../src/log/append-queue.js'
import { type LogConfig, resolveLogConfig } from '../../../src/log/log-config.js'
import { readSlices } from '../../../src/log/log-records.js'
import { PartitionLog } from '../../../src/log/partition-log.js'
import { encodePacked } from '../../../src/log/record-codec.js'
import { silentLogger } from '../../../src/logger.js'
import { native } from '../../../src/native/load.js'
import { type BatchVector, batchVector, clientBatches, storedAt, toAppend } from '../../support/kafka-batches.js'
import { temporaryDirectory } from '../../support/temporary.js'

const FIRST = '00000000000000000000'

function openLog(
  directory: string,
  {
    clean = true,
    recoveryPoint = 0,
    ...settings
  }: Partial<LogConfig> & { clean?: boolean; recoveryPoint?: number } = {},
): Promise<PartitionLog> {
  const config = resolveLogConfig({ recordFormat: 'kafka', fsync: 'never', ...settings })
  return PartitionLog.open(directory, { config, logger: silentLogger, clean, recoveryPoint, logStartOffset: 0 })
}

/** Appends them one by one; returns their bytes as they should be stored, and where each begins. */
async function fill(log: PartitionLog, vectors: readonly BatchVector[]): Promise<{ bytes: Buffer; offsets: number[] }> {
  const stored: Buffer[] = []
  const offsets: number[] = []
  for (const vector of vectors) {
    const { baseOffset, count } = await log.append([toAppend(vector)], 1)
    expect(count).toBe(vector.count)
    stored.push(storedAt(vector, baseOffset))
    offsets.push(baseOffset)
  }
  return { bytes: Buffer.concat(stored), offsets }
}

async function readAll(log: PartitionLog, offset = 0, maxBytes = 1 << 20) {
  const result = await log.read({ offset, maxBytes, upperBound: log.highWatermark })
  const { firstOffset, lastOffset, count } = result
  return { firstOffset, lastOffset, count, bytes: await readSlices(result) }
}

const corrupt = expect.objectContaining({ code: 'CORRUPT_MESSAGE' })

describe('a log of record batches', () => {
  it('stores what clients sent as it came, with offsets of its own', async () => {
    const log = await openLog(await temporaryDirectory())
    const { bytes, offsets } = await fill(log, clientBatches)
    const total = clientBatches.reduce((sum, { count }) => sum + count, 0)
    expect(log.logEndOffset).toBe(total)
    expect(await readAll(log)).toEqual({ firstOffset: 0, lastOffset: total - 1, count: total, bytes })
    expect(offsets.at(-1)).toBe(total - (clientBatches.at(-1)?.count ?? 0))
    await log.close()
  })

  it('answers with the whole batch that holds an offset, and with one at least', async () => {
    const log = await openLog(await temporaryDirectory())
    const { offsets } = await fill(log, clientBatches)
    for (const [i, vector] of clientBatches.entries()) {
      const firstOffset = offsets[i] as number
      for (const offset of [firstOffset, firstOffset + (vector.count >> 1), firstOffset + vector.count - 1]) {
        const found = await readAll(log, offset, 1)
        expect(found).toEqual({
          firstOffset,
          lastOffset: firstOffset + vector.count - 1,
          count: vector.count,
          bytes: storedAt(vector, firstOffset),
        })
      }
    }
    await log.close()
  })

  it('hands out no batch that reaches to the bound', async () => {
    const log = await openLog(await temporaryDirectory())
    await fill(log, [batchVector('60 records'), batchVector('60 records')])
    const below = await log.read({ offset: 0, maxBytes: 1 << 20, upperBound: 119 })
    expect(below.lastOffset).toBe(59)
    const none = await log.read({ offset: 70, maxBytes: 1 << 20, upperBound: 119 })
    expect(none).toMatchObject({ count: 0, bytes: 0, slices: [] })
    for (const slice of below.slices) slice.release()
    await log.close()
  })

  it('writes its own time into a batch, as Kafka does', async () => {
    for (const vector of clientBatches.filter(({ appendTime }) => appendTime >= 0)) {
      const log = await openLog(await temporaryDirectory())
      await log.append([toAppend(vector, vector.appendTime)], 1)
      const { bytes } = await readAll(log)
      const expected = Buffer.from(vector.stored, 'hex')
      expected.writeBigInt64BE(0n, 0)
      expect(bytes.equals(expected)).toBe(true)
      expect(log.stats().largestTimestamp).toBe(vector.appendTime)
      await log.close()
    }
  })

  it('writes many batches as one, also on a thread', async () => {
    const log = await openLog(await temporaryDirectory())
    const vector = batchVector('60 records')
    const many = Array.from({ length: 300 }, () => toAppend(vector))
    const results = await Promise.all([log.append(many, 'all'), log.append([toAppend(vector)], 1)])
    expect(results).toEqual([
      { baseOffset: 0, count: 18_000 },
      { baseOffset: 18_000, count: 60 },
    ])
    const expected = Buffer.concat(Array.from({ length: 301 }, (_, i) => storedAt(vector, i * 60)))
    expect((await readAll(log)).bytes.equals(expected)).toBe(true)
    await log.close()
  })

  it('goes on across segments, and behind a clean stop', async () => {
    const directory = await temporaryDirectory()
    const vectors = Array.from({ length: 40 }, (_, i) => clientBatches[i % clientBatches.length] as BatchVector)
    let log = await openLog(directory, { segmentBytes: 5000 })
    const { bytes } = await fill(log, vectors)
    const end = log.logEndOffset
    await log.close()
    log = await openLog(directory, { segmentBytes: 5000, recoveryPoint: end })
    expect(log.stats().segments).toBeGreaterThan(3)
    expect(log.logEndOffset).toBe(end)
    const parts: Buffer[] = []
    for (let offset = 0; offset < end; ) {
      const part = await readAll(log, offset, 900)
      expect(part.firstOffset).toBe(offset)
      parts.push(part.bytes)
      offset = part.lastOffset + 1
    }
    expect(Buffer.concat(parts).equals(bytes)).toBe(true)
    await fill(log, vectors)
    expect(log.logEndOffset).toBe(2 * end)
    await log.close()
  })

  it('cuts the whole batch that holds the offset', async () => {
    const log = await openLog(await temporaryDirectory())
    await fill(log, [batchVector('60 records'), batchVector('gzip'), batchVector('zstd')])
    await log.truncateTo(130)
    expect(log.logEndOffset).toBe(120)
    await log.truncateTo(60)
    expect(log.logEndOffset).toBe(60)
    expect((await readAll(log)).bytes.equals(storedAt(batchVector('60 records'), 0))).toBe(true)
    expect(await log.append([toAppend(batchVector('one record'))], 1)).toEqual({ baseOffset: 60, count: 1 })
    await log.close()
  })
})

describe('a search by time', () => {
  const at = (name: string, time: number): PackedBatch => toAppend(batchVector(name), time)

  it('finds the first batch with a record of the time or later, also behind a restart', async () => {
    const directory = await temporaryDirectory()
    let log = await openLog(directory, { segmentBytes: 5000 })
    // 60 offsets each; the times of the batches rise, but for one.
    const times = [10, 20, 30, 25, 40, 50, 60, 50, 60, 70]
    for (const time of times) await log.append([at('60 records', time)], 1)
    const batch = (i: number) => ({ baseOffset: 60 * i, lastOffset: 60 * i + 59, timestamp: times[i] })
    for (const clean of [true, true, false]) {
      expect(await log.offsetForTimestamp(0)).toEqual(batch(0))
      expect(await log.offsetForTimestamp(20)).toEqual(batch(1))
      expect(await log.offsetForTimestamp(21)).toEqual(batch(2))
      expect(await log.offsetForTimestamp(25, 130)).toEqual(batch(2))
      expect(await log.offsetForTimestamp(25, 180)).toEqual(batch(3))
      expect(await log.offsetForTimestamp(51)).toEqual(batch(6))
      expect(await log.offsetForTimestamp(70)).toEqual(batch(9))
      expect(await log.offsetForTimestamp(71)).toBeNull()
      expect(await log.offsetForTimestamp(0, 600)).toBeNull()
      expect(await log.offsetForTimestamp(Number.POSITIVE_INFINITY)).toEqual(batch(9))
      await log.close()
      log = await openLog(directory, { segmentBytes: 5000, clean, recoveryPoint: clean ? 600 : 0 })
    }
    await log.truncateTo(540)
    expect(await log.offsetForTimestamp(Number.POSITIVE_INFINITY)).toEqual(batch(6))
    expect(await log.offsetForTimestamp(61)).toBeNull()
    await log.append([at('gzip', 65)], 1)
    expect(await log.offsetForTimestamp(61)).toEqual({ baseOffset: 540, lastOffset: 599, timestamp: 65 })
    await log.close()
  })

  it('finds nothing in an empty log, nor where no record has a time', async () => {
    const log = await openLog(await temporaryDirectory())
    expect(await log.offsetForTimestamp(0)).toBeNull()
    expect(await log.offsetForTimestamp(Number.POSITIVE_INFINITY)).toBeNull()
    await log.append([toAppend(batchVector('no timestamp'))], 1)
    expect(await log.offsetForTimestamp(0)).toBeNull()
    expect(await log.offsetForTimestamp(Number.POSITIVE_INFINITY)).toBeNull()
    await log.close()
  })

  it('goes over damaged batches', async () => {
    const directory = await temporaryDirectory()
    let log = await openLog(directory)
    for (const time of [10, 20, 30]) await log.append([at('60 records', time)], 1)
    await log.close()
    const path = join(directory, `${FIRST}.log`)
    const bytes = await readFile(path)
    const second = bytes.length / 3 + 500
    bytes[second] = ~(bytes[second] as number)
    await writeFile(path, bytes)
    log = await openLog(directory, { recoveryPoint: 180 })
    expect(await log.offsetForTimestamp(15)).toMatchObject({ baseOffset: 120, timestamp: 30 })
    expect(await log.offsetForTimestamp(15, 70)).toMatchObject({ baseOffset: 120, timestamp: 30 })
    await log.close()
  })

  it('finds single records in a log of records', async () => {
    const log = await openLog(await temporaryDirectory(), { recordFormat: 'mykafka', segmentBytes: 1024 })
    for (let i = 0; i < 100; i++) {
      const records = encodePacked([{ key: null, value: `value ${i}` }])
      await log.append([{ records, count: 1, timestamp: i * 2, storedLength: native.checkPacked(records, 1) }], 1)
    }
    expect(log.stats().segments).toBeGreaterThan(2)
    for (const i of [0, 1, 50, 99]) {
      const found = { baseOffset: i, lastOffset: i, timestamp: i * 2 }
      expect(await log.offsetForTimestamp(i * 2)).toEqual(found)
      expect(await log.offsetForTimestamp(i * 2 - 1)).toEqual(found)
    }
    expect(await log.offsetForTimestamp(199)).toBeNull()
    expect(await log.offsetForTimestamp(Number.POSITIVE_INFINITY)).toMatchObject({ baseOffset: 99 })
    await log.close()
  })
})

describe('the headers of batches', () => {
  async function headersFrom(log: PartitionLog, offset: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const headers of log.batchHeaders(offset)) parts.push(headers)
    return Buffer.concat(parts)
  }

  it('are handed out from the batch that holds an offset on', async () => {
    const directory = await temporaryDirectory()
    let log = await openLog(directory, { segmentBytes: 3000 })
    const { offsets } = await fill(log, clientBatches)
    const expected = clientBatches.map((vector, i) => storedAt(vector, offsets[i] as number).subarray(0, 61))
    for (const clean of [true, false]) {
      for (const [i, vector] of clientBatches.entries()) {
        const inside = (offsets[i] as number) + (vector.count >> 1)
        expect((await headersFrom(log, inside)).equals(Buffer.concat(expected.slice(i)))).toBe(true)
      }
      expect(await headersFrom(log, log.logEndOffset)).toHaveLength(0)
      const { logEndOffset } = log
      await log.close()
      log = await openLog(directory, { segmentBytes: 3000, clean, recoveryPoint: clean ? logEndOffset : 0 })
    }
    await log.close()
  })

  it('are handed out all, however many', async () => {
    const log = await openLog(await temporaryDirectory())
    const many = Array.from({ length: 10_000 }, () => toAppend(batchVector('one record')))
    await log.append(many, 1)
    const headers = await headersFrom(log, 0)
    expect(headers).toHaveLength(10_000 * 61)
    for (let i = 0; i < 10_000; i++) expect(headers.readBigInt64BE(i * 61)).toBe(BigInt(i))
    await log.close()
  })
})

describe('behind an unclean stop', () => {
  it('ends at the last whole batch, wherever the next is torn', async () => {
    const vectors = [batchVector('60 records'), batchVector('idempotent'), batchVector('lz4')]
    const torn = batchVector('one record')
    const directory = await temporaryDirectory()
    const path = join(directory, `${FIRST}.log`)
    let log = await openLog(directory)
    const { bytes } = await fill(log, [...vectors, torn])
    await log.close()
    const whole = bytes.length - torn.sent.length / 2
    for (const kept of [0, 1, 12, 17, 60, 61, torn.sent.length / 2 - 1]) {
      await writeFile(path, bytes)
      await truncate(path, whole + kept)
      log = await openLog(directory, { clean: false })
      expect(log.logEndOffset).toBe(124)
      expect((await readAll(log)).bytes.equals(bytes.subarray(0, whole))).toBe(true)
      expect(await log.append([toAppend(torn)], 1)).toEqual({ baseOffset: 124, count: 1 })
      await log.close()
    }
    const cut = (await readdir(directory)).filter((name) => name.includes('.log.cut-'))
    expect(cut).toHaveLength(6)
  })

  it('serves what lies around a damaged batch below the recovery point', async () => {
    const directory = await temporaryDirectory()
    const path = join(directory, `${FIRST}.log`)
    let log = await openLog(directory)
    const vectors = [batchVector('60 records'), batchVector('gzip'), batchVector('zstd')]
    const { bytes } = await fill(log, vectors)
    await log.close()
    const damaged = Buffer.from(bytes)
    const at = vectors[0] ? vectors[0].sent.length / 2 + 100 : 0
    damaged[at] = ~(damaged[at] as number)
    await writeFile(path, damaged)
    log = await openLog(directory, { clean: false, recoveryPoint: 180 })
    expect(log.logEndOffset).toBe(180)
    expect((await readAll(log, 0)).lastOffset).toBe(59)
    for (const offset of [60, 61, 119]) await expect(readAll(log, offset)).rejects.toEqual(corrupt)
    expect((await readAll(log, 150)).firstOffset).toBe(120)
    expect(log.damages()).toMatchObject([{ firstOffset: 60, nextOffset: 120 }])
    await log.close()
    expect((await stat(path)).size).toBe(bytes.length)
  })

  it.each(['kafka', 'mykafka'] as const)('takes entries of the other format in a %s log for damage', async (format) => {
    const directory = await temporaryDirectory()
    const records = JSON.parse(await readFile(new URL('../../vectors/segment.json', import.meta.url), 'utf8'))
    const entries = { mykafka: Buffer.from(records.log, 'hex'), kafka: storedAt(batchVector('60 records'), 0) }
    await writeFile(join(directory, `${FIRST}.log`), entries[format === 'kafka' ? 'mykafka' : 'kafka'])
    const log = await openLog(directory, { clean: false, recoveryPoint: 3, recordFormat: format })
    expect(log.logEndOffset).toBe(3)
    await expect(readAll(log, 0)).rejects.toEqual(corrupt)
    await log.close()
  })
})
