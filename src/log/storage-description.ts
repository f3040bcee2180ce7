import type { NativeSegment } from '../native/native.js'
import type { DeletedFiles } from './deleted-files.js'
import type { LogStorage, RemovalStorage, SegmentStorage } from './log-storage.js'
import { removalSentence, whyKept } from './retention-reason.js'
import type { RetentionReport, SegmentRetention } from './segment-retention.js'

/** What a description needs of a log. */
export interface DescribedLog {
  readonly logStartOffset: number
  readonly highWatermark: number
  readonly logEndOffset: number
  readonly recoveryPoint: number
  readonly retention: SegmentRetention
}

/**
 * Describes a log by what is known of it: no records are read for it.
 *
 * @param now - what retention takes for the time
 */
export async function describeStorage(
  log: DescribedLog,
  segments: readonly NativeSegment[],
  deletedFiles: DeletedFiles,
  now: number,
): Promise<LogStorage> {
  const { logStartOffset, highWatermark, logEndOffset, recoveryPoint, retention } = log
  // Both look at the segments as they are now: what happens to them while times are asked for is not seen.
  const viewing = retention.view(now)
  const known = segments.map(describeSegment)
  const { view, segments: facts } = await viewing
  const reasons = whyKept(facts, view)
  return {
    logStartOffset,
    highWatermark,
    logEndOffset,
    recoveryPoint,
    bytes: view.bytes,
    segments: known.map((segment, index) => ({
      ...segment,
      active: facts[index]?.active ?? false,
      reason: reasons[index] ?? '',
    })),
    deletedFiles: deletedFiles.count,
    lastRemoval: describeRemoval(retention.report),
  }
}

function describeSegment(segment: NativeSegment): Omit<SegmentStorage, 'active' | 'reason'> {
  const largest = segment.largestTimestamp()
  return {
    baseOffset: segment.baseOffset,
    nextOffset: segment.nextOffset(),
    bytes: segment.size(),
    largestTimestamp: segment.timestampsKnown() && largest >= 0 ? largest : null,
    damagedBytes: segment.damages().reduce((sum, { length }) => sum + length, 0),
  }
}

function describeRemoval(report: RetentionReport | null): RemovalStorage | null {
  const last = report?.removed.at(-1)
  if (report === null || last === undefined) return null
  const bytes = report.removed.reduce((sum, removed) => sum + removed.bytes, 0)
  return { at: report.at, segments: report.removed.length, bytes, reason: removalSentence(last.reason) }
}
