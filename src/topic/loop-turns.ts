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
