import { readdir } from 'node:fs/promises'

/** What a partition's directory holds, by the names of its files. */
export interface SegmentFiles {
  /** Base offsets of the `.log` files, ascending. */
  baseOffsets: number[]
  /** Ends of the log that a `.snapshot` file is of, ascending. */
  snapshots: number[]
  /** `.index` files whose `.log` is gone, what was being written at a crash, and what waits to be unlinked. */
  orphans: string[]
  /** Names that are not understood: left alone and reported. */
  unknown: string[]
}

const SEGMENT_NAME = /^(\d{20})\.(log|index|snapshot)$/
const CUT_NAME = /^\d{20}\.log\.cut-\d+(\.\d+)?$/
const UNFINISHED_NAME = /^\d{20}\.snapshot\.tmp$/
const DELETED_NAME = /^\d{20}\.[a-z]+\.deleted$/

/** The endings of a segment's files; not each segment has them all. */
export const SEGMENT_ENDINGS = ['log', 'index', 'timeindex', 'compacted'] as const
/** What a file's name ends with when its segment is gone. */
export const DELETED_ENDING = '.deleted'

/** `%020d`, the name of a segment's files without their endings. */
export function segmentName(baseOffset: number): string {
  return String(baseOffset).padStart(20, '0')
}

/**
 * Lists a partition's directory.
 *
 * @param known - names of other files that belong there (a log's own lock and checkpoints, `partition.metadata`)
 */
export async function listSegmentFiles(directory: string, known: ReadonlySet<string>): Promise<SegmentFiles> {
  const files: SegmentFiles = { baseOffsets: [], snapshots: [], orphans: [], unknown: [] }
  const indexes: string[] = []
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const match = entry.isFile() ? SEGMENT_NAME.exec(entry.name) : null
    const baseOffset = match ? Number(match[1]) : Number.NaN
    if (match && Number.isSafeInteger(baseOffset)) {
      if (match[2] === 'log') files.baseOffsets.push(baseOffset)
      else if (match[2] === 'snapshot') files.snapshots.push(baseOffset)
      else indexes.push(entry.name)
    } else if (entry.isFile() && (UNFINISHED_NAME.test(entry.name) || DELETED_NAME.test(entry.name))) {
      files.orphans.push(entry.name)
    } else if (!known.has(entry.name) && !(entry.isFile() && CUT_NAME.test(entry.name))) {
      files.unknown.push(entry.name)
    }
  }
  files.baseOffsets.sort((a, b) => a - b)
  files.snapshots.sort((a, b) => a - b)
  const bases = new Set(files.baseOffsets)
  files.orphans.push(...indexes.filter((name) => !bases.has(Number(name.slice(0, 20)))))
  return files
}
