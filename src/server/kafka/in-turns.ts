import pMap from 'p-map'
import { LoopTurns, laterTurn } from '../../loop-turns.js'

/** So few are done at once. */
const FEW = 256
/** Of what has to be waited for, as much side by side. */
const SIDE_BY_SIDE = 16

/**
 * Does the work for each thing that a request names, and answers in their order. Where a request names thousands, the
 * event loop turns meanwhile.
 */
export function inTurns<T, R>(items: readonly T[], work: (item: T) => R): R[] | Promise<R[]> {
  return areMany(items.length) ? workInTurns(items, work) : items.map(work)
}

async function workInTurns<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const turns = new LoopTurns()
  const results: R[] = []
  for (const item of items) {
    await turns.next()
    results.push(work(item))
  }
  return results
}

/** The same for work that may have to wait. */
export function sideBySideInTurns<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  concurrency = SIDE_BY_SIDE,
): Promise<R[]> {
  const turns = new LoopTurns()
  const workInTurn = async (item: T): Promise<R> => {
    await turns.next()
    return await work(item)
  }
  return pMap(items, areMany(items.length) ? workInTurn : work, { concurrency })
}

/** Whether what is done for each of so many things, however little, takes its time. */
export function areMany(count: number): boolean {
  return count > FEW
}

/** What it is given, in a later turn of the event loop. */
export async function behindTurn<T>(given: T): Promise<T> {
  await laterTurn()
  return given
}
