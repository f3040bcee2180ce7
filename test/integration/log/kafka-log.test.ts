import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type LogConfig, resolveLogConfig } from '../../../src/log/log-config.js'
import { readSlices } from '../../../src/log/log-records.js'
import { PartitionLog } from '../../../src/log/partition-log.js'
import { silentLogger } from '../../../src/logger.js'
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
