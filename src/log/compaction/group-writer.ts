import type { NativeCleaned, NativeCleaner, NativeCleanWriter, NativeCleanWriterOptions } from '../../native/native.js'
import type { ConversionLimits } from '../conversion/limits.js'
import type { CleaningProgress } from './cleaning-progress.js'
import type { Source } from './cleaning-sources.js'
import { compressedLike, plainRecordsOf } from './compressed-batch.js'

/** What the second pass needs, whichever group it writes. */
export interface GroupWriterOptions {
  readonly cleaner: NativeCleaner
  readonly progress: CleaningProgress
  readonly limits: ConversionLimits
  /** What was compacted before this offset, and loses nothing now, is left as it is. */
  readonly firstDirtyOffset: number
  readonly writer: Omit<NativeCleanWriterOptions, 'baseOffset' | 'endOffset'>
}

/**
 * The second pass over one group: writes what is left of its segments into `%020d.log.cleaned`, synced.
 *
 * @param use - puts it in their place
 * @returns null where nothing would change: `use` is not called
 */
export async function writeGroup(
  sources: readonly Source[],
  { cleaner, progress, limits, firstDirtyOffset, writer: given }: GroupWriterOptions,
  use: () => Promise<void>,
): Promise<NativeCleaned | null> {
  const [first, ...others] = sources as [Source, ...Source[]]
  const { endOffset } = others.at(-1) ?? first
  const writer = await cleaner.openWriter({ ...given, baseOffset: first.baseOffset, endOffset })
  const before = progress.bytesWritten
  try {
    for (const source of sources) await copySegment(writer, source, progress, limits)
    const isAlone = others.length === 0 && first.segment.sparse && first.endOffset <= firstDirtyOffset
    if (isAlone && progress.bytesWritten - before === first.bytes) {
      await writer.abort()
      return null
    }
    const cleaned = await writer.finish()
    await use()
    return cleaned
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
