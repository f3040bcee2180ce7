/** How much a consumer holds of what it has not handed out yet, what is on its way included. */
export class PrefetchBudget {
  readonly limit: number
  #held = 0
  #peak = 0

  /** @param limit - in bytes */
  constructor(limit: number) {
    this.limit = limit
  }

  get held(): number {
    return this.#held
  }

  /** The most that was ever held. */
  get peak(): number {
    return this.#peak
  }

  /** Sets bytes aside, where there is room for them, or where nothing is held at all. */
  reserve(bytes: number): boolean {
    if (this.#held > 0 && this.#held + bytes > this.limit) return false
    this.hold(bytes)
    return true
  }

  /** Counts bytes that are here, whatever the room. */
  hold(bytes: number): void {
    this.#held += bytes
    this.#peak = Math.max(this.#peak, this.#held)
  }

  release(bytes: number): void {
    this.#held -= bytes
  }
}
