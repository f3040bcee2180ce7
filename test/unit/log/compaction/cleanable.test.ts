import { describe, expect, it } from 'vitest'
import {
  type CleanableSegment,
  type CompactionSettings,
  cleanableOf,
  isWorthCleaning,
} from '../../../../src/log/compaction/cleanable.js'

const settings: CompactionSettings = {
  minCleanableDirtyRatio: 0.5,
  minCompactionLagMs: 0,
  maxCompactionLagMs: Number.MAX_SAFE_INTEGER,
  deleteRetentionMs: 0,
}
const bounds = { firstDirtyOffset: 0, stableOffset: 1000, nowMs: 10_000 }

/** Four sealed segments of ten offsets and 100 bytes, and the active one. */
function segments(times: number[] = [1000, 2000, 3000, 4000]): CleanableSegment[] {
  const sealed = times.map((time, i) => ({
    baseOffset: 10 * i,
    endOffset: 10 * i + 10,
    bytes: 100,
    firstTimestamp: time,
    largestTimestamp: time + 999,
  }))
  const end = 10 * times.length
  return [...sealed, { baseOffset: end, endOffset: end + 5, bytes: 50, firstTimestamp: 5000, largestTimestamp: 5000 }]
}

describe('what can be cleaned', () => {
  it('is everything but the active segment of a log that never was', () => {
    const cleanable = cleanableOf(segments(), settings, bounds)
    expect(cleanable).toMatchObject({ endOffset: 40, cleanBytes: 0, dirtyBytes: 400, dirtyRatio: 1 })
    expect(isWorthCleaning(cleanable, settings)).toBe(true)
  })

  it('goes on at the first dirty offset; a segment that holds it is dirty', () => {
    expect(cleanableOf(segments(), settings, { ...bounds, firstDirtyOffset: 20 })).toMatchObject({
      cleanBytes: 200,
      dirtyBytes: 200,
      dirtyRatio: 0.5,
    })
    expect(cleanableOf(segments(), settings, { ...bounds, firstDirtyOffset: 25 })).toMatchObject({
      cleanBytes: 200,
      dirtyBytes: 200,
    })
  })

  it('ends below what may change', () => {
    expect(cleanableOf(segments(), settings, { ...bounds, stableOffset: 29 })).toMatchObject({ endOffset: 20 })
    expect(cleanableOf(segments(), settings, { ...bounds, stableOffset: 30 })).toMatchObject({ endOffset: 30 })
  })

  it('ends at the first segment with a record younger than min.compaction.lag.ms', () => {
    const lag = (minCompactionLagMs: number) =>
      cleanableOf(segments(), { ...settings, minCompactionLagMs }, bounds).endOffset
    expect(lag(6001)).toBe(30)
    expect(lag(6002)).toBe(20)
    expect(lag(9000)).toBe(0)
    expect(lag(1)).toBe(40)
    // One from the future holds what is behind it.
    const future = segments([1000, 99_000, 2000])
    expect(cleanableOf(future, { ...settings, minCompactionLagMs: 1 }, bounds)).toMatchObject({ endOffset: 10 })
  })

  it('is overdue behind max.compaction.lag.ms, however little it is', () => {
    const overdue = (maxCompactionLagMs: number, firstDirtyOffset: number) => {
      const lag = { ...settings, maxCompactionLagMs }
      const cleanable = cleanableOf(segments(), lag, { ...bounds, firstDirtyOffset })
      return isWorthCleaning(cleanable, lag)
    }
    expect(overdue(5999, 30)).toBe(true)
    expect(overdue(6000, 30)).toBe(false)
    expect(overdue(1, 40)).toBe(false)
  })

  it('is nothing in a log of one segment, or none that is sealed and stable', () => {
    const nothing = { dirtyBytes: 0, dirtyRatio: 0, endOffset: 0, isOverdue: false }
    expect(cleanableOf(segments([]), settings, bounds)).toMatchObject(nothing)
    expect(cleanableOf(segments(), settings, { ...bounds, stableOffset: 5 })).toMatchObject(nothing)
    expect(isWorthCleaning(cleanableOf(segments([]), settings, bounds), settings)).toBe(false)
  })

  it('is not worth it at a ratio of 1, as in Kafka; at 0 whatever is dirty is', () => {
    const never = { ...settings, minCleanableDirtyRatio: 1 }
    expect(isWorthCleaning(cleanableOf(segments(), never, bounds), never)).toBe(false)
    const always = { ...settings, minCleanableDirtyRatio: 0 }
    const cleanable = cleanableOf(segments(), always, { ...bounds, firstDirtyOffset: 30 })
    expect(isWorthCleaning(cleanable, always)).toBe(true)
  })
})
