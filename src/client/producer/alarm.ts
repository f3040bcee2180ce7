import { MAX_TIMER } from '../options.js'

/**
 * One timer for many terms. It is set anew only where it has to ring sooner, so it may ring early: whoever hears it
 * looks at the clock. While it rests it keeps no process alive.
 */
export class Alarm {
  readonly #ring: () => void
  #timer: NodeJS.Timeout | null = null
  #time = 0

  constructor(ring: () => void) {
    this.#ring = ring
  }

  /** Rings at this time of performance.now(), or before it. */
  by(time: number, now: number): void {
    if (this.#timer !== null) {
      if (this.#time <= time) {
        this.#timer.ref()
        return
      }
      clearTimeout(this.#timer)
    }
    this.#time = time
    const delay = Math.min(Math.max(Math.ceil(time - now), 1), MAX_TIMER)
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#ring()
    }, delay)
  }

  /** There is nothing to ring for. */
  rest(): void {
    this.#timer?.unref()
  }

  clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }
}
