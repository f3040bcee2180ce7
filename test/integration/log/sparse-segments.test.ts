import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findTimestamp } from '../../../src/log/conversion/batch-timestamps.js'
import { readAsBatches, readAsEntries } from '../../../src/log/conversion/converted-reads.js'
import { type LogConfig, resolveLogConfig } from '../../../src/log/log-config.js'
import { iterateRecords, readSlices } from '../../../src/log/log-records.js'
import { PartitionLog } from '../../../src/log/partition-log.js'
import { silentLogger } from '../../../src/logger.js'
import {
  type CompactedBatch,
  compactedBatch,
  segmentFile,
  writeCompacted,
  writeDense,
} from '../../support/compacted-log.js'
import { packed } from '../../support/frames.js'
import { batchVector, storedAt, toAppend } from '../../support/kafka-batches.js'
import { readBatches } from '../../support/kafka-records.js'
import { readStoredEntries, storedEntry } from '../../support/stored-format.js'
import { temporaryDirectory } from '../../support/temporary.js'

const NEW_RECORD = [{ records: packed([{ value: 'new' }]), count: 1, timestamp: 1, storedLength: 31 }]
const LIMITS = { maxPlainBytes: 1 << 20 }

interface Settings extends Partial<LogConfig> {
  clean?: boolean
  recoveryPoint?: number
}

function openLog(directory: string, { clean = true, recoveryPoint = 0, ...settings }: Settings = {}) {
  const config = resolveLogConfig({ fsync: 'never', ...settings })
  return PartitionLog.open(directory, { config, logger: silentLogger, clean, recoveryPoint, logStartOffset: 0 })
}

const entry = (offset: number) => storedEntry(offset, 1000 + offset, Buffer.from('k'), Buffer.from(`v${offset}`))
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

/** [0, 100) with 3, 4, 50; [100, 200) and [200, 300) emptied; [300, 400) with 399; [400, 410) as it was. */
async function writeRecords(): Promise<string> {
  const directory = await temporaryDirectory()
  await writeCompacted(directory, 0, [3, 4, 50].map(entry))
  await writeCompacted(directory, 100, [])
  await writeCompacted(directory, 200, [])
  await writeCompacted(directory, 300, [entry(399)])
  await writeDense(directory, 400, range(400, 410).map(entry))
  return directory
}

const LEFT = [3, 4, 50, 399, ...range(400, 410)]

async function readOffsets(log: PartitionLog, offset: number, maxBytes = 1 << 20) {
  const result = await log.read({ offset, maxBytes, upperBound: log.highWatermark })
  const offsets = readStoredEntries(await readSlices(result)).map((read) => Number(read.offset))
  expect(result.count).toBe(offsets.length)
  if (offsets.length > 0) {
    expect(result.firstOffset).toBe(offsets[0])
    expect(result.lastOffset).toBe(offsets.at(-1))
  }
  return offsets
}

/** As a consumer reads: what has to be checked first ends an answer. */
async function readToEnd(log: PartitionLog, from: number): Promise<number[]> {
  const all: number[] = []
  for (let offset = from; ; ) {
    const offsets = await readOffsets(log, offset)
    if (offsets.length === 0) return all
    all.push(...offsets)
    offset = (all.at(-1) as number) + 1
  }
}

describe('a log with compacted segments', () => {
  it('is read over gaps, emptied segments and the seams between', async () => {
    const log = await openLog(await writeRecords(), { recoveryPoint: 410 })
    expect(log.logEndOffset).toBe(410)
    // Twice: checked first, at once then.
    for (let round = 0; round < 2; round++) {
      for (let offset = 0; offset <= 410; offset++) {
        const wanted = LEFT.filter((left) => left >= offset)
        const found = await readOffsets(log, offset, 1)
        expect(found).toEqual(wanted.slice(0, 1))
      }
      for (const offset of [0, 4, 5, 51, 100, 250, 399, 400]) {
        const wanted = LEFT.filter((left) => left >= offset)
        expect(await (round === 0 ? readToEnd : readOffsets)(log, offset)).toEqual(wanted)
      }
    }
    expect(await log.verify()).toEqual([])
    await log.close()
  })

  it('gives no answer of batches without records alone where records follow, not checked yet', async () => {
    const directory = await temporaryDirectory()
    const empty = (baseOffset: number) => compactedBatch({ baseOffset, lastOffsetDelta: 0, deltas: [], producerId: 7 })
    await writeCompacted(directory, 0, [empty(0)])
    await writeCompacted(directory, 10, [empty(12)])
    await writeCompacted(directory, 20, [compactedBatch({ baseOffset: 20, lastOffsetDelta: 0, deltas: [0] })])
    await writeDense(directory, 30, [])
    const log = await openLog(directory, { recordFormat: 'kafka', recoveryPoint: 30 })
    const result = await log.read({ offset: 0, maxBytes: 1 << 20, upperBound: log.highWatermark })
    expect(result).toMatchObject({ firstOffset: 0, lastOffset: 20 })
    await readSlices(result)
    await log.close()
  })

  it('hands out nothing from the bound on', async () => {
    const log = await openLog(await writeRecords(), { recoveryPoint: 410 })
    await readToEnd(log, 0)
    for (const [upperBound, last] of [
      [3, -1],
      [4, 3],
      [50, 4],
      [51, 50],
      [399, 50],
      [400, 399],
      [401, 400],
    ] as const) {
      const result = await log.read({ offset: 0, maxBytes: 1 << 20, upperBound })
      expect(result.lastOffset).toBe(last)
      await readSlices(result)
    }
    await log.close()
  })

  it('is walked to its end and on, also where nothing is left before the end', async () => {
    const directory = await temporaryDirectory()
    await writeCompacted(directory, 0, [entry(7)])
    await writeDense(directory, 20, [])
    const log = await openLog(directory, { recoveryPoint: 20 })
    const ended = []
    for await (const { offset } of iterateRecords(log, { from: 0, follow: false })) ended.push(offset)
    expect(ended).toEqual([7])
    const walk = iterateRecords(log, { from: 8 })
    const next = walk.next()
    await log.append(NEW_RECORD, 1)
    expect((await next).value).toMatchObject({ offset: 20 })
    await walk.return()
    await log.close()
  })

  it('a gap behind a segment that is not compacted stays damage', async () => {
    const directory = await temporaryDirectory()
    await writeDense(directory, 0, range(0, 10).map(entry))
    await writeCompacted(directory, 20, [entry(25)])
    await writeDense(directory, 30, [])
    const log = await openLog(directory, { recoveryPoint: 30 })
    expect(await readOffsets(log, 0)).toEqual(range(0, 10))
    for (const offset of [10, 15, 19]) {
      await expect(readOffsets(log, offset)).rejects.toMatchObject({ code: 'CORRUPT_MESSAGE' })
    }
    expect(await readOffsets(log, 20)).toEqual([25])
    expect(await log.verify()).toMatchObject([{ firstOffset: 10, nextOffset: 20 }])
    await log.close()
  })

  it('answers by time from what is left', async () => {
    const log = await openLog(await writeRecords(), { recoveryPoint: 410 })
    for (const [timestamp, baseOffset] of [
      [0, 3],
      [1004, 4],
      [1005, 50],
      [1051, 399],
      [1400, 400],
    ] as const) {
      expect(await log.offsetForTimestamp(timestamp)).toMatchObject({ baseOffset })
    }
    expect(await log.offsetForTimestamp(0, 60)).toMatchObject({ baseOffset: 399 })
    expect(await log.offsetForTimestamp(Number.POSITIVE_INFINITY)).toMatchObject({ baseOffset: 409 })
    await log.close()
  })

  it('becomes batches whose offset deltas keep the gaps', async () => {
    const log = await openLog(await writeRecords(), { recoveryPoint: 410 })
    await readToEnd(log, 0)
    const read = await readAsBatches(log, { offset: 0, maxBytes: 1 << 20, upperBound: 410 })
    expect((await readBatches(read.bytes)).map(({ offset }) => offset)).toEqual(LEFT)
    await log.close()
  })
})

describe('opening a log with compacted segments', () => {
  it('checks none of them again and cuts none, whatever the recovery point says', async () => {
    const directory = await writeRecords()
    await truncate(segmentFile(directory, 300, 'log'), 10)
    const log = await openLog(directory, { clean: false })
    expect(log.logEndOffset).toBe(410)
    expect(await readOffsets(log, 0)).toEqual([3, 4, 50])
    await expect(readOffsets(log, 51)).rejects.toMatchObject({ code: 'CORRUPT_MESSAGE' })
    expect(await readOffsets(log, 400)).toEqual(range(400, 410))
    await log.close()
    expect((await readdir(directory)).filter((name) => name.includes('.cut'))).toEqual([])
  })

  it.each([true, false])(
    'goes on in a segment of its own where the last one is compacted, clean: %s',
    async (clean) => {
      const directory = await writeRecords()
      await rm(segmentFile(directory, 400, 'log'))
      const log = await openLog(directory, { clean, recoveryPoint: 405 })
      expect(log.logEndOffset).toBe(405)
      const appended = await log.append(NEW_RECORD, 1)
      expect(appended.baseOffset).toBe(405)
      expect(await readOffsets(log, 399)).toEqual([399, 405])
      await log.close()
      expect(await readdir(directory)).toContain(basename(segmentFile(directory, 405, 'log')))
      expect((await stat(segmentFile(directory, 300, 'log'))).size).toBe(entry(399).length)
    },
  )

  it('takes one that is last and empty for none', async () => {
    const directory = await temporaryDirectory()
    await writeCompacted(directory, 0, [entry(3)])
    await writeCompacted(directory, 10, [])
    const log = await openLog(directory, { recoveryPoint: 10 })
    await log.append(NEW_RECORD, 1)
    expect(await readOffsets(log, 4)).toEqual([10])
    await log.close()
    expect(await readdir(directory)).not.toContain(basename(segmentFile(directory, 10, 'compacted')))
    const again = await openLog(directory, { recoveryPoint: 11 })
    expect(await readOffsets(again, 0)).toEqual([3, 10])
    await again.close()
  })

  it('forgets that a segment was compacted with the segment', async () => {
    const directory = await temporaryDirectory()
    await writeFile(segmentFile(directory, 0, 'compacted'), Buffer.alloc(8))
    const log = await openLog(directory)
    await log.close()
    expect(await readdir(directory)).not.toContain(basename(segmentFile(directory, 0, 'compacted')))
  })
})

describe('truncating a log with compacted segments', () => {
  it.each([0, 2, 3, 4, 10, 50, 51, 99, 100, 150, 300, 310, 399, 400, 405])('to %i', async (offset) => {
    const directory = await writeRecords()
    const log = await openLog(directory, { recoveryPoint: 410 })
    await log.truncateTo(offset)
    expect(log.logEndOffset).toBe(offset)
    const left = LEFT.filter((kept) => kept < offset)
    expect(await readToEnd(log, 0)).toEqual(left)
    await log.append(NEW_RECORD, 1)
    expect(await readToEnd(log, 0)).toEqual([...left, offset])
    await log.close()
    // Nothing is appended to what compaction left.
    const marks = (await readdir(directory)).filter((name) => name.endsWith('.compacted'))
    for (const name of marks) {
      const path = segmentFile(directory, Number(name.slice(0, 20)), 'log')
      for (const { timestamp } of readStoredEntries(await readFile(path))) expect(Number(timestamp)).toBeGreaterThan(1)
    }
    const again = await openLog(directory, { recoveryPoint: offset + 1, clean: false })
    expect(await readToEnd(again, 0)).toEqual([...left, offset])
    expect(await again.verify()).toEqual([])
    await again.close()
  })
})

const BATCHES: CompactedBatch[] = [
  { baseOffset: 2, lastOffsetDelta: 3, deltas: [1, 3], timestamp: 1000, producerId: 7, baseSequence: 10 },
  { baseOffset: 6, lastOffsetDelta: 4, deltas: [], timestamp: 2000, producerId: 7, baseSequence: 14 },
  { baseOffset: 20, lastOffsetDelta: 0, deltas: [0], timestamp: 3000 },
  { baseOffset: 30, lastOffsetDelta: 9, deltas: [], timestamp: 4000, producerId: 9, baseSequence: 0 },
]
const LEFT_IN_BATCHES = [3, 5, 20]

/** [0, 50) with the batches above; [50, 60) emptied; [60, …) to be appended to. */
async function writeBatches(): Promise<string> {
  const directory = await temporaryDirectory()
  await writeCompacted(directory, 0, BATCHES.map(compactedBatch))
  await writeCompacted(directory, 50, [])
  await writeDense(directory, 60, [])
  return directory
}

describe('a log with compacted record batches', () => {
  const open = async (settings: Settings = {}) =>
    openLog(await writeBatches(), { recordFormat: 'kafka', recoveryPoint: 60, ...settings })

  it('hands out the batches as they are, and counts records', async () => {
    const log = await open()
    const result = await log.read({ offset: 0, maxBytes: 1 << 20, upperBound: 60 })
    expect(result).toMatchObject({ firstOffset: 2, lastOffset: 39, count: 3 })
    expect(await readSlices(result)).toEqual(Buffer.concat(BATCHES.map(compactedBatch)))
    const empty = await log.read({ offset: 6, maxBytes: 1, upperBound: 60 })
    expect(empty).toMatchObject({ firstOffset: 6, lastOffset: 10, count: 0, bytes: 61 })
    await readSlices(empty)
    const behind = await log.read({ offset: 40, maxBytes: 1, upperBound: 60 })
    expect(behind).toMatchObject({ lastOffset: -1, bytes: 0 })
    await log.close()
  })

  it('is read as entries over batches without records, to the next record or the bound', async () => {
    const log = await open()
    await log.append([toAppend(batchVector('one record'))], 1)
    const left = [...LEFT_IN_BATCHES, 60]
    for (let offset = 0; offset <= 61; offset++) {
      const { parts, count } = await readAsEntries(log, { offset, maxBytes: 1, upperBound: 61 }, LIMITS)
      const offsets = readStoredEntries(Buffer.concat(parts)).map((read) => Number(read.offset))
      expect(offsets).toEqual(left.filter((kept) => kept >= offset).slice(0, 1))
      expect(count).toBe(offsets.length)
    }
    const bounded = await readAsEntries(log, { offset: 21, maxBytes: 1 << 20, upperBound: 60 }, LIMITS)
    expect(bounded).toMatchObject({ count: 0, bytes: 0 })
    await log.close()
  })

  it('finds by time no batch without records', async () => {
    const log = await open()
    for (const [timestamp, baseOffset] of [
      [0, 2],
      [1000, 2],
      [1001, 20],
      [3000, 20],
    ] as const) {
      expect(await log.offsetForTimestamp(timestamp)).toMatchObject({ baseOffset })
    }
    expect(await log.offsetForTimestamp(3001)).toBeNull()
    expect(await log.offsetForTimestamp(Number.POSITIVE_INFINITY)).toMatchObject({ baseOffset: 20 })
    await log.close()
  })

  it('names a record that is there where all have the time of the append', async () => {
    const batch = compactedBatch({
      baseOffset: 5,
      lastOffsetDelta: 6,
      deltas: [2, 4],
      timestamp: 9,
      logAppendTime: true,
    })
    expect(await findTimestamp(batch, 1, 5, LIMITS)).toEqual({ offset: 7, timestamp: 9 })
    expect(await findTimestamp(batch, 1, 8, LIMITS)).toEqual({ offset: 9, timestamp: 9 })
  })

  it('knows the sequences that its producers had reached', async () => {
    const log = await open({ clean: false })
    const produce = (producerId: number, baseSequence: number) =>
      log.append([toAppend(batchVector('one record'))], 1, {
        producerId,
        producerEpoch: 0,
        baseSequence,
        recordCount: 1,
      })
    await expect(produce(7, 18)).rejects.toMatchObject({ code: 'OUT_OF_ORDER_SEQUENCE_NUMBER' })
    await expect(produce(9, 11)).rejects.toMatchObject({ code: 'OUT_OF_ORDER_SEQUENCE_NUMBER' })
    expect(await produce(7, 19)).toMatchObject({ baseOffset: 60 })
    expect(await produce(9, 10)).toMatchObject({ baseOffset: 61 })
    const again = log.append([toAppend(batchVector('one record'))], 1, {
      producerId: 7,
      producerEpoch: 0,
      baseSequence: 14,
      recordCount: 5,
    })
    expect(await again).toMatchObject({ baseOffset: 6, duplicate: true })
    await log.close()
  })

  it.each([1, 2, 4, 6, 8, 12, 20, 25, 35, 45, 55])('is truncated to %i', async (offset) => {
    const log = await open()
    await log.truncateTo(offset)
    const cut = BATCHES.find(
      ({ baseOffset, lastOffsetDelta }) => offset > baseOffset && offset <= baseOffset + lastOffsetDelta,
    )
    const end = cut?.baseOffset ?? offset
    expect(log.logEndOffset).toBe(end)
    const vector = batchVector('one record')
    await log.append([toAppend(vector)], 1)
    const result = await log.read({ offset: 0, maxBytes: 1 << 20, upperBound: end + 1 })
    const left = BATCHES.filter(({ baseOffset }) => baseOffset < end).map(compactedBatch)
    expect(await readSlices(result)).toEqual(Buffer.concat([...left, storedAt(vector, end)]))
    await log.close()
  })
})
