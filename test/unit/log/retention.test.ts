import { describe, expect, it } from 'vitest'
import { needsTimestamp, RetentionPass, type RetentionView, type SegmentFacts } from '../../../src/log/retention.js'
import { durationText, removalSentence, whyKept } from '../../../src/log/retention-reason.js'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 30)

/** Segments of ten offsets and 100 bytes each, the last one active; by the timestamp of their newest records. */
function segmentsOf(...timestamps: (number | null)[]): SegmentFacts[] {
  return timestamps.map((largestTimestamp, i) => ({
    baseOffset: i * 10,
    nextOffset: i * 10 + 10,
    bytes: 100,
    largestTimestamp,
    active: i === timestamps.length - 1,
  }))
}

function viewOf(segments: readonly SegmentFacts[], changed: Partial<RetentionView & RetentionView['rules']>) {
  const { deletes = true, retentionMs = -1, retentionBytes = -1, ...others } = changed
  return {
    rules: { deletes, retentionMs, retentionBytes },
    logStartOffset: 0,
    highWatermark: segments.at(-1)?.nextOffset ?? 0,
    bytes: segments.reduce((sum, { bytes }) => sum + bytes, 0),
    now: NOW,
    ...others,
  }
}

/** By what each segment goes, up to the first that stays. */
function removals(segments: readonly SegmentFacts[], changed: Partial<RetentionView & RetentionView['rules']>) {
  const pass = new RetentionPass(viewOf(segments, changed))
  const by: string[] = []
  for (const segment of segments) {
    const reason = pass.next(segment)
    if (reason === null) break
    by.push(reason.by)
  }
  return by
}

describe('by time', () => {
  const retentionMs = 7 * DAY

  it('goes what is older than retention.ms, by its newest record', () => {
    const segments = segmentsOf(NOW - 9 * DAY, NOW - 7 * DAY - 1, NOW - 7 * DAY, NOW)
    expect(removals(segments, { retentionMs })).toEqual(['time', 'time'])
  })

  it('goes nothing behind a segment that stays', () => {
    expect(removals(segmentsOf(NOW - 8 * DAY, NOW, NOW - 8 * DAY, NOW), { retentionMs })).toEqual(['time'])
  })

  it('goes all where all is old, the active segment too', () => {
    expect(removals(segmentsOf(0, 0, 0), { retentionMs })).toEqual(['time', 'time', 'time'])
  })

  it('goes no active segment that is empty', () => {
    const segments = segmentsOf(0, 0).map((each) => (each.active ? { ...each, bytes: 0, nextOffset: 10 } : each))
    expect(removals(segments, { retentionMs })).toEqual(['time'])
    expect(removals(segments, { retentionBytes: 0 })).toEqual(['size'])
  })

  it('a record from the future holds its segment until its time is over', () => {
    const segments = segmentsOf(NOW + 365 * DAY, NOW)
    expect(removals(segments, { retentionMs })).toEqual([])
    expect(removals(segments, { retentionMs, now: NOW + 372 * DAY })).toEqual([])
    expect(removals(segments, { retentionMs, now: NOW + 372 * DAY + 1 })).toEqual(['time', 'time'])
  })

  it('a clock that was set back deletes nothing', () => {
    expect(removals(segmentsOf(NOW - 8 * DAY, NOW), { retentionMs, now: NOW - 400 * DAY })).toEqual([])
  })

  it('goes nothing with retention.ms -1, nothing that is not known, and at once with 0', () => {
    expect(removals(segmentsOf(0, 0), { retentionMs: -1 })).toEqual([])
    expect(removals(segmentsOf(null, 0), { retentionMs })).toEqual([])
    expect(removals(segmentsOf(NOW - 1, NOW), { retentionMs: 0 })).toEqual(['time'])
  })

  it('goes what compaction has emptied, whatever its age', () => {
    const segments = segmentsOf(null, NOW, NOW).map((each, i) => (i === 0 ? { ...each, bytes: 0 } : each))
    expect(removals(segments, { retentionMs })).toEqual(['empty'])
    expect(removals(segments, { deletes: false })).toEqual([])
    expect(removalSentence({ by: 'empty' })).toBe('compaction has left nothing in it')
  })

  it('is asked only where it matters', () => {
    const [first, active] = segmentsOf(null, null) as [SegmentFacts, SegmentFacts]
    const view = (changed: Parameters<typeof viewOf>[1]) => viewOf([first, active], changed)
    expect(needsTimestamp(first, view({ retentionMs }))).toBe(true)
    expect(needsTimestamp(first, view({ retentionMs: -1 }))).toBe(false)
    expect(needsTimestamp(first, view({ retentionMs, deletes: false }))).toBe(false)
    expect(needsTimestamp(first, view({ retentionMs, logStartOffset: 10 }))).toBe(false)
    expect(needsTimestamp({ ...active, bytes: 0 }, view({ retentionMs }))).toBe(false)
  })
})

describe('by size', () => {
  it.each([
    [401, []],
    [400, []],
    [399, []],
    [301, []],
    [300, ['size']],
    [299, ['size']],
    [200, ['size', 'size']],
    [1, ['size', 'size', 'size']],
    [0, ['size', 'size', 'size', 'size']],
    [-1, []],
    [-5, []],
  ])('with retention.bytes %d of four segments of 100 bytes', (retentionBytes, expected) => {
    expect(removals(segmentsOf(NOW, NOW, NOW, NOW), { retentionBytes })).toEqual(expected)
  })

  it('counts what goes for other reasons', () => {
    const segments = segmentsOf(0, NOW, NOW, NOW)
    expect(removals(segments, { retentionBytes: 200, logStartOffset: 10 })).toEqual(['log-start', 'size'])
    expect(removals(segments, { retentionBytes: 350, retentionMs: DAY })).toEqual(['time'])
  })
})

describe('by the log start offset', () => {
  it('goes what lies whole below it, under any policy', () => {
    const segments = segmentsOf(NOW, NOW, NOW)
    expect(removals(segments, { logStartOffset: 9 })).toEqual([])
    expect(removals(segments, { logStartOffset: 10 })).toEqual(['log-start'])
    expect(removals(segments, { logStartOffset: 29, deletes: false })).toEqual(['log-start', 'log-start'])
    expect(removals(segments, { logStartOffset: 30 })).toEqual(['log-start', 'log-start'])
  })

  it('goes nothing else of a topic that is only compacted', () => {
    expect(removals(segmentsOf(0, 0), { deletes: false, retentionMs: 0, retentionBytes: 0 })).toEqual([])
  })

  it('never rises above the high watermark', () => {
    expect(removals(segmentsOf(0, 0, 0), { retentionMs: 0, highWatermark: 19 })).toEqual(['time'])
  })
})

describe('in words', () => {
  const retentionMs = 7 * DAY
  const why = (segments: SegmentFacts[], changed: Parameters<typeof viewOf>[1]) =>
    whyKept(segments, viewOf(segments, changed))

  it('says how long a segment stays', () => {
    expect(why(segmentsOf(NOW - DAY, NOW), { retentionMs })).toEqual([
      'its newest record is of 2026-11-29T00:00:00.000Z: it stays for retention.ms (7 d), until 2026-12-06T00:00:00.000Z',
      'the active segment; its newest record is of 2026-11-30T00:00:00.000Z: it stays for retention.ms (7 d), until 2026-12-07T00:00:00.000Z',
    ])
  })

  it('explains a record from the future', () => {
    expect(why(segmentsOf(NOW + 365 * DAY, NOW), { retentionMs })[0]).toBe(
      'its newest record is from the future, 2027-11-30T00:00:00.000Z, 365 d ahead of the clock: it stays for retention.ms (7 d) behind that, until 2027-12-07T00:00:00.000Z',
    )
    expect(why(segmentsOf(Number.MAX_SAFE_INTEGER, NOW), { retentionMs })[0]).toBe(
      'its newest record is from the future, 9007199254740991 ms since 1970, about 104229204 d ahead of the clock: it stays for retention.ms (7 d) behind that',
    )
  })

  it('says what another segment has to do with it', () => {
    expect(why(segmentsOf(NOW + DAY, NOW - 9 * DAY, NOW), { retentionMs })[1]).toBe(
      'it is old enough to go, but the segment before it, of offset 0, is kept',
    )
  })

  it('says what goes next, and why', () => {
    expect(why(segmentsOf(0, NOW, NOW), { retentionMs, retentionBytes: 250, logStartOffset: 3 })).toEqual([
      'goes at the next check: its newest record, of 1970-01-01T00:00:00.000Z, is older than retention.ms (7 d)',
      expect.stringContaining('without its oldest segment the log of 300 bytes would be below retention.bytes (250)'),
      expect.stringContaining('the active segment; '),
    ])
    expect(removalSentence({ by: 'size', logBytes: 300, retentionBytes: 150 })).toBe(
      'the log of 300 bytes has retention.bytes (150) without it',
    )
    expect(removalSentence({ by: 'log-start', logStartOffset: 7 })).toBe('it lies below the log start offset 7')
  })

  it('says that an empty segment goes with what is behind it', () => {
    const segments = segmentsOf(null, 0, null, NOW, NOW).map((each, i) =>
      i % 2 === 0 && i < 4 ? { ...each, bytes: 0 } : each,
    )
    expect(why(segments, { retentionMs }).slice(0, 3)).toEqual([
      'goes at the next check: compaction has left nothing in it',
      'goes at the next check: its newest record, of 1970-01-01T00:00:00.000Z, is older than retention.ms (7 d)',
      'compaction has left nothing in it: it goes with what is behind it',
    ])
  })

  it('says that nothing would remove it', () => {
    expect(why(segmentsOf(0, 0), { deletes: false })).toEqual([
      'cleanup.policy is compact: neither age nor size removes it',
      'the active segment; cleanup.policy is compact: neither age nor size removes it',
    ])
    expect(why(segmentsOf(0), {})).toEqual(['the active segment; retention.ms is -1: no age removes it'])
    expect(why(segmentsOf(null, NOW), { retentionMs })[0]).toBe('how old its newest record is, is not known yet')
    const empty = segmentsOf(null).map((each) => ({ ...each, bytes: 0 }))
    expect(why(empty, { retentionMs })).toEqual(['the active segment: what is appended goes there'])
  })

  it.each([
    [0, '0 ms'],
    [1500, '1500 ms'],
    [90_000, '90 s'],
    [90 * 60_000, '90 min'],
    [25 * 3_600_000, '25 h'],
    [7 * DAY, '7 d'],
    [30 * DAY + 1, 'about 30 d'],
    [2 ** 63, 'about 106751991167 d'],
  ])('%d ms are %s', (ms, text) => {
    expect(durationText(ms)).toBe(text)
  })
})
