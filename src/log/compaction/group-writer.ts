import type { NativeCleaned, NativeCleaner, NativeCleanWriter, NativeCleanWriterOptions } from '../../native/native.js'
import type { ConversionLimits } from '../conversion/limits.js'
import type { CleaningProgress } from './cleaning-progress.js'
import type { Source } from './cleaning-sources.js'
import { compressedLike, plainRecordsOf } from './compressed-batch.js'
import { type GroupLimits, SegmentGroup } from './segment-groups.js'

/** What the second pass needs, whichever group it writes. */
export interface GroupWriterOptions {
  readonly cleaner: NativeCleaner
  readonly progress: CleaningProgress
  readonly limits: GroupLimits & ConversionLimits
  /** What was compacted before this offset, and loses nothing now, is left as it is. */
  readonly firstDirtyOffset: number
  readonly writer: Omit<NativeCleanWriterOptions, 'baseOffset' | 'endOffset'>
}

/** What was written of a group. */
export interface WrittenGroup {
  readonly group: SegmentGroup<Source>
  /** Null: nothing changes, the segment stays. */
  readonly cleaned: NativeCleaned | null
}

/**
 * The second pass over the first segments of a row, as many as become one: writes what is left of them into
 * `%020d.log.cleaned`, synced.
 *
 * @param use - puts it in their place; not called where nothing changes
 */
export async function writeGroup(
  sources: readonly Source[],
  { cleaner, progress, limits, firstDirtyOffset, writer: given }: GroupWriterOptions,
  use: (group: SegmentGroup<Source>, cleaned: NativeCleaned) => Promise<void>,
): Promise<WrittenGroup> {
  const [first, ...others] = sources as [Source, ...Source[]]
  const { endOffset } = others.at(-1) ?? first
  const group = new SegmentGroup(limits, first)
  const writer = await cleaner.openWriter({ ...given, baseOffset: first.baseOffset, endOffset })
  const before = progress.bytesWritten
  try {
    await copySegment(writer, first, progress, limits)
    const isClean = first.segment.sparse && first.endOffset <= firstDirtyOffset
    const isUnchanged = isClean && writer.changes() === 0
    for (const source of others) {
      if (!group.takes(source, progress.bytesWritten - before)) break
      group.add(source)
      await copySegment(writer, source, progress, limits)
    }
    if (isUnchanged && group.segments.length === 1) {
      await writer.abort()
      return { group, cleaned: null }
    }
    const cleaned = await writer.finish()
    await use(group, cleaned)
    return { group, cleaned }
  } catch (error) {
    await writer.abort().catch(() => {})
    throw error
  }
}

async function copySegment(
  writer: NativeCleanWriter,
  { segment, baseOffset, endOffset, dropTombstonesBelow }: Source,
  progress: CleaningProgress,
  limits: ConversionLimits,
): Promise<void> {
  for (let offset = baseOffset; offset < endOffset; ) {
    progress.step()
    const step = await writer.copy(segment, offset, dropTombstonesBelow, progress.stepBytes)
    await progress.done(step.bytesRead, step.bytesWritten)
    if (step.stop === 'end') return
    if (step.stop === 'compressed' && step.batch !== null) {
      await progress.done(0, await rewriteBatch(writer, step.batch, limits))
    }
    offset = step.nextOffset
  }
}

/** Returns how many bytes were written. */
async function rewriteBatch(writer: NativeCleanWriter, batch: Buffer, limits: ConversionLimits): Promise<number> {
  const left = await writer.filter(await plainRecordsOf(batch, limits))
  if (left === null) return 0
  const { codec, bytes } = await compressedLike(batch, left.records)
  return await writer.append(bytes, codec)
}
