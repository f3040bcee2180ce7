import { linkSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { native } from '../../native/load.js'
import { segmentName } from '../segment-files.js'

/** Neighbouring segments whose place another takes (segment-swap.ts has the protocol). */
export interface Replacement {
  readonly directory: string
  /** Of the segments that go, ascending. The new one has the first. */
  readonly baseOffsets: readonly number[]
  /** Base offset of the segment behind them. */
  readonly endOffset: number
}

const LOG_AND_INDEXES = ['index', 'timeindex', 'log'] as const
const INDEXES = ['index', 'timeindex'] as const
const DELETED_ENDING = '.deleted'

function swapName({ baseOffsets, endOffset }: Replacement): string {
  return `${segmentName(baseOffsets[0] as number)}.log.swap-${endOffset}`
}

/**
 * Puts a new segment, which is decided to be the truth, in the place of the old ones, whose files get the ending
 * `.deleted`. In one go: nobody opens a file of an old segment and finds one of the new. What says that it is the truth
 * stays until {@link forgetReplacement}: whatever part of this a power loss leaves, the next start finishes it.
 *
 * @returns the names of what is to be unlinked
 */
export function completeReplacement(replacement: Replacement): string[] {
  const { directory, baseOffsets } = replacement
  const [base, ...above] = baseOffsets as [number, ...number[]]
  const gone: string[] = []
  const remove = (name: string): void => {
    if (moveIfThere(join(directory, name), join(directory, name + DELETED_ENDING))) gone.push(name + DELETED_ENDING)
  }
  for (const offset of above.reverse()) {
    for (const ending of [...LOG_AND_INDEXES, 'compacted']) remove(`${segmentName(offset)}.${ending}`)
  }
  for (const ending of LOG_AND_INDEXES) remove(`${segmentName(base)}.${ending}`)
  linkOrMove(join(directory, swapName(replacement)), join(directory, `${segmentName(base)}.log`))
  for (const ending of INDEXES) {
    const path = join(directory, `${segmentName(base)}.${ending}`)
    moveIfThere(`${path}.cleaned`, path)
  }
  return gone
}

/**
 * Brings the replacement to the disk; then nothing says any more that it is to be made. (Where that comes back behind a
 * power loss, it is made once more: the segment is the same, or below the log start offset by then.)
 */
export async function forgetReplacement(replacement: Replacement): Promise<void> {
  const { directory } = replacement
  await native.syncDirectory(directory)
  await rm(join(directory, swapName(replacement)), { force: true })
}

function moveIfThere(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function linkOrMove(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch (error) {
    // Not every file system has links.
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    renameSync(from, to)
  }
}
