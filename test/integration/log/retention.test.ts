import { existsSync } from 'node:fs'
import { copyFile, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { Log } from '../../../src/log/log.js'
import { segmentOptions } from '../../../src/log/log-config.js'
import { readSlices } from '../../../src/log/log-records.js'
import type { PartitionLog } from '../../../src/log/partition-log.js'
import { native } from '../../../src/native/load.js'
import type { NativeSegment } from '../../../src/native/native.js'
import type { MemoryLogger } from '../../support/memory-logger.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { appendAt, DAY, fillSegments, NOW, openTimedLog, TEN_RECORDS } from '../../support/timed-log.js'

const WEEK = 7 * DAY
const file = (offset: number, ending: string): string => `${String(offset).padStart(20, '0')}.${ending}`
const filesOf = (offset: number): string[] => ['index', 'log', 'timeindex'].map((ending) => file(offset, ending))
const bases = (log: PartitionLog): number[] => log.segments().map(({ baseOffset }) => baseOffset)

/** What a check of retention does to a log whose log start offsets need no checkpoint. */
async function retain(log: PartitionLog, now = NOW): Promise<number[]> {
  await log.retention.rollIfOld(now)
  if (!(await log.retention.expire(now))) return []
  const removed = await log.retention.removeBelow(log.logStartOffset, now)
  return removed.map(({ baseOffset }) => baseOffset)
}

async function names(directory: string): Promise<string[]> {
  return (await readdir(directory)).sort()
}

describe.each(['mykafka', 'kafka'] as const)('retention of a %s log', (recordFormat) => {
  const settings = { recordFormat, segmentBytes: TEN_RECORDS[recordFormat], segmentMs: 2 ** 62 }

  it('removes what is older than retention.ms, and what is left begins behind it', async () => {
    const directory = await temporaryDirectory()
    const logger = memoryLogger()
    const log = await openTimedLog(directory, { ...settings, retentionMs: WEEK }, { logger })
    await fillSegments(log, NOW - 9 * DAY, NOW - 8 * DAY, NOW - 6 * DAY, NOW)
    expect(bases(log)).toEqual([0, 10, 20, 30])
    expect(await retain(log)).toEqual([0, 10])
    expect(bases(log)).toEqual([20, 30])
    expect(log.logStartOffset).toBe(20)
    expect(() => log.read({ offset: 19, maxBytes: 1, upperBound: 40 })).toThrow(
      expect.objectContaining({ code: 'OFFSET_OUT_OF_RANGE' }),
    )
    expect(await readValue(log, 20)).toContain('20')
    expect(logger.messages('info')).toEqual([
      'removed a segment: its newest record, of 2026-11-21T00:00:00.000Z, is older than retention.ms (7 d)',
      'removed a segment: its newest record, of 2026-11-22T00:00:00.000Z, is older than retention.ms (7 d)',
    ])
    expect(log.retention.report).toMatchObject({ at: NOW, removed: [{ baseOffset: 0 }, { baseOffset: 10 }] })
    expect(await retain(log)).toEqual([])
  })

  it('keeps its offsets where all of it is too old', async () => {
    const directory = await temporaryDirectory()
    const log = await openTimedLog(directory, { ...settings, retentionMs: WEEK })
    await fillSegments(log, 0, 0)
    await appendAt(log, 5)
    expect(await retain(log)).toEqual([0, 10, 20])
    expect(log).toMatchObject({ logStartOffset: 21, logEndOffset: 21 })
    expect(bases(log)).toEqual([21])
    await log.close()
    expect(await names(directory)).toEqual(expect.arrayContaining([file(21, 'index'), file(21, 'log')]))
    const again = await openTimedLog(directory, { ...settings, retentionMs: WEEK }, { logStartOffset: 21 })
    expect(again).toMatchObject({ logStartOffset: 21, logEndOffset: 21 })
    await appendAt(again, NOW)
    expect(await readValue(again, 21)).toContain('21')
  })

  it('removes the oldest while there is enough without them', async () => {
    const log = await openTimedLog(await temporaryDirectory(), settings)
    await fillSegments(log, 1, 2, 3, 4, 5)
    const size = log.segments()[0]?.size() as number
    log.reconfigure({ ...log.config, retentionBytes: 3 * size })
    expect(await retain(log)).toEqual([0, 10])
    log.reconfigure({ ...log.config, retentionBytes: 3 * size + 1 })
    expect(await retain(log)).toEqual([])
    log.reconfigure({ ...log.config, retentionBytes: 0 })
    expect(await retain(log)).toEqual([20, 30, 40])
    expect(log).toMatchObject({ logStartOffset: 50, logEndOffset: 50 })
  })

  it('removes what was deleted, also where the policy is to compact only', async () => {
    const log = await openTimedLog(await temporaryDirectory(), { ...settings, deletes: false, retentionMs: 1 })
    await fillSegments(log, 1, 2, 3)
    expect(await retain(log)).toEqual([])
    log.raiseLogStart(19)
    expect(await retain(log)).toEqual([0])
    expect(log.logStartOffset).toBe(19)
    log.raiseLogStart(30)
    expect(await retain(log)).toEqual([10])
    // What is appended goes on in the last one.
    expect(bases(log)).toEqual([20])
  })

  it('knows how old segments are behind a restart', async () => {
    const directory = await temporaryDirectory()
    const log = await openTimedLog(directory, settings)
    await fillSegments(log, NOW - 9 * DAY, NOW - 5 * DAY, NOW - 9 * DAY)
    await log.close()
    const again = await openTimedLog(directory, { ...settings, retentionMs: WEEK })
    expect(await retain(again)).toEqual([0])
    expect(await retain(again, NOW + 3 * DAY)).toEqual([10, 20])
  })

  it('a record from the future holds its segment, and those behind it, until its time is over', async () => {
    const log = await openTimedLog(await temporaryDirectory(), { ...settings, retentionMs: WEEK })
    await appendAt(log, NOW + 365 * DAY)
    await fillSegments(log, NOW - 9 * DAY, NOW - 9 * DAY)
    expect(await retain(log)).toEqual([])
    expect(await retain(log, NOW + 372 * DAY)).toEqual([])
    expect(await retain(log, NOW + 372 * DAY + 1)).toEqual([0, 10, 20])
  })

  it('goes by the date of the file where records bear no timestamp', async () => {
    const directory = await temporaryDirectory()
    const log = await openTimedLog(directory, { ...settings, retentionMs: WEEK })
    await fillSegments(log, -1, -1, -1)
    const day = (ago: number): Date => new Date(NOW - ago * DAY)
    await utimes(join(directory, file(0, 'log')), day(8), day(8))
    await utimes(join(directory, file(10, 'log')), day(6), day(6))
    expect(await retain(log)).toEqual([0])
  })
})

async function readValue(log: PartitionLog, offset: number): Promise<string> {
  return (await readSlices(await log.read({ offset, maxBytes: 1, upperBound: log.highWatermark }))).toString('latin1')
}

describe('the files of a removed segment', () => {
  const settings = { segmentBytes: TEN_RECORDS.mykafka, segmentMs: 2 ** 62, retentionBytes: 500 }

  it('wait under another name, and go when the log closes', async () => {
    const directory = await temporaryDirectory()
    const log = await openTimedLog(directory, settings)
    await fillSegments(log, 1, 2)
    const bytes = await readFile(join(directory, file(0, 'log')))
    expect(await retain(log)).toEqual([0])
    expect(await names(directory)).toEqual([
      file(0, 'index.deleted'),
      file(0, 'log.deleted'),
      file(0, 'timeindex.deleted'),
      ...filesOf(10),
    ])
    expect(await readFile(join(directory, file(0, 'log.deleted')))).toEqual(bytes)
    await log.close()
    expect(await names(directory)).toEqual(filesOf(10))
  })

  it('go when their delay is over', async () => {
    const directory = await temporaryDirectory()
    const log = await openTimedLog(directory, { ...settings, fileDeleteDelayMs: 5 })
    await fillSegments(log, 1, 2)
    await retain(log)
    await vi.waitFor(async () => expect(await names(directory)).toEqual(filesOf(10)))
    log.reconfigure({ ...log.config, fileDeleteDelayMs: 0, retentionBytes: 0 })
    await retain(log)
    await vi.waitFor(async () => expect(await names(directory)).toEqual(filesOf(20)))
  })

  it('go at the next start, behind a crash', async () => {
    const directory = await temporaryDirectory()
    const log = await openTimedLog(directory, settings)
    await fillSegments(log, 1, 2, 3)
    const crashed = await temporaryDirectory()
    await retain(log)
    for (const name of await names(directory)) await copyFile(join(directory, name), join(crashed, name))
    const again = await openTimedLog(crashed, settings, { clean: false, logStartOffset: log.logStartOffset })
    expect(await names(crashed)).toEqual(filesOf(20))
    expect(again).toMatchObject({ logStartOffset: 20, logEndOffset: 30 })
  })

  it('go at the next start where the crash came before their renaming', async () => {
    const directory = await temporaryDirectory()
    const log = await openTimedLog(directory, settings)
    await fillSegments(log, 1, 2, 3)
    await log.close()
    const logger = memoryLogger()
    const again = await openTimedLog(directory, settings, { clean: false, logStartOffset: 25, logger })
    expect(await names(directory)).toEqual(filesOf(20))
    expect(again).toMatchObject({ logStartOffset: 25, logEndOffset: 30 })
    expect(logger.messages('info').filter((message) => message.startsWith('removed'))).toHaveLength(2)
  })

  it('are no others that a link leads to', async () => {
    const directory = await temporaryDirectory()
    const outside = join(await temporaryDirectory(), 'outside')
    await writeFile(outside, 'not ours')
    const log = await openTimedLog(directory, settings)
    await fillSegments(log, 1, 2)
    await log.close()
    await rm(join(directory, file(0, 'timeindex')))
    await symlink(outside, join(directory, file(0, 'timeindex')))
    await symlink(outside, join(directory, file(0, 'log.deleted')))
    const again = await openTimedLog(directory, settings)
    await retain(again)
    await again.close()
    expect((await names(directory)).filter((name) => name.startsWith(file(0, '')))).toEqual([])
    expect(await readFile(outside, 'utf8')).toBe('not ours')
  })

  it('can be read by whoever reads them already', async () => {
    const log = await openTimedLog(await temporaryDirectory(), { ...settings, fileDeleteDelayMs: 0 })
    await fillSegments(log, 1, 2)
    const result = await log.read({ offset: 0, maxBytes: 1 << 20, upperBound: 10 })
    expect(await retain(log)).toEqual([0])
    const bytes = await readSlices(result)
    expect(bytes.length).toBe(1000)
    expect(bytes.toString('latin1')).toMatch(/0 .*9 /)
  })

  it('a read that needs the disk is answered, or told that the offset is gone', { repeats: 4 }, async () => {
    const directory = await temporaryDirectory()
    const log = await openTimedLog(directory, settings)
    await fillSegments(log, 1, 2, 3)
    await log.close()
    const again = await openTimedLog(directory, settings)
    const reads = [0, 3, 9].map((offset) => again.read({ offset, maxBytes: 1 << 20, upperBound: 10 }))
    expect(reads[0]).toBeInstanceOf(Promise)
    // Those that are refused are so while the segments go.
    const outcomes = Promise.allSettled(reads)
    const searches = Promise.all([again.offsetForTimestamp(1), again.offsetForTimestamp(Number.POSITIVE_INFINITY)])
    const verified = again.verify()
    await retain(again)
    for (const outcome of await outcomes) {
      if (outcome.status === 'fulfilled') await readSlices(outcome.value)
      else expect(outcome.reason).toMatchObject({ code: 'OFFSET_OUT_OF_RANGE' })
    }
    for (const found of await searches) expect(found).not.toBeNull()
    expect(await verified).toEqual([])
  })
})

it('removes no more of a log that was cut meanwhile', async () => {
  const log = await openTimedLog(await temporaryDirectory(), { segmentBytes: 1024, segmentMs: 2 ** 62, retentionMs: 1 })
  await fillSegments(log, 1, 1, 1)
  await Promise.all([retain(log), log.truncateTo(15)])
  expect(log.logStartOffset).toBeLessThanOrEqual(log.logEndOffset)
  expect(log.logEndOffset).toBeLessThanOrEqual(30)
  await appendAt(log, NOW)
  expect(await readValue(log, log.logEndOffset - 1)).toContain(String(log.logEndOffset - 1))
})

describe('while compaction replaces segments', () => {
  const settings = { segmentBytes: TEN_RECORDS.mykafka, segmentMs: 2 ** 62, retentionMs: WEEK }

  it('a log that is compacted all the time is looked after all the same', async () => {
    const log = await openTimedLog(await temporaryDirectory(), settings)
    await fillSegments(log, NOW - 9 * DAY, NOW - 8 * DAY, NOW, NOW)
    const retaining = retain(log)
    let isOver = false
    void retaining.finally(() => {
      isOver = true
    })
    let changes = 0
    while (!isOver) {
      await log.changeSegments(async (segments) => {
        const segment = segments.at(segments.all().length - 2) as NativeSegment
        segments.replace([segment], segment)
        changes++
      })
      await turn()
    }
    expect(changes).toBeGreaterThan(0)
    expect(await retaining).toEqual([0, 10])
  })

  it('what took the place of a segment that was looked at is looked at instead', async () => {
    const directory = await temporaryDirectory()
    const log = await openTimedLog(directory, settings)
    await fillSegments(log, NOW - 9 * DAY, NOW - 8 * DAY, NOW, NOW)
    const expiring = log.retention.expire(NOW)
    await log.changeSegments(async (segments) => {
      const { first } = segments
      const options = { ...segmentOptions(directory, 0, log.config), sparse: true }
      first.close()
      segments.replace([first], native.openSealedSegment(options, 10))
    })
    expect(await expiring).toBe(true)
    expect(log.logStartOffset).toBe(20)
  })
})

it('a log that retention fails for says so, and serves', async () => {
  const directory = await temporaryDirectory()
  const logger = memoryLogger()
  const settings = { segmentBytes: 1024, segmentMs: 2 ** 62, retentionBytes: 0 }
  const log = await openTimedLog(directory, settings, { logger })
  await fillSegments(log, 1, 2)
  await expect(log.retention.removeBelow(50, NOW)).resolves.toEqual([])
  await retain(log)
  await log.close()
  await expect(log.retention.expire(NOW)).rejects.toMatchObject({ code: 'LOG_CLOSED' })
  await expect(log.retention.removeBelow(50, NOW)).rejects.toMatchObject({ code: 'LOG_CLOSED' })
})

describe('a log embedded in a program', () => {
  it('keeps everything unless it is told otherwise', async () => {
    const log = await Log.open(await temporaryDirectory(), { segmentBytes: 1024 })
    for (let i = 0; i < 50; i++) await log.append({ value: 'x'.repeat(72), timestamp: i })
    expect(await log.applyRetention()).toBe(0)
    expect(log.logStartOffset).toBe(0)
    await log.close()
  })

  it('removes what is too much or too old, also behind a restart', async () => {
    const directory = await temporaryDirectory()
    const logger: MemoryLogger = memoryLogger()
    const log = await Log.open(directory, { segmentBytes: 1024, retentionBytes: 1500, logger })
    for (let i = 0; i < 50; i++) await log.append({ value: 'x'.repeat(72), timestamp: 1000 })
    expect(await log.applyRetention()).toBe(3)
    expect(log.logStartOffset).toBe(30)
    await expect(log.read(29)).rejects.toMatchObject({ code: 'OFFSET_OUT_OF_RANGE' })
    await log.close()
    const again = await Log.open(directory, { segmentBytes: 1024, retentionMs: DAY })
    expect(again.logStartOffset).toBe(30)
    expect(await again.applyRetention()).toBe(2)
    expect(again).toMatchObject({ logStartOffset: 50, logEndOffset: 50 })
    await again.append({ value: 'new' })
    expect(await again.applyRetention()).toBe(0)
    await again.close()
    const last = await Log.open(directory)
    expect(last).toMatchObject({ logStartOffset: 50, logEndOffset: 51 })
    await last.close()
    expect(existsSync(join(directory, file(50, 'log')))).toBe(true)
  })
})
