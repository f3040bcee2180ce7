import { describe, expect, it } from 'vitest'
import { readRecords } from '../../../src/log/log-records.js'
import type { PartitionLog } from '../../../src/log/partition-log.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { appendAt, DAY, NOW, openTimedLog, recordOf } from '../../support/timed-log.js'

const bases = (log: PartitionLog): number[] => log.segments().map(({ baseOffset }) => baseOffset)

/** A clock that a test sets. */
function clockAt(time: number) {
  const clock = { time, now: () => clock.time }
  return clock
}

describe.each(['mykafka', 'kafka'] as const)('a %s segment rolls by age', (recordFormat) => {
  const settings = { recordFormat, segmentMs: DAY }

  it('when a record arrives that is so much younger than its first', async () => {
    const log = await openTimedLog(await temporaryDirectory(), settings)
    await appendAt(log, NOW, NOW + DAY, NOW - DAY, NOW + DAY + 1, NOW + DAY, NOW + 2 * DAY + 1, NOW + 2 * DAY + 2)
    expect(bases(log)).toEqual([0, 3, 6])
  })

  it('each append for itself, also where they are written together', async () => {
    const log = await openTimedLog(await temporaryDirectory(), settings)
    const times = [0, 1, DAY, DAY + 1, DAY + 2, 3 * DAY, 9 * DAY, 9 * DAY]
    const appends = times.map((time, i) => log.append([recordOf(recordFormat, time, `value ${i}`)], 1))
    const results = await Promise.all(appends)
    expect(results.map(({ baseOffset }) => baseOffset)).toEqual(times.map((_, i) => i))
    expect(bases(log)).toEqual([0, 3, 5, 6])
  })

  it('also one that was begun before a restart', async () => {
    const directory = await temporaryDirectory()
    const log = await openTimedLog(directory, settings)
    await appendAt(log, NOW, NOW + 5)
    await log.close()
    const again = await openTimedLog(directory, settings)
    await appendAt(again, NOW + DAY)
    expect(bases(again)).toEqual([0])
    await appendAt(again, NOW + DAY + 1)
    expect(bases(again)).toEqual([0, 3])
  })

  it('by the clock where records bear no timestamp', async () => {
    const clock = clockAt(NOW)
    const log = await openTimedLog(await temporaryDirectory(), settings, { now: clock.now })
    await appendAt(log, -1)
    clock.time += DAY
    await appendAt(log, -1)
    clock.time += 1
    await appendAt(log, -1)
    expect(bases(log)).toEqual([0, 2])
  })

  it('by the clock where nothing is appended', async () => {
    const clock = clockAt(NOW)
    const logger = memoryLogger()
    const log = await openTimedLog(await temporaryDirectory(), settings, { now: clock.now, logger })
    await log.retention.rollIfOld(NOW + 9 * DAY)
    expect(bases(log)).toEqual([0])
    // Its records are old, but it is not.
    await appendAt(log, 1000, 2000)
    await log.retention.rollIfOld(NOW + DAY)
    expect(bases(log)).toEqual([0])
    await log.retention.rollIfOld(NOW + DAY + 1)
    expect(bases(log)).toEqual([0, 2])
    // It is empty now.
    await log.retention.rollIfOld(NOW + 5 * DAY)
    expect(bases(log)).toEqual([0, 2])
    expect(logger.messages('info')).toEqual(['rolled a segment that was older than segment.ms'])
    await appendAt(log, NOW)
    if (recordFormat === 'mykafka') expect((await readRecords(log, 2, 1000))[0]).toMatchObject({ offset: 2 })
  })

  it('by the clock behind a restart, when its first record is so old', async () => {
    const directory = await temporaryDirectory()
    const log = await openTimedLog(directory, settings)
    await appendAt(log, NOW - DAY, NOW)
    await log.close()
    const again = await openTimedLog(directory, settings)
    await again.retention.rollIfOld(NOW)
    expect(bases(again)).toEqual([0])
    await again.retention.rollIfOld(NOW + 1)
    expect(bases(again)).toEqual([0, 2])
  })

  it('not by a clock that is set back, and then in its time', async () => {
    const clock = clockAt(NOW + 999 * DAY)
    const log = await openTimedLog(await temporaryDirectory(), settings, { now: clock.now })
    await appendAt(log, NOW)
    await log.retention.rollIfOld(NOW)
    expect(bases(log)).toEqual([0])
    await log.retention.rollIfOld(NOW + DAY + 1)
    expect(bases(log)).toEqual([0, 1])
  })

  it('one record from the future rolls one segment, not each that follows', async () => {
    const log = await openTimedLog(await temporaryDirectory(), settings)
    await appendAt(log, NOW, NOW + 365 * DAY, NOW, NOW + 365 * DAY, NOW + 1)
    expect(bases(log)).toEqual([0, 1])
  })

  it('earlier by the jitter, at the most', async () => {
    const log = await openTimedLog(await temporaryDirectory(), { ...settings, segmentJitterMs: DAY / 2 })
    for (let i = 0; i < 20; i++) {
      const from = i * 10 * DAY
      await appendAt(log, from, from + DAY / 2, from + DAY + 1)
    }
    // Half a day is never too long, a day always is.
    const starts = bases(log)
    for (let i = 0; i < 20; i++) expect(starts).toContain(i * 3 + 2)
    expect(starts).toHaveLength(40)
  })

  it('as it is set meanwhile', async () => {
    const log = await openTimedLog(await temporaryDirectory(), settings)
    await appendAt(log, NOW, NOW + 1000)
    log.reconfigure({ ...log.config, segmentMs: 500 })
    await appendAt(log, NOW + 400, NOW + 501)
    expect(bases(log)).toEqual([0, 3])
  })

  it('by what is left behind a cut', async () => {
    const log = await openTimedLog(await temporaryDirectory(), settings)
    await appendAt(log, NOW, NOW, NOW + 9 * DAY, NOW + 9 * DAY)
    expect(bases(log)).toEqual([0, 2])
    await log.truncateTo(1)
    await appendAt(log, NOW + DAY, NOW + DAY + 1)
    expect(bases(log)).toEqual([0, 2])
    await log.truncateTo(0)
    await appendAt(log, NOW + 99 * DAY, NOW + 100 * DAY)
    expect(bases(log)).toEqual([0])
  })
})
