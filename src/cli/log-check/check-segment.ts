import { readFile } from 'node:fs/promises'
import { native } from '../../native/load.js'
import type { NativeLogCheck, NativeLogCheckOptions } from '../../native/native.js'

/** An index as its file holds it, or why it could not be read. */
export type IndexFile = { readonly path: string } & ({ readonly bytes: Buffer } | { readonly error: Error })

/** The indexes beside a log, as they were before the log was looked at. */
export interface IndexFiles {
  readonly index: IndexFile
  readonly timeIndex: IndexFile
}

export async function readIndexes(logPath: string): Promise<IndexFiles> {
  const [index, timeIndex] = await Promise.all(
    ['index', 'timeindex'].map((ending) => readIndex(logPath.replace(/log$/, ending))),
  )
  return { index, timeIndex } as IndexFiles
}

async function readIndex(path: string): Promise<IndexFile> {
  try {
    return { path, bytes: await readFile(path) }
  } catch (error) {
    return { path, error: error as Error }
  }
}

/** Whether that is why it could not be read. */
export function isMissing(file: IndexFile): boolean {
  return 'error' in file && (file.error as NodeJS.ErrnoException).code === 'ENOENT'
}

/** Reads a log once, and holds what its indexes say against it. */
export async function checkSegment(
  logPath: string,
  options: Omit<NativeLogCheckOptions, 'index' | 'timeIndex'>,
  { index, timeIndex }: IndexFiles,
): Promise<NativeLogCheck> {
  return await native.checkLogFile(logPath, {
    ...options,
    ...('bytes' in index && { index: index.bytes }),
    ...('bytes' in timeIndex && { timeIndex: timeIndex.bytes }),
  })
}
