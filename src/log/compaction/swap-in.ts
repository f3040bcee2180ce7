import { closeSync, openSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { native } from '../../native/load.js'
import type { NativeSegment } from '../../native/native.js'
import { segmentOptions } from '../log-config.js'
import { beginSwap, cleanedPath, undoSwap, writeCleanedAt } from '../segment-swap.js'
import type { CompactedLog } from './log-compaction.js'
import { completeReplacement, forgetReplacement } from './replacement.js'

/** Others may take one meanwhile. */
const RESERVED = 4

/**
 * Puts the written segment in the place of the old ones, on the disk and in memory. Whoever reads an old one goes on
 * reading it. Runs while nobody else changes the row of segments.
 *
 * @param cleanedAt - what its `.compacted` file says
 * @returns whether it did: where the old ones are not all there any more, what was written is removed
 */
export async function swapIn(
  { directory, segments, config, unlinkLater, failed }: CompactedLog,
  old: readonly NativeSegment[],
  endOffset: number,
  cleanedAt: number,
): Promise<boolean> {
  const { baseOffset } = old[0] as NativeSegment
  if (!stillThere(segments.all(), old)) {
    await rm(cleanedPath(directory, baseOffset), { force: true })
    return false
  }
  const swap = { baseOffset, endOffset }
  let reserved: number[]
  try {
    await beginSwap(directory, swap)
    await writeCleanedAt(directory, baseOffset, cleanedAt)
    reserved = reserveFiles(directory)
  } catch (error) {
    // The old ones are all there: the log goes on with them.
    await undoSwap(directory, swap).catch(failed)
    throw error
  }
  const replacement = { directory, baseOffsets: old.map((segment) => segment.baseOffset), endOffset }
  try {
    for (const segment of old) segment.close()
    for (const descriptor of reserved.splice(0)) closeSync(descriptor)
    const gone = completeReplacement(replacement)
    segments.replace(old, native.openSealedSegment(segmentOptions(directory, baseOffset, config(), true), endOffset))
    unlinkLater(gone)
    await forgetReplacement(replacement)
  } catch (error) {
    throw failed(error)
  }
  return true
}

/** Descriptors to be given back where none may be missing. The old segments' files can be in use. */
function reserveFiles(directory: string): number[] {
  const reserved: number[] = []
  try {
    for (let i = 0; i < RESERVED; i++) reserved.push(openSync(directory, 'r'))
    return reserved
  } catch (error) {
    for (const descriptor of reserved) closeSync(descriptor)
    throw error
  }
}

/** Whether the segments stand in the row as they did. */
function stillThere(all: readonly NativeSegment[], old: readonly NativeSegment[]): boolean {
  const at = all.indexOf(old[0] as NativeSegment)
  return at >= 0 && old.every((segment, index) => all[at + index] === segment)
}
