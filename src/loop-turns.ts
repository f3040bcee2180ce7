const LONGEST_MS = 2

/** Who goes on in a later turn of the event loop. */
const waiting: (() => void)[] = []

/**
 * Resolves in a later turn. One of all who wait goes on in each: however many large requests there are, the small ones
 * between two turns wait for one piece of one of them.
 */
export function laterTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(goOnWithOne)
  })
}

function goOnWithOne(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(goOnWithOne)
}

/** Lets the event loop turn now and then while something goes through thousands of things: requests do not wait for its end. */
export class LoopTurns {
  #since = performance.now()

  /** Resolves at once, or in a later turn where the last one was some time ago. */
  async next(): Promise<void> {
    if (performance.now() - this.#since < LONGEST_MS) return
    await laterTurn()
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
  do await laterTurn()
  while (!step())
}
