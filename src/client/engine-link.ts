import type { LocalConnection } from '../server/embedded-broker.js'
import { LENGTH_PREFIX } from '../wire/mykafka/frame-writer.js'
import type { Link } from './channel.js'
import { MAX_TIMER } from './options.js'

/** What can be answered at once is, for so long. Then timers and sockets have their turn, whoever asks on and on. */
const TURN_MS = 2

/** Frames to an engine in this process. */
export class EngineLink implements Link {
  readonly #connection: LocalConnection
  /** Nothing else may keep the process alive while an answer is owed. */
  readonly #alive = setInterval(() => {}, MAX_TIMER)

  /** When the first request of this turn of the event loop came, by performance.now(). */
  #turnBegan: number | null = null
  /** They wait for the next turn. */
  #held: Buffer[] = []

  constructor(connection: LocalConnection) {
    this.#connection = connection
  }

  get gone(): Promise<void> {
    return this.#connection.idle()
  }

  send(frames: readonly Buffer[]): void {
    if (this.#isTurnOver()) this.#held.push(...frames)
    else for (const frame of frames) this.#connection.send(frame.subarray(LENGTH_PREFIX))
  }

  keepAlive(whether: boolean): void {
    if (whether) this.#alive.ref()
    else this.#alive.unref()
  }

  destroy(): void {
    clearInterval(this.#alive)
    this.#connection.close()
  }

  #isTurnOver(): boolean {
    if (this.#turnBegan !== null) return this.#held.length > 0 || performance.now() - this.#turnBegan > TURN_MS
    this.#turnBegan = performance.now()
    setImmediate(() => this.#nextTurn())
    return false
  }

  #nextTurn(): void {
    const held = this.#held
    this.#held = []
    this.#turnBegan = null
    if (held.length > 0) this.send(held)
  }
}
