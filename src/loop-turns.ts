import { setImmediate as turn } from 'node:timers/promises'

const LONGEST_MS = 2

/** Lets the event loop turn now and then while something goes through thousands of logs: requests do not wait for its end. */
export class LoopTurns {
  #since = performance.now()

  /** Resolves at once, or behind a turn where the last one was some time ago. */
  async next(): Promise<void> {
    if (performance.now() - this.#since < LONGEST_MS) return
    await turn()
    this.#since = performance.now()
  }
}

/**
 * Does something step by step; the event loop turns between two of them. At once where there is one step only.
 *
 * @param step - returns whether it was the last
 */
export function inSteps(step: () => boolean): undefined | Promise<void> {
  return step() ? undefined : goOn(step)
}

async function goOn(step: () => boolean): Promise<void> {
  do await turn()
  while (!step())
}
