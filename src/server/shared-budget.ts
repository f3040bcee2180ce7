/** Below this part of its limit an exhausted budget is open again, so that it does not flap at the limit. */
const RELIEF = 0.75

/**
 * What many connections share: bytes of memory, or files kept open. Taking never fails: who finds it exhausted stops
 * asking for more.
 */
export class SharedBudget {
  readonly limit: number
  readonly #listeners = new Set<() => void>()
  #held = 0
  #exhausted = false

  constructor(limit: number) {
    this.limit = limit
  }

  /** Taken and not given back. */
  get held(): number {
    return this.#held
  }

  /** Whether the limit was reached and not enough has been given back since. */
  get exhausted(): boolean {
    return this.#exhausted
  }

  take(amount: number): void {
    this.#held += amount
    if (this.#held >= this.limit) this.#exhausted = true
  }

  give(amount: number): void {
    this.#held -= amount
    if (!this.#exhausted || this.#held > this.limit * RELIEF) return
    this.#exhausted = false
    for (const listener of [...this.#listeners]) listener()
  }

  /** Calls the listener whenever the budget is open again, until the returned function is called. */
  onRelief(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
