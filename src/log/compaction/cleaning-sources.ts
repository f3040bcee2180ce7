import type { NativeSegment } from '../../native/native.js'
import type { LogConfig } from '../log-config.js'
import type { Cleanable } from './cleanable.js'
import type { GroupableSegment } from './segment-groups.js'

/** A segment that is written anew. */
export interface Source extends GroupableSegment {
  readonly segment: NativeSegment
  /** Tombstones below this offset go. Of kafka logs each batch has its own time. */
  readonly dropTombstonesBelow: number
}

/** An index has this much for each entry. */
const INDEX_ENTRY_BYTES = 8
/** No entry of a log is shorter. */
const SMALLEST_ENTRY = 28

/** What decides about tombstones. */
export interface TombstoneTimes {
  /** When a segment was compacted; null: never. */
  cleanedAt(segment: NativeSegment): number | null
  /** `delete.retention.ms` */
  readonly deleteRetentionMs: number
  readonly nowMs: number
}

/** The segments below the end of what can be cleaned, with what becomes of their tombstones. */
export function sourcesOf(
  segments: readonly NativeSegment[],
  { firstDirtyOffset, endOffset }: Cleanable,
  config: LogConfig,
  times: TombstoneTimes,
): Source[] {
  const sources: Source[] = []
  for (const [index, segment] of segments.entries()) {
    const next = segments[index + 1]
    if (next === undefined || next.baseOffset > endOffset) break
    const place = { segment, baseOffset: segment.baseOffset, endOffset: next.baseOffset, bytes: segment.size() }
    const tombstones = tombstonesOf(place, firstDirtyOffset, config, times)
    sources.push({ ...place, indexBytes: indexBytes(place, config), ...tombstones })
  }
  return sources
}

type Place = Pick<Source, 'segment' | 'baseOffset' | 'endOffset' | 'bytes'>

/** As much as its index can take at the most. */
function indexBytes({ baseOffset, endOffset, bytes }: Place, { indexIntervalBytes }: LogConfig): number {
  const entries = bytes / Math.max(SMALLEST_ENTRY, indexIntervalBytes) + 1
  return Math.ceil(Math.min(endOffset - baseOffset, entries)) * INDEX_ENTRY_BYTES
}

function tombstonesOf(
  { segment, endOffset }: Place,
  firstDirtyOffset: number,
  { recordFormat }: LogConfig,
  { cleanedAt, deleteRetentionMs, nowMs }: TombstoneTimes,
): Pick<Source, 'tombstones' | 'dropTombstonesBelow'> {
  // Every batch says itself when its tombstones go: segments mix.
  if (recordFormat === 'kafka') return { tombstones: 'over', dropTombstonesBelow: 0 }
  const time = cleanedAt(segment)
  if (time === null) return { tombstones: 'fresh', dropTombstonesBelow: 0 }
  const isOver = time + deleteRetentionMs <= nowMs
  // Those in the dirty part have their time before them: what they delete may still be there.
  const dropTombstonesBelow = isOver ? firstDirtyOffset : 0
  if (endOffset > firstDirtyOffset) return { tombstones: 'fresh', dropTombstonesBelow }
  return { tombstones: isOver ? 'over' : time, dropTombstonesBelow }
}
