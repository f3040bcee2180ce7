import { closeSync, openSync } from 'node:fs'
import { asStorageError, MyKafkaError } from '../../errors.js'
import { native } from '../../native/load.js'
import type { NativeSegment } from '../../native/native.js'
import { segmentOptions } from '../log-config.js'
import { beginSwap, undoSwap, writeCleanedAt } from '../segment-swap.js'
import type { CompactedLog } from './log-compaction.js'
import { completeReplacement, completeReplacementAtOnce, forgetReplacement } from './replacement.js'

/** Others may take one meanwhile. */
const RESERVED = 4

/**
 * Puts the written segment in the place of the old ones, on the disk and in memory. Whoever reads an old one goes on
 * reading it. Runs while nobody else changes the row of segments.
 *
 * @param cleanedAt - what its `.compacted` file says
 * @throws MyKafkaError LOG_CLOSED where the old ones are not all there any more, KAFKA_STORAGE_ERROR
 */
export async function swapIn(
  { directory, segments, config, unlinkLater, failed }: CompactedLog,
  old: readonly NativeSegment[],
  endOffset: number,
  cleanedAt: number,
): Promise<void> {
  const { baseOffset } = old[0] as NativeSegment
  if (!stillThere(segments.all(), old)) {
    // What is left of them is as it was. Were it taken for clean, what it holds of a key would outlive the key's tombstone.
    throw new MyKafkaError('LOG_CLOSED', `segments of ${directory} were removed while they were compacted`)
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
    throw asStorageError(error, `segments of ${directory} could not be replaced`)
  }
  const replacement = { directory, baseOffsets: old.map((segment) => segment.baseOffset), endOffset }
  // Where it fails they stay pinned: nothing opens what is at their paths by then.
  const pinned = await pinAll(old)
  try {
    const moved = pinned ? await completeReplacement(replacement) : null
    for (const segment of old) segment.close()
    for (const descriptor of reserved.splice(0)) closeSync(descriptor)
    const gone = moved ?? completeReplacementAtOnce(replacement)
    segments.replace(old, native.openSealedSegment(segmentOptions(directory, baseOffset, config(), true), endOffset))
    if (pinned) for (const segment of old) segment.unpin()
    unlinkLater(gone)
    await forgetReplacement(replacement)
  } catch (error) {
    for (const descriptor of reserved) closeSync(descriptor)
    throw failed(error)
  }
}

/**
 * Opens the segments' files and keeps them open, so that readers go on while the files get other names.
 *
 * @returns false where there are too few descriptors for it, or a file cannot be opened; none is kept then
 */
async function pinAll(segments: readonly NativeSegment[]): Promise<boolean> {
  const pinned: NativeSegment[] = []
  try {
    for (const segment of segments) {
      // On a thread, where they are not open.
      if (!segment.filesOpen() && segment.size() > 0) await segment.readAsync(new Uint8Array(1), 0)
      segment.pin()
      pinned.push(segment)
    }
    return true
  } catch {
    for (const segment of pinned) segment.unpin()
    return false
  }
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
