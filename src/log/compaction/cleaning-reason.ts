import { type Cleanable, type CompactionSettings, isWorthCleaning } from './cleanable.js'

/** A segment, as far as compaction has to do with it. */
export interface CompactedSegment {
  readonly baseOffset: number
  /** Base offset of the segment behind it. */
  readonly endOffset: number
  readonly active: boolean
}

/** Why compaction has left a segment as it is, or will not: a sentence. */
export function whyNotCleaned(
  segment: CompactedSegment,
  cleanable: Cleanable,
  settings: CompactionSettings,
  failure: unknown = null,
): string {
  if (segment.active) return 'it is appended to: compaction leaves the active segment alone'
  if (segment.endOffset <= cleanable.firstDirtyOffset) return 'it is compacted'
  if (failure !== null) return `the last compaction failed: ${failure instanceof Error ? failure.message : failure}`
  if (segment.endOffset > cleanable.endOffset) {
    return `it holds what is younger than min.compaction.lag.ms (${settings.minCompactionLagMs}), or lies behind such`
  }
  if (isWorthCleaning(cleanable, settings)) return 'it waits for its turn to be compacted'
  const ratio = cleanable.dirtyRatio.toFixed(2)
  return `it waits for more to compact: the dirty ratio ${ratio} is not above min.cleanable.dirty.ratio (${settings.minCleanableDirtyRatio})`
}
