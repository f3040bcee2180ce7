/** The longest that Node's timers can wait. */
const MAX_DELAY_MS = 0x7fffffff

/** The timers of one group: a session for each member, and the two phases of a rebalance. None keeps the process. */
export class GroupTimers {
  readonly #sessions = new Map<string, NodeJS.Timeout>()
  #join: NodeJS.Timeout | undefined
  #sync: NodeJS.Timeout | undefined
  #ended = false

  /** Starts a member's session anew. */
  startSession(memberId: string, delayMs: number, expired: () => void): void {
    clearTimeout(this.#sessions.get(memberId))
    const run = (): void => {
      this.#sessions.delete(memberId)
      expired()
    }
    const session = this.#after(delayMs, run)
    if (session !== undefined) this.#sessions.set(memberId, session)
  }

  endSession(memberId: string): void {
    clearTimeout(this.#sessions.get(memberId))
    this.#sessions.delete(memberId)
  }

  /** Until when members may join. */
  startJoin(delayMs: number, expired: () => void): void {
    clearTimeout(this.#join)
    this.#join = this.#after(delayMs, expired)
  }

  endJoin(): void {
    clearTimeout(this.#join)
  }

  /** Until when members may ask for their assignment. */
  startSync(delayMs: number, expired: () => void): void {
    clearTimeout(this.#sync)
    this.#sync = this.#after(delayMs, expired)
  }

  endSync(): void {
    clearTimeout(this.#sync)
  }

  /** Ends all of them, for ever. */
  endAll(): void {
    this.#ended = true
    for (const session of this.#sessions.values()) clearTimeout(session)
    this.#sessions.clear()
    this.endJoin()
    this.endSync()
  }

  #after(delayMs: number, run: () => void): NodeJS.Timeout | undefined {
    if (this.#ended) return undefined
    return setTimeout(run, Math.min(Math.max(delayMs, 0), MAX_DELAY_MS)).unref()
  }
}
