import { statSync } from 'node:fs'
import { join } from 'node:path'
import { listSegmentFiles, segmentName } from '../../log/segment-files.js'
import { CommandFailure } from '../failure.js'

const NOTHING_KNOWN: ReadonlySet<string> = new Set()

/** The log files to dump: the one named, or those of a partition's directory, in order. */
export async function logFiles(path: string): Promise<string[]> {
  if (!statSync(path).isDirectory()) return [path]
  const { baseOffsets } = await listSegmentFiles(path, NOTHING_KNOWN)
  if (baseOffsets.length === 0) throw new CommandFailure(`${path} holds no .log file: is it a partition's directory?`)
  return baseOffsets.map((baseOffset) => join(path, `${segmentName(baseOffset)}.log`))
}
