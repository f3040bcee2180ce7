import { linkSync, renameSync } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
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

/** A file that gets another name. */
interface Move {
  readonly from: string
  readonly to: string
  /** Of an old segment: it is to be unlinked some time. */
  readonly isGone: boolean
  /** It bears both names until {@link forgetReplacement}, where the file system has links. */
  readonly isLinked: boolean
}

/**
 * How a new segment, which is decided to be the truth, comes in the place of the old ones, whose files get the ending
 * `.deleted`. What says that it is the truth stays until {@link forgetReplacement}: whatever part of this a crash or a
 * power loss leaves, the next start finishes it.
 */
function* movesOf(replacement: Replacement): Generator<Move> {
  const [base, ...above] = replacement.baseOffsets as [number, ...number[]]
  const common = { isGone: false, isLinked: false }
  const remove = (name: string): Move => ({ ...common, from: name, to: name + DELETED_ENDING, isGone: true })
  for (const offset of above.reverse()) {
    for (const ending of [...LOG_AND_INDEXES, 'compacted']) yield remove(`${segmentName(offset)}.${ending}`)
  }
  for (const ending of LOG_AND_INDEXES) yield remove(`${segmentName(base)}.${ending}`)
  yield { ...common, from: swapName(replacement), to: `${segmentName(base)}.log`, isLinked: true }
  for (const ending of INDEXES) {
    const name = `${segmentName(base)}.${ending}`
    yield { ...common, from: `${name}.cleaned`, to: name }
  }
}

/**
 * Puts the new segment in the place of the old ones. Nobody may open a file of an old one meanwhile: it would not be
 * there, or be one of the new.
 *
 * @returns the names of what is to be unlinked
 */
export async function completeReplacement(replacement: Replacement): Promise<string[]> {
  const { directory } = replacement
  const gone: string[] = []
  for (const { from, to, isGone, isLinked } of movesOf(replacement)) {
    const paths = [join(directory, from), join(directory, to)] as const
    if (isLinked) await link(...paths).catch((error: unknown) => renameWithoutLinks(error, () => rename(...paths)))
    else if ((await rename(...paths).then(() => true, isMissing)) && isGone) gone.push(to)
  }
  return gone
}

/** The same in one go: nobody comes between. */
export function completeReplacementAtOnce(replacement: Replacement): string[] {
  const { directory } = replacement
  const gone: string[] = []
  for (const { from, to, isGone, isLinked } of movesOf(replacement)) {
    const paths = [join(directory, from), join(directory, to)] as const
    try {
      if (isLinked) linkSync(...paths)
      else renameSync(...paths)
      if (isGone) gone.push(to)
    } catch (error) {
      if (isLinked) renameWithoutLinks(error, () => renameSync(...paths))
      else isMissing(error)
    }
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

/** @throws the error where it says something else */
function isMissing(error: unknown): false {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
  throw error
}

/** Not every file system has links. */
function renameWithoutLinks<T>(error: unknown, run: () => T): T {
  if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  return run()
}
