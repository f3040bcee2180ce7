import { performance } from 'node:perf_hooks'

/** Where the time comes from. */
export interface TimeSource {
  /** The system's clock, which may be set: milliseconds since 1970. */
  now(): number
  /** Milliseconds that have passed since some moment; nobody sets it. */
  elapsed(): number
}

export const SYSTEM_TIME: TimeSource = { now: () => Date.now(), elapsed: () => performance.now() }

/** So far the clock may get ahead of the time that has passed until it counts as set. */
export const JUMP_MS = 300_000
/** So long a clock that was set forward has to go on like that until records are deleted by it. */
export const BELIEVED_AFTER_MS = 3_600_000

/**
 * The time that whatever is deleted by its age goes by: the system's, but for the first hour behind a jump forward, in which it goes on as if
 * there had been none. A clock that is set wrong would delete everything at once. One that is set back deletes nothing
 * early: by it, everything is younger.
 */
export class RetentionClock {
  readonly #source: TimeSource
  #clock: number
  #elapsed: number
  #aheadSince: number | null = null

  constructor(source: TimeSource = SYSTEM_TIME) {
    this.#source = source
    this.#clock = source.now()
    this.#elapsed = source.elapsed()
  }

  /** Whether the clock has jumped forward, and is not believed yet. */
  get isHeld(): boolean {
    return this.#aheadSince !== null
  }

  /** Milliseconds since 1970. Asked now and then, it sees jumps between two times. */
  now(): number {
    const clock = this.#source.now()
    const elapsed = this.#source.elapsed()
    const expected = this.#clock + Math.max(0, elapsed - this.#elapsed)
    if (clock - expected > JUMP_MS) {
      this.#aheadSince ??= elapsed
      if (elapsed - this.#aheadSince < BELIEVED_AFTER_MS) return expected
    }
    this.#aheadSince = null
    this.#clock = clock
    this.#elapsed = elapsed
    return clock
  }
}

/** One for what has no clock of its own, so that a jump counts once. */
const shared = new RetentionClock()

/** The system's time, as a {@link RetentionClock} has it. */
export function retentionNow(): number {
  return shared.now()
}
