import { type RemovalReason, RetentionPass, type RetentionView, type SegmentFacts } from './retention.js'

const LARGEST_DATE_MS = 8.64e15
const UNITS: readonly [ms: number, name: string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
]

/** Why a segment goes, in words. */
export function removalSentence(reason: RemovalReason): string {
  switch (reason.by) {
    case 'log-start':
      return `it lies below the log start offset ${reason.logStartOffset}`
    case 'empty':
      return 'compaction has left nothing in it'
    case 'size':
      return `the log of ${reason.logBytes} bytes has retention.bytes (${reason.retentionBytes}) without it`
    case 'time':
      return `its newest record, of ${dateText(reason.largestTimestamp)}, is older than retention.ms (${durationText(reason.retentionMs)})`
  }
}

/** Of each segment of a log, in the order of their offsets, why it is still there: a phrase of plain words. */
export function whyKept(segments: readonly SegmentFacts[], view: RetentionView): string[] {
  const removals = removalsOf(segments, view)
  // What is empty goes only with what is behind it.
  const lastToGo = removals.findLastIndex(({ by }) => by !== 'empty')
  return segments.map((segment, index) => {
    const removal = removals[index]
    if (removal === undefined) {
      return keptSentence(segment, view, index > removals.length ? (segments[removals.length] ?? null) : null)
    }
    const reason = removalSentence(removal)
    return index > lastToGo ? `${reason}: it goes with what is behind it` : `goes at the next check: ${reason}`
  })
}

/** Of the segments in front that could go, why. */
function removalsOf(segments: readonly SegmentFacts[], view: RetentionView): RemovalReason[] {
  const pass = new RetentionPass(view)
  const removals: RemovalReason[] = []
  for (const segment of segments) {
    const removal = pass.next(segment)
    if (removal === null) break
    removals.push(removal)
  }
  return removals
}

/** @param front - the first that is kept, where that is another one: nothing behind it goes before it */
function keptSentence(segment: SegmentFacts, view: RetentionView, front: SegmentFacts | null): string {
  const { rules, highWatermark } = view
  if (segment.active && segment.bytes === 0) return 'the active segment: what is appended goes there'
  const active = segment.active ? 'the active segment; ' : ''
  if (!rules.deletes) return `${active}cleanup.policy is compact: neither age nor size removes it`
  if (segment.nextOffset > highWatermark) return `${active}it holds the high watermark ${highWatermark}`
  const byTime = timeSentence(segment, view)
  if (byTime === null && front !== null) {
    return `${active}it is old enough to go, but the segment before it, of offset ${front.baseOffset}, is kept`
  }
  const bySize = sizeSentence(view)
  return active + [byTime, bySize].filter((text) => text !== null).join('; ')
}

function timeSentence({ largestTimestamp }: SegmentFacts, { rules, now }: RetentionView): string | null {
  const { retentionMs } = rules
  if (retentionMs < 0) return 'retention.ms is -1: no age removes it'
  if (largestTimestamp === null) return 'how old its newest record is, is not known yet'
  const end = largestTimestamp + retentionMs
  if (now > end) return null
  const limit = `retention.ms (${durationText(retentionMs)})`
  const until = end <= LARGEST_DATE_MS ? `, until ${dateText(end)}` : ''
  if (largestTimestamp <= now) {
    return `its newest record is of ${dateText(largestTimestamp)}: it stays for ${limit}${until}`
  }
  const ahead = durationText(largestTimestamp - now)
  return `its newest record is from the future, ${dateText(largestTimestamp)}, ${ahead} ahead of the clock: it stays for ${limit} behind that${until}`
}

function sizeSentence({ rules: { retentionBytes }, bytes }: RetentionView): string | null {
  if (retentionBytes < 0) return null
  return `without its oldest segment the log of ${bytes} bytes would be below retention.bytes (${retentionBytes})`
}

/** In UTC; a number where no calendar has it. */
export function dateText(timestamp: number): string {
  return Math.abs(timestamp) <= LARGEST_DATE_MS ? new Date(timestamp).toISOString() : `${timestamp} ms since 1970`
}

/** Such as `7 d` or `90 s`: in the largest unit that leaves nothing out, or, where it is long, hardly anything. */
export function durationText(ms: number): string {
  for (const [unit, name] of UNITS) {
    if (ms >= unit && ms % unit === 0) return `${ms / unit} ${name}`
    if (ms >= 10 * unit) return `about ${Math.round(ms / unit)} ${name}`
  }
  return `${ms} ms`
}
