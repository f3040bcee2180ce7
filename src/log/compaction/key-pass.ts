import { MyKafkaError } from '../../errors.js'
import type { NativeCleaner, NativeRun } from '../../native/native.js'
import type { Cleanable } from './cleanable.js'
import type { CleaningProgress } from './cleaning-progress.js'
import type { Source } from './cleaning-sources.js'
import { plainBatches, type RunLimits } from './compressed-run.js'

/**
 * The first pass: gathers the last offset of every key in the dirty part, as far as memory allows.
 *
 * @returns the offset below which the log is clean when the second pass is over it
 * @throws MyKafkaError CORRUPT_MESSAGE, MESSAGE_TOO_LARGE where not even the first keys have room
 */
export async function gatherKeys(
  cleaner: NativeCleaner,
  sources: readonly Source[],
  { firstDirtyOffset, endOffset }: Cleanable,
  progress: CleaningProgress,
  limits: RunLimits,
): Promise<number> {
  for (const source of sources) {
    if (source.endOffset <= firstDirtyOffset) continue
    const from = Math.max(firstDirtyOffset, source.baseOffset)
    const reached = await gatherFrom(cleaner, source, from, progress, limits)
    if (reached < source.endOffset) return fullAt(reached, source, firstDirtyOffset)
  }
  return endOffset
}

/** Returns the first offset that is not gathered. */
async function gatherFrom(
  cleaner: NativeCleaner,
  { segment, endOffset }: Source,
  from: number,
  progress: CleaningProgress,
  limits: RunLimits,
): Promise<number> {
  for (let offset = from; ; ) {
    progress.step()
    const step = await cleaner.index(segment, offset, endOffset, progress.stepBytes)
    await progress.done(step.bytesRead, 0)
    if (step.stop === 'end') return endOffset
    if (step.stop === 'full') return step.nextOffset
    if (step.run !== null) {
      const full = await gatherRun(cleaner, step.run, progress, limits)
      if (full !== null) return full
    }
    offset = step.nextOffset
    // A batch may reach to the very end.
    if (offset >= endOffset) return endOffset
  }
}

/** Returns the first offset that is not gathered, where the map is full. */
async function gatherRun(
  cleaner: NativeCleaner,
  run: NativeRun,
  progress: CleaningProgress,
  limits: RunLimits,
): Promise<number | null> {
  for await (const batches of plainBatches(run, limits)) {
    progress.step()
    const { stop, nextOffset } = await cleaner.indexRecords(batches.map(({ records }) => records))
    if (stop === 'full') return nextOffset
  }
  return null
}

/** The segment in which memory ended is left for the next time, unless nothing would be done then. */
function fullAt(offset: number, { baseOffset, segment }: Source, firstDirtyOffset: number): number {
  if (baseOffset > firstDirtyOffset) return baseOffset
  if (offset > firstDirtyOffset) return offset
  const reason = `the keys of ${segment.logPath} at offset ${offset} do not fit log.cleaner.dedupe.buffer.size`
  throw new MyKafkaError('MESSAGE_TOO_LARGE', reason)
}
