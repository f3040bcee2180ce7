import { readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readInt64, writeInt64 } from '../integers.js'
import { native } from '../native/load.js'
import { replaceFile } from './durable-file.js'
import { compactedPath, listSegmentFiles, type SegmentSwap, segmentName, segmentPaths } from './segment-files.js'

/**
 * How a compacted segment takes the place of those that it was made of (docs/disk-format.md). It is written as
 * `.log.cleaned`; with {@link beginSwap} it becomes the truth, and {@link finishSwap} does the rest, now or at the next
 * start.
 *
 * @module
 */

const COMPACTED_BYTES = 8

/** Takes the files of a segment away, in this order. */
export type RemoveFiles = (paths: readonly string[]) => Promise<void>

/** Where the cleaner writes: synced before {@link beginSwap}. */
export function cleanedPath(directory: string, baseOffset: number): string {
  return join(directory, `${segmentName(baseOffset)}.log.cleaned`)
}

function swapPath(directory: string, { baseOffset, endOffset }: SegmentSwap): string {
  return join(directory, `${segmentName(baseOffset)}.log.swap-${endOffset}`)
}

/** When compaction last went over a segment, in ms since 1970: from then on its tombstones have to be kept for a time. */
export async function readCleanedAt(directory: string, baseOffset: number): Promise<number> {
  const path = compactedPath(directory, baseOffset)
  const bytes = await readFile(path)
  const cleanedAt = bytes.length === COMPACTED_BYTES ? readInt64(bytes, 0) : Number.NaN
  if (Number.isSafeInteger(cleanedAt) && cleanedAt >= 0) return cleanedAt
  // Too late does no harm: tombstones stay for longer.
  return Math.ceil((await stat(path)).mtimeMs)
}

/** Says when a segment was compacted. */
export async function writeCleanedAt(directory: string, baseOffset: number, cleanedAt: number): Promise<void> {
  const bytes = Buffer.alloc(COMPACTED_BYTES)
  writeInt64(bytes, cleanedAt, 0)
  await replaceFile(compactedPath(directory, baseOffset), bytes)
}

/** The written segment takes the place of the others from now on, also if the process ends here. */
export async function beginSwap(directory: string, swap: SegmentSwap): Promise<void> {
  await rename(cleanedPath(directory, swap.baseOffset), swapPath(directory, swap))
  await native.syncDirectory(directory)
}

/** Takes it back, as long as the others are all there: one that stayed would replace what comes after them. */
export async function undoSwap(directory: string, swap: SegmentSwap): Promise<void> {
  await rm(swapPath(directory, swap), { force: true })
  // Where it comes back behind power loss the others are as they were: each change of them syncs the directory first.
  await native.syncDirectory(directory).catch(() => {})
}

/**
 * Removes the segments that a swap takes the place of and gives it its name. Every step can be done again, so that a
 * crash between two of them is made good by the next start.
 *
 * @param cleanedAt - what the segment's `.compacted` file will say
 * @param remove - takes the old files away; default: unlinks them
 */
export async function finishSwap(
  directory: string,
  swap: SegmentSwap,
  cleanedAt: number,
  remove: RemoveFiles = unlinkFiles,
): Promise<void> {
  const { baseOffset, endOffset } = swap
  const path = join(directory, segmentName(baseOffset))
  await writeCleanedAt(directory, baseOffset, cleanedAt)
  const { baseOffsets } = await listSegmentFiles(directory, new Set())
  for (const replaced of baseOffsets.filter((base) => base > baseOffset && base < endOffset)) {
    await remove(segmentPaths(directory, replaced))
  }
  // Its indexes are of the old bytes. The log may be the swap already, by a link: a rename would leave both names.
  await unlinkFiles([`${path}.index`, `${path}.timeindex`, `${path}.log`])
  // A segment that came back behind a crash would hold offsets that the new one has too.
  await native.syncDirectory(directory)
  await rename(swapPath(directory, swap), `${path}.log`)
  for (const ending of ['index', 'timeindex']) await renameIfThere(`${path}.${ending}.cleaned`, `${path}.${ending}`)
  await native.syncDirectory(directory)
}

/** The same for what a start finds. When it was cleaned is not known: just now, so that no tombstone goes too early. */
export async function finishSwaps(directory: string, swaps: readonly SegmentSwap[]): Promise<void> {
  for (const swap of swaps) await finishSwap(directory, swap, Date.now())
}

/** An index is made anew where it is missing. */
async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

async function unlinkFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { force: true })
}
