import type { NativeDamage, NativeSegment } from '../native/native.js'
import { CompactionDescription, type DescribedCompaction } from './compaction/compaction-description.js'
import type { LogCompaction } from './compaction/log-compaction.js'
import type { DeletedFiles } from './deleted-files.js'
import type { DamageStorage, LogStorage, RemovalStorage, SegmentStorage } from './log-storage.js'
import { removalSentence, whyKept } from './retention-reason.js'
import type { RetentionReport, SegmentRetention } from './segment-retention.js'

/** A description that told of every one could be longer than what it describes. */
const MOST_DAMAGES = 1000

/** What a description needs of a log. */
export interface DescribedLog {
  readonly logStartOffset: number
  readonly highWatermark: number
  readonly logEndOffset: number
  readonly recoveryPoint: number
  readonly retention: SegmentRetention
  readonly compaction: LogCompaction
}

/** By what a log is described, beside itself. */
export interface DescriptionOptions {
  /** What retention takes for the time. */
  readonly now: number
  /** Null: the topic is not compacted. */
  readonly compaction: DescribedCompaction | null
}

/** Describes a log. No records are read for it, but of a segment whose time index is missing. */
export async function describeStorage(
  log: DescribedLog,
  segments: readonly NativeSegment[],
  deletedFiles: DeletedFiles,
  { now, compaction: settings }: DescriptionOptions,
): Promise<LogStorage> {
  const { logStartOffset, highWatermark, logEndOffset, recoveryPoint, retention, compaction } = log
  // Both look at the segments as they are now: what happens to them while times are asked for is not seen.
  const viewing = retention.view(now)
  const known = segments.map((segment) => ({ segment, ...describeSegment(segment, compaction) }))
  const { view, segments: facts } = await viewing
  const cleaning = settings === null ? null : await CompactionDescription.of(compaction, settings, now)
  const kept = whyKept(facts, view)
  return {
    logStartOffset,
    highWatermark,
    logEndOffset,
    recoveryPoint,
    bytes: view.bytes,
    segments: known.map(({ segment, ...described }, index) => {
      const { active = false, nextOffset: endOffset = described.nextOffset } = facts[index] ?? {}
      const cleaned = cleaning?.whyNotCleaned({ baseOffset: described.baseOffset, endOffset, active })
      const largest = segment.timestampsKnown() ? segment.largestTimestamp() : -1
      const reason = [kept[index], cleaned].filter((text) => text !== undefined).join('; ')
      return { ...described, largestTimestamp: largest >= 0 ? largest : null, active, reason }
    }),
    deletedFiles: deletedFiles.count,
    lastRemoval: describeRemoval(retention.report),
    compaction: cleaning?.describe() ?? null,
  }
}

function describeSegment(
  segment: NativeSegment,
  compaction: LogCompaction,
): Omit<SegmentStorage, 'largestTimestamp' | 'active' | 'reason'> {
  const damages = segment.damages()
  return {
    baseOffset: segment.baseOffset,
    nextOffset: segment.nextOffset(),
    bytes: segment.size(),
    compactedAt: compaction.cleanedAt(segment),
    damagedBytes: damages.reduce((sum, { length }) => sum + length, 0),
    damages: describeDamages(damages),
  }
}

function describeDamages(damages: NativeDamage[]): DamageStorage[] {
  const described = damages.map(({ position, length, firstOffset, nextOffset }) => {
    return { position, bytes: length, firstOffset, nextOffset }
  })
  if (described.length <= MOST_DAMAGES) return described
  const offsets = ({ firstOffset, nextOffset }: DamageStorage): number => nextOffset - firstOffset
  const largest = described.sort((a, b) => offsets(b) - offsets(a)).slice(0, MOST_DAMAGES)
  return largest.sort((a, b) => a.firstOffset - b.firstOffset)
}

function describeRemoval(report: RetentionReport | null): RemovalStorage | null {
  const last = report?.removed.at(-1)
  if (report === null || last === undefined) return null
  const bytes = report.removed.reduce((sum, removed) => sum + removed.bytes, 0)
  return { at: report.at, segments: report.removed.length, bytes, reason: removalSentence(last.reason) }
}
