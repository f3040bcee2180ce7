import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'

/** Some are opened while others are closed: together no more than Node's thread pool has threads. */
const AT_ONCE = Math.min(2, availableParallelism())
/** Longer the event loop is not held up, but for the work on one item. */
const TURN_MS = 2

/** Lets the event loop turn where work on its own thread has gone on for long. */
class Turns {
  #since = performance.now()
  #turning: Promise<void> | null = null

  /** Whether it is time: asked directly before the work, for others may have worked meanwhile. */
  isDue(): boolean {
    return performance.now() - this.#since >= TURN_MS
  }

  async next(): Promise<void> {
    this.#turning ??= this.#turn()
    await this.#turning
  }

  async #turn(): Promise<void> {
    await setImmediate()
    this.#since = performance.now()
    this.#turning = null
  }
}

/**
 * Works on a few items at once, in their order, be it on this thread or on others.
 *
 * @param goesOn - asked before each item but the first: where it says no, the others are left
 * @returns the results, in the order of the items
 */
export async function sideBySide<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
  goesOn: () => boolean = () => true,
): Promise<R[]> {
  const turns = new Turns()
  const results: R[] = []
  let next = 0
  const one = async (): Promise<void> => {
    for (;;) {
      while (turns.isDue()) await turns.next()
      if (next >= items.length || (next > 0 && !goesOn())) return
      const index = next++
      results[index] = await work(items[index] as T, index)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  return results
}
