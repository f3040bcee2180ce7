import type {
  NativeCleaned,
  NativeCleaner,
  NativeCleanWriter,
  NativeCleanWriterOptions,
  NativeFiltered,
  NativeRun,
} from '../../native/native.js'
import type { CleaningProgress } from './cleaning-progress.js'
import type { Source } from './cleaning-sources.js'
import { compressedLike, type PlainBatch, plainBatches, type RunLimits } from './compressed-run.js'
import { type GroupLimits, SegmentGroup } from './segment-groups.js'

/** What the second pass needs, whichever group it writes. */
export interface GroupWriterOptions {
  readonly cleaner: NativeCleaner
  readonly progress: CleaningProgress
  readonly limits: GroupLimits & RunLimits
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
  limits: RunLimits,
): Promise<void> {
  for (let offset = baseOffset; offset < endOffset; ) {
    progress.step()
    const step = await writer.copy(segment, offset, dropTombstonesBelow, progress.stepBytes)
    await progress.done(step.bytesRead, step.bytesWritten)
    if (step.stop === 'end') return
    if (step.run !== null) await rewriteRun(writer, step.run, progress, limits)
    offset = step.nextOffset
  }
}

async function rewriteRun(
  writer: NativeCleanWriter,
  run: NativeRun,
  progress: CleaningProgress,
  limits: RunLimits,
): Promise<void> {
  for await (const batches of plainBatches(run, limits)) {
    progress.step()
    const filtered = await writer.filter(batches.map(({ records }) => records))
    await progress.done(0, filtered.bytesWritten)
    const left = leftOf(batches, filtered)
    if (left.length === 0) continue
    const compressed = await compressedLike(left)
    progress.step()
    const codecs = Uint8Array.from(compressed, ({ codec }) => codec)
    const bytes = compressed.map((each) => each.bytes)
    await progress.done(0, await writer.append(bytes, codecs))
  }
}

/** What is left of the batches that lose records. */
function leftOf(batches: readonly PlainBatch[], { lengths, records }: NativeFiltered): PlainBatch[] {
  const left: PlainBatch[] = []
  let at = 0
  for (const [index, { codec }] of batches.entries()) {
    const length = lengths[index] ?? 0
    if (length > 0) left.push({ codec, records: records.subarray(at, at + length) })
    at += length
  }
  return left
}
