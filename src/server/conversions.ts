import type { RequestPeer } from './request-router.js'
import type { SharedBudget } from './shared-budget.js'

/** What is read and converted for an answer at once, and what while memory for responses is used up. */
const MOST_BYTES = 4 << 20
const FEWEST_BYTES = 64 << 10
/** So many go on at once: each has what it reads and what it makes of it in memory. */
const AT_ONCE = 4
/** Who waits for others to take what they have been answered looks again so often. */
const LOOK_MS = 20

interface Waiting {
  readonly peer: RequestPeer
  begin(): void
}

/**
 * Answers that are made in memory, of records of the other format: a few at once, and while memory for responses is used
 * up none for a client that has answers in memory which it does not take.
 */
export class Conversions {
  readonly #responses: SharedBudget
  readonly #converting = new Map<RequestPeer, number>()
  #waiting: Waiting[] = []
  #running = 0
  #timer: NodeJS.Timeout | null = null

  constructor(responses: SharedBudget) {
    this.#responses = responses
  }

  /** @param work - gives so many bytes at the most, or one record */
  async run<T>(peer: RequestPeer, work: (maxBytes: number) => Promise<T>): Promise<T> {
    if (!this.#mayBegin(peer)) await this.#wait(peer)
    this.#running++
    this.#converting.set(peer, (this.#converting.get(peer) ?? 0) + 1)
    try {
      // For one who is gone, as little as there is.
      if (peer.signal.aborted) return await work(1)
      return await work(this.#responses.exhausted ? FEWEST_BYTES : MOST_BYTES)
    } finally {
      this.#running--
      const left = (this.#converting.get(peer) as number) - 1
      if (left > 0) this.#converting.set(peer, left)
      else this.#converting.delete(peer)
      // Behind what was made: its answer is in memory then.
      if (this.#waiting.length > 0) setImmediate(() => this.#beginNext())
    }
  }

  #mayBegin(peer: RequestPeer): boolean {
    if (this.#running >= AT_ONCE) return false
    if (peer.signal.aborted) return true
    if (!this.#responses.exhausted) return true
    return !this.#converting.has(peer) && (peer.responseBytes?.() ?? 0) === 0
  }

  #wait(peer: RequestPeer): Promise<void> {
    this.#timer ??= setInterval(() => this.#beginNext(), LOOK_MS).unref()
    return new Promise((resolve) => this.#waiting.push({ peer, begin: resolve }))
  }

  /** One of those that may: what it takes counts before the next is looked at. */
  #beginNext(): void {
    const at = this.#waiting.findIndex(({ peer }) => this.#mayBegin(peer))
    if (at >= 0) {
      const [next] = this.#waiting.splice(at, 1)
      next?.begin()
      if (this.#running + 1 < AT_ONCE && this.#waiting.length > 0) setImmediate(() => this.#beginNext())
    }
    if (this.#waiting.length > 0) return
    clearInterval(this.#timer ?? undefined)
    this.#timer = null
  }
}
