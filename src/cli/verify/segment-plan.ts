import { join } from 'node:path'
import { type SegmentFiles, segmentName } from '../../log/segment-files.js'

/** A segment that a start would read. */
export interface PlannedSegment {
  readonly baseOffset: number
  /** Base offset of the one behind it; undefined: it is the last. */
  readonly endOffset: number | undefined
  readonly logPath: string
  readonly compacted: boolean
  /** Whether it is on its way into the place of others: its indexes are not there yet. */
  readonly swap: boolean
}

/**
 * The segments that count (docs/disk-format.md): a compaction that is decided replaces others, and what lies whole below
 * the log start offset is deleted.
 */
export function planSegments(directory: string, files: SegmentFiles, logStartOffset: number): PlannedSegment[] {
  const swapped = (base: number): boolean =>
    files.swaps.some(({ baseOffset, endOffset }) => base >= baseOffset && base < endOffset)
  const path = (base: number): string => join(directory, `${segmentName(base)}.log`)
  const found = [
    ...files.baseOffsets
      .filter((base) => !swapped(base))
      .map((base) => ({ baseOffset: base, logPath: path(base), compacted: files.compacted.has(base), swap: false })),
    ...files.swaps.map(({ baseOffset, endOffset }) => {
      return { baseOffset, logPath: `${path(baseOffset)}.swap-${endOffset}`, compacted: true, swap: true }
    }),
  ].sort((a, b) => a.baseOffset - b.baseOffset)
  return found
    .map((segment, i) => ({ ...segment, endOffset: found[i + 1]?.baseOffset }))
    .filter(({ endOffset }) => endOffset === undefined || endOffset > logStartOffset)
}
