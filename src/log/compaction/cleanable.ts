/** What decides whether and how far a log is cleaned: of each segment, in the order of their offsets. */
export interface CleanableSegment {
  readonly baseOffset: number
  /** Base offset of the segment behind it; the log's end for the active one. */
  readonly endOffset: number
  readonly bytes: number
  /** The largest timestamp in it; -1: none. */
  readonly largestTimestamp: number
  /** The timestamp that it begins with; -1: none, or not known. */
  readonly firstTimestamp: number
}

/** A topic's configurations of compaction, by Kafka's names. */
export interface CompactionSettings {
  /** `min.cleanable.dirty.ratio` */
  readonly minCleanableDirtyRatio: number
  /** `min.compaction.lag.ms` */
  readonly minCompactionLagMs: number
  /** `max.compaction.lag.ms` */
  readonly maxCompactionLagMs: number
  /** `delete.retention.ms` */
  readonly deleteRetentionMs: number
}

/** Where a log stands. */
export interface CleaningBounds {
  /** Everything below it has been cleaned. */
  readonly firstDirtyOffset: number
  /** Nothing from this offset on is touched: the least of high watermark and recovery point. */
  readonly stableOffset: number
  readonly nowMs: number
}

/** What there is to clean in a log. */
export interface Cleanable {
  readonly firstDirtyOffset: number
  /** Exclusive, a segment's base: the first that is not cleaned now. */
  readonly endOffset: number
  /** Of the segments below the first dirty offset. */
  readonly cleanBytes: number
  /** Of those from there to the end of what can be cleaned. */
  readonly dirtyBytes: number
  /** The dirty part of both; 0 where there is nothing. */
  readonly dirtyRatio: number
  /** Whether a record has waited for longer than max.compaction.lag.ms. */
  readonly isOverdue: boolean
}

/**
 * How much of a log can be cleaned now. The last of the segments is active and never is.
 *
 * @param segments - all of a log, from where it begins on
 */
export function cleanableOf(
  segments: readonly CleanableSegment[],
  settings: CompactionSettings,
  { firstDirtyOffset, stableOffset, nowMs }: CleaningBounds,
): Cleanable {
  let cleanBytes = 0
  let dirtyBytes = 0
  let endOffset = firstDirtyOffset
  let oldest = Number.POSITIVE_INFINITY
  for (const segment of segments.slice(0, -1)) {
    // The one that holds the offset in its middle is dirty: a cleaning that ended there goes on there.
    if (segment.endOffset <= firstDirtyOffset) {
      cleanBytes += segment.bytes
      continue
    }
    if (segment.endOffset > stableOffset || isTooYoung(segment, settings, nowMs)) break
    dirtyBytes += segment.bytes
    endOffset = segment.endOffset
    if (segment.firstTimestamp > 0) oldest = Math.min(oldest, segment.firstTimestamp)
  }
  const bytes = cleanBytes + dirtyBytes
  return {
    firstDirtyOffset,
    endOffset,
    cleanBytes,
    dirtyBytes,
    dirtyRatio: bytes === 0 ? 0 : dirtyBytes / bytes,
    isOverdue: nowMs - oldest > settings.maxCompactionLagMs,
  }
}

function isTooYoung(segment: CleanableSegment, { minCompactionLagMs }: CompactionSettings, nowMs: number): boolean {
  return minCompactionLagMs > 0 && segment.largestTimestamp > nowMs - minCompactionLagMs
}

/** Whether a log is worth a cleaning: as in Kafka, a ratio of 1 is never reached. */
export function isWorthCleaning(cleanable: Cleanable, { minCleanableDirtyRatio }: CompactionSettings): boolean {
  const { dirtyBytes, dirtyRatio, isOverdue } = cleanable
  return dirtyBytes > 0 && (isOverdue || dirtyRatio > minCleanableDirtyRatio)
}
