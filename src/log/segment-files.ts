import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A compacted segment that is about to take the place of others: `%020d.log.swap-<end>`. */
export interface SegmentSwap {
  /** Of the first segment that it takes the place of, and its own. */
  baseOffset: number
  /** Base offset of the segment behind the last one that it takes the place of. */
  endOffset: number
}

/** What a partition's directory holds, by the names of its files. */
export interface SegmentFiles {
  /** Base offsets of the `.log` files, ascending. */
  baseOffsets: number[]
  /** Base offsets of the `.compacted` files whose `.log` is there: what compaction left of other segments. */
  compacted: Set<number>
  /** Compactions that are decided and not finished, ascending by base offset. */
  swaps: SegmentSwap[]
  /** Ends of the log that a `.snapshot` file is of, ascending. */
  snapshots: number[]
  /** What belongs to a `.log` that is gone, what was being written at a crash, and what waits to be unlinked. */
  orphans: string[]
  /** What recovery put aside. */
  aside: string[]
  /** Names that are not understood: left alone and reported. */
  unknown: string[]
}

/**
 * The endings of a segment's files, in the order in which they must go: without its `.log` the others are orphans, but
 * without its `.compacted` what compaction left would look like damage. Not each segment has them all.
 */
export const SEGMENT_ENDINGS = ['log', 'index', 'timeindex', 'compacted'] as const

const SEGMENT_NAME = /^(\d{20})\.(log|index|timeindex|compacted|snapshot)$/
const SWAP_NAME = /^(\d{20})\.log\.swap-(\d+)$/
const CUT_NAME = /^\d{20}\.log\.cut-\d+(\.\d+)?$/
/** Compaction writes `.cleaned` files. */
const UNFINISHED_NAME = /^\d{20}\.((snapshot|compacted)\.tmp|(log|index|timeindex)\.cleaned)$/
const DELETED_NAME = /^\d{20}\.[a-z]+\.deleted$/

/** What a file's name ends with when its segment is gone. */
export const DELETED_ENDING = '.deleted'

/** `%020d`, the name of a segment's files without their endings. */
export function segmentName(baseOffset: number): string {
  return String(baseOffset).padStart(20, '0')
}

/** The files that a segment may have, in the order in which they must go. */
export function segmentPaths(directory: string, baseOffset: number): string[] {
  return SEGMENT_ENDINGS.map((ending) => join(directory, `${segmentName(baseOffset)}.${ending}`))
}

/** What says that compaction went over a segment, and when: `[cleanedAt:8]`, in ms since 1970. */
export function compactedPath(directory: string, baseOffset: number): string {
  return join(directory, `${segmentName(baseOffset)}.compacted`)
}

/**
 * Lists a partition's directory.
 *
 * @param known - names of other files that belong there (a log's own lock and checkpoints, `partition.metadata`)
 */
export async function listSegmentFiles(directory: string, known: ReadonlySet<string>): Promise<SegmentFiles> {
  const files: SegmentFiles = {
    baseOffsets: [],
    compacted: new Set(),
    swaps: [],
    snapshots: [],
    orphans: [],
    aside: [],
    unknown: [],
  }
  const companions: string[] = []
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const { name } = entry
    const isFile = entry.isFile()
    if (isFile && take(name, files, companions)) continue
    if (isFile && (UNFINISHED_NAME.test(name) || DELETED_NAME.test(name))) files.orphans.push(name)
    else if (isFile && CUT_NAME.test(name)) files.aside.push(name)
    else if (!known.has(name)) files.unknown.push(name)
  }
  files.baseOffsets.sort((a, b) => a - b)
  files.snapshots.sort((a, b) => a - b)
  files.swaps.sort((a, b) => a.baseOffset - b.baseOffset)
  const bases = new Set(files.baseOffsets)
  for (const name of companions) {
    const baseOffset = Number(name.slice(0, 20))
    if (!bases.has(baseOffset)) files.orphans.push(name)
    else if (name.endsWith('.compacted')) files.compacted.add(baseOffset)
  }
  return files
}

/** Takes a name that is a segment's. Returns whether it is. */
function take(name: string, files: SegmentFiles, companions: string[]): boolean {
  const match = SEGMENT_NAME.exec(name) ?? SWAP_NAME.exec(name)
  const offset = match ? Number(match[1]) : Number.NaN
  if (match === null || !Number.isSafeInteger(offset)) return false
  const kind = match[2] as string
  if (kind === 'log') files.baseOffsets.push(offset)
  else if (kind === 'snapshot') files.snapshots.push(offset)
  else if (!/^\d/.test(kind)) companions.push(name)
  else {
    const endOffset = Number(kind)
    if (!Number.isSafeInteger(endOffset) || endOffset <= offset) return false
    files.swaps.push({ baseOffset: offset, endOffset })
  }
  return true
}
