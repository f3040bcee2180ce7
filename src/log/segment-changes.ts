import type { Flusher } from './flusher.js'

/** Those who change the row of a log's segments take turns. */
export class SegmentChanges {
  readonly #flusher: Flusher
  readonly #requireOpen: () => void
  #turn: Promise<unknown> = Promise.resolve()

  constructor(flusher: Flusher, requireOpen: () => void) {
    this.#flusher = flusher
    this.#requireOpen = requireOpen
  }

  /**
   * Runs while nobody else removes, replaces or cuts segments. Syncs go on, and appends that wait for one: it is for
   * what concerns no segment that has anything to be synced.
   *
   * @throws MyKafkaError LOG_CLOSED
   */
  beside<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(() => {
      this.#requireOpen()
      return run()
    })
    this.#turn = result.catch(() => {})
    return result
  }

  /**
   * Runs while nobody else removes, replaces, cuts or syncs segments; appends and reads go on, rolls too. What waits for
   * the disk waits for it: it is to be short.
   *
   * @throws MyKafkaError LOG_CLOSED
   */
  alone<T>(run: () => Promise<T>): Promise<T> {
    return this.beside(() =>
      this.#flusher.exclusive(async () => {
        this.#requireOpen()
        return await run()
      }),
    )
  }
}
