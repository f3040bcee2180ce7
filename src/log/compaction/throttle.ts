import { setTimeout as sleep } from 'node:timers/promises'

/** Longer is not slept at once, so that a changed clock or a stop is noticed. */
const LONGEST_SLEEP_MS = 1_000
/** What was not used up so long ago does not count any more. */
const WINDOW_MS = 1_000

/** Holds work to so many bytes a second. */
export class Throttle {
  readonly #bytesPerSecond: number
  readonly #now: () => number
  readonly #sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** When all that was done would be done at the rate. */
  #dueMs = 0
  #sleptMs = 0

  /**
   * @param bytesPerSecond - Infinity: no limit
   * @param now - a clock that does not jump, in milliseconds
   */
  constructor(
    bytesPerSecond: number,
    now: () => number = () => performance.now(),
    wait: (ms: number, signal: AbortSignal) => Promise<void> = async (ms, signal) =>
      await sleep(ms, undefined, { signal }),
  ) {
    this.#bytesPerSecond = bytesPerSecond
    this.#now = now
    this.#sleep = wait
  }

  /** How long it has slept, all in all. */
  get sleptMs(): number {
    return this.#sleptMs
  }

  /** What may be done at once, so that a pause is no longer than a second. */
  get budgetBytes(): number {
    return this.#bytesPerSecond
  }

  /**
   * So many bytes were read or written: sleeps until the rate allows for more.
   *
   * @throws the signal's reason
   */
  async spent(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.#bytesPerSecond === Number.POSITIVE_INFINITY) return
    const start = this.#now()
    this.#dueMs = Math.max(this.#dueMs, start - WINDOW_MS) + (bytes / this.#bytesPerSecond) * 1000
    for (let now = start; now < this.#dueMs; now = this.#now()) {
      await this.#sleep(Math.min(this.#dueMs - now, LONGEST_SLEEP_MS), signal)
      this.#sleptMs += this.#now() - now
    }
  }
}
