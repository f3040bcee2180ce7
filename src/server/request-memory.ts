/** Whose requests are in memory: a connection. */
export interface RequestHolder {
  /** Of the frame that is coming: bytes that are not here yet; 0 where none is begun. */
  readonly bytesMissing: number
  /** All that ever came. */
  readonly bytesReceived: number
  /** Reads on, where it waited for memory. */
  readOn(): void
  /** Ends: its request does not come on, and others wait for the memory. */
  dropForMemory(): void
}

/** What a connection holds below this does not count: it may always have one small request. */
const UNCOUNTED_BYTES = 64 << 10
/** Below this part of the limit those who wait read on, so that they do not flap at the limit. */
const RELIEF = 0.75
/** Those who read on together get some of the room each. */
const ROOM_EACH = 1 << 20
/**
 * A request that is let in beyond the limit brings so much in this time, or the next one has its turn; one that has had so
 * many for nothing goes.
 */
const CHECK_MS = 100
const LEAST_BYTES = 16 << 10
const MOST_IDLE_TURNS = 10
/** Where requests hold so many times the limit: whole ones let no other in, and of half ones those go that lack most. */
const HARD_LIMIT = 2

/**
 * `queued.max.request.bytes`: the bytes of requests that all connections together have in memory, whole or not. At the
 * limit, connections that hold a part of it read no further; small requests still come in. So that those who begin
 * large ones and do not end them keep nobody out, one at a time is let in beyond the limit, that with the least missing,
 * and goes where it does not come on.
 */
export class RequestMemory {
  readonly limit: number
  readonly #held = new Map<RequestHolder, number>()
  readonly #waiting = new Set<RequestHolder>()
  #total = 0
  #letIn: RequestHolder | null = null
  /** What it had received at the last check. */
  #received = 0
  /** Of the request that is coming: its turns for nothing. */
  readonly #idleTurns = new WeakMap<RequestHolder, number>()
  #timer: NodeJS.Timeout | null = null

  constructor(limit: number) {
    this.limit = limit
  }

  /** By all connections. */
  get held(): number {
    return this.#total
  }

  /** Says how much a connection holds now; 0 at its end. */
  hold(holder: RequestHolder, bytes: number): void {
    const counted = bytes > UNCOUNTED_BYTES ? bytes : 0
    const before = this.#held.get(holder) ?? 0
    if (holder === this.#letIn && holder.bytesMissing === 0) this.#letIn = null
    if (counted === before) return
    this.#total += counted - before
    if (counted === 0) this.#held.delete(holder)
    else this.#held.set(holder, counted)
    // A request came to its end: the turns of the next are its own.
    if (counted < before) this.#idleTurns.delete(holder)
    if (this.#waiting.size > 0 && counted < before) this.#relieve()
  }

  /** Whether a connection may read on. Where not, it is told when it may. */
  mayRead(holder: RequestHolder): boolean {
    if (this.#total < this.limit || holder === this.#letIn || !this.#held.has(holder)) {
      this.#waiting.delete(holder)
      return true
    }
    this.#waiting.add(holder)
    if (this.#timer === null) {
      this.#timer = setInterval(() => this.#check(), CHECK_MS)
      this.#timer.unref()
    }
    return false
  }

  /** Whether it may take at once all that the system has for it. */
  mayReadMuch(holder: RequestHolder): boolean {
    return this.#total < this.limit || holder === this.#letIn
  }

  /** The connection is closed. */
  forget(holder: RequestHolder): void {
    this.#waiting.delete(holder)
    if (holder === this.#letIn) this.#letIn = null
    this.hold(holder, 0)
  }

  #relieve(): void {
    if (this.#letIn === null) this.#letOneIn()
    if (this.#total > this.limit * RELIEF) return
    let readers = Math.ceil((this.limit - this.#total) / ROOM_EACH)
    for (const holder of [...this.#waiting]) {
      if (readers-- === 0) return
      this.#waiting.delete(holder)
      holder.readOn()
    }
  }

  #letOneIn(): void {
    // Requests that are answered at the moment: they come to their end without our doing.
    if (this.#total - this.#stuck() > this.limit * HARD_LIMIT) return
    let next: RequestHolder | null = null
    for (const holder of this.#waiting) {
      if (holder.bytesMissing > 0 && (next === null || holder.bytesMissing < next.bytesMissing)) next = holder
    }
    if (next === null) return
    this.#letIn = next
    this.#received = next.bytesReceived
    this.#waiting.delete(next)
    next.readOn()
  }

  /** What was let in did not come on. */
  #passOver(holder: RequestHolder): void {
    const turns = (this.#idleTurns.get(holder) ?? 0) + 1
    this.#letIn = null
    if (turns === MOST_IDLE_TURNS) {
      holder.dropForMemory()
      return
    }
    this.#idleTurns.set(holder, turns)
    if (this.#waiting.size > 0) this.#letOneIn()
    // Behind the others; one that is alone goes on.
    if (!this.mayRead(holder) && this.#letIn === null) this.#letOneIn()
  }

  /** What half requests hold that wait. */
  #stuck(): number {
    let bytes = 0
    for (const holder of this.#waiting) if (holder.bytesMissing > 0) bytes += this.#held.get(holder) ?? 0
    return bytes
  }

  /** Drops those who wait, those first that lack most, where they hold much more than all may. */
  #dropFarthest(): void {
    let stuck = this.#stuck()
    while (stuck > this.limit * HARD_LIMIT) {
      let farthest: RequestHolder | null = null
      for (const holder of this.#waiting) if (holder.bytesMissing > (farthest?.bytesMissing ?? 0)) farthest = holder
      if (farthest === null) return
      stuck -= this.#held.get(farthest) ?? 0
      farthest.dropForMemory()
    }
  }

  #check(): void {
    this.#dropFarthest()
    const reader = this.#letIn
    if (reader !== null && reader.bytesReceived - this.#received < LEAST_BYTES) this.#passOver(reader)
    else if (reader !== null) this.#received = reader.bytesReceived
    if (this.#waiting.size > 0) this.#relieve()
    if (this.#waiting.size > 0 || this.#letIn !== null) return
    clearInterval(this.#timer ?? undefined)
    this.#timer = null
  }
}
