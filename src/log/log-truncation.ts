import { rm } from 'node:fs/promises'
import { MyKafkaError } from '../errors.js'
import { native } from '../native/load.js'
import { FIND, type NativeSegment, RANGE } from '../native/native.js'
import type { SliceTracker } from './file-slice.js'
import { type LogConfig, segmentOptions } from './log-config.js'
import { compactedPath, segmentPaths } from './segment-files.js'
import type { SegmentList } from './segment-list.js'

/**
 * The first offset of the entry that holds this one; the offset itself where no entry does.
 *
 * @param upperBound - exclusive: entries from this offset on are not looked at
 * @param onVerified - called when the segment's bytes were checked: its damages may have grown
 * @throws MyKafkaError CORRUPT_MESSAGE where the offset lies in a damage
 */
export async function entryStart(
  segments: SegmentList,
  offset: number,
  upperBound: number,
  onVerified: (segment: NativeSegment) => void,
): Promise<number> {
  const segment = segments.from(offset)[0] as NativeSegment
  const out = new Float64Array(RANGE.fields)
  const found = await segment.findRangeAsync(offset, 1, upperBound, out)
  onVerified(segment)
  if (found === FIND.found && (out[RANGE.length] as number) > 0) {
    // In a compacted segment it may be the first behind it.
    return Math.min(out[RANGE.firstOffset] as number, offset)
  }
  if (found !== FIND.corrupt) return offset
  throw new MyKafkaError('CORRUPT_MESSAGE', `${segment.logPath} is damaged at offset ${offset}: cut at another one`)
}

/**
 * Cuts off every entry from the offset on, behind the slices that are in use of them. The highest goes first, so that
 * what is left has no gap at any moment.
 */
export async function cutSegments(
  directory: string,
  segments: SegmentList,
  slices: SliceTracker,
  offset: number,
  config: LogConfig,
): Promise<void> {
  for (const segment of segments.removeAbove(offset).reverse()) {
    await slices.idleFrom(segment, offset)
    segment.close()
    // The rest stays until the log is gone for certain: by it a start knows that it was there.
    const [log, ...rest] = segmentPaths(directory, segment.baseOffset) as [string, ...string[]]
    await rm(log, { force: true })
    await native.syncDirectory(directory)
    for (const path of rest) await rm(path, { force: true })
  }
  const { active } = segments
  await slices.idleFrom(active, offset)
  await active.truncateTo(offset)
  if (active.sparse) await goOnBehindCompacted(directory, segments, config)
}

/** Nothing is appended to what compaction left: its tombstones would be taken for old ones. */
async function goOnBehindCompacted(directory: string, segments: SegmentList, config: LogConfig): Promise<void> {
  const { active } = segments
  if (active.nextOffset() > active.baseOffset) {
    active.seal()
    segments.push(native.createSegment(segmentOptions(directory, active.nextOffset(), config)))
  } else {
    await rm(compactedPath(directory, active.baseOffset), { force: true })
  }
  await native.syncDirectory(directory)
}
