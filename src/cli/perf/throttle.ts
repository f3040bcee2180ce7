import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

/** Beyond so many records the event loop gets its turn. */
const RECORDS_A_TURN = 500

/** Holds up whoever goes faster than so many records a second. */
export class Throttle {
  readonly #recordsPerSecond: number
  readonly #startedAt = performance.now()

  /** @param recordsPerSecond - Infinity: as fast as it goes */
  constructor(recordsPerSecond: number) {
    this.#recordsPerSecond = recordsPerSecond
  }

  /** Undefined: go on at once. */
  wait(records: number): Promise<unknown> | undefined {
    const due = this.#startedAt + (records / this.#recordsPerSecond) * 1000
    const early = due - performance.now()
    if (early > 1) return sleep(early)
    return records % RECORDS_A_TURN === 0 ? turn() : undefined
  }
}
