import type { NativeSegment } from '../../native/native.js'
import type { LogConfig } from '../log-config.js'
import type { Cleanable } from './cleanable.js'
import type { GroupableSegment, TombstoneAge } from './segment-groups.js'

/** A segment that is written anew. */
export interface Source extends GroupableSegment {
  readonly segment: NativeSegment
  /** Tombstones below this offset go. Of kafka logs each batch has its own time. */
  readonly dropTombstonesBelow: number
}

/** What decides about tombstones. */
export interface TombstoneTimes {
  /** When the time of a segment's tombstones began; null: it was never compacted. */
  since(segment: NativeSegment): TombstoneAge | null
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
    sources.push({ ...place, ...tombstones })
  }
  return sources
}

type Place = Pick<Source, 'segment' | 'baseOffset' | 'endOffset' | 'bytes'>

function tombstonesOf(
  { segment, endOffset }: Place,
  firstDirtyOffset: number,
  { recordFormat }: LogConfig,
  { since, deleteRetentionMs, nowMs }: TombstoneTimes,
): Pick<Source, 'tombstones' | 'dropTombstonesBelow'> {
  // Every batch says itself when its tombstones go: segments mix.
  if (recordFormat === 'kafka') return { tombstones: 'over', dropTombstonesBelow: 0 }
  const time = since(segment)
  if (time === null) return { tombstones: nowMs, dropTombstonesBelow: 0 }
  const isOver = time === 'over' || time + deleteRetentionMs <= nowMs
  // Those in the dirty part have their time before them: what they delete may still be there.
  const dropTombstonesBelow = isOver ? firstDirtyOffset : 0
  if (endOffset > firstDirtyOffset) return { tombstones: nowMs, dropTombstonesBelow }
  return { tombstones: isOver ? 'over' : time, dropTombstonesBelow }
}
