/** What a connection may take of the event loop at once, where its requests are there and are answered at once. */
const SHARE_MS = 2

/**
 * Shares the event loop between connections: one that has more requests than it can answer in a moment goes on behind
 * the others, and of those that wait so, one has its share in each turn of the loop.
 */
export class LoopShares {
  #waiting: (() => void)[] = []
  #scheduled = false

  /** The moment from which a share counts. */
  begin(): number {
    return performance.now()
  }

  isUsedUp(begin: number): boolean {
    return performance.now() - begin > SHARE_MS
  }

  /** Calls it in a later turn. */
  later(run: () => void): void {
    this.#waiting.push(run)
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(this.#turn)
  }

  readonly #turn = (): void => {
    this.#scheduled = false
    const begin = this.begin()
    let next = 0
    try {
      while (next < this.#waiting.length && !this.isUsedUp(begin)) (this.#waiting[next++] as () => void)()
    } finally {
      this.#waiting = this.#waiting.slice(next)
      if (this.#waiting.length > 0 && !this.#scheduled) {
        this.#scheduled = true
        setImmediate(this.#turn)
      }
    }
  }
}
