import type { Socket } from 'node:net'

/** What Node does not declare of a socket: bytes that its handle has not handed to the system yet. */
interface SocketInternals {
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

const CHECKS_PER_TIMEOUT = 4

/**
 * Tells when the system has taken no byte from a socket's buffer for a while. Not `socket.setTimeout`, which
 * counts reads as well.
 */
export class StallTimer {
  readonly #socket: Socket
  readonly #timeoutMs: number
  readonly #onStalled: () => void
  #timer: NodeJS.Timeout | undefined
  #running = false
  #queued = 0
  /** Checks in a row that found nothing moved. */
  #idleChecks = 0

  constructor(socket: Socket, timeoutMs: number, onStalled: () => void) {
    this.#socket = socket
    this.#timeoutMs = timeoutMs
    this.#onStalled = onStalled
  }

  /** Something is under way from now on, or has moved. */
  start(): void {
    this.#running = true
    this.#queued = this.#queueSize()
    this.#idleChecks = 0
    if (this.#timer === undefined) {
      this.#timer = setTimeout(() => this.#check(), this.#timeoutMs / CHECKS_PER_TIMEOUT)
      this.#timer.unref()
    } else {
      this.#timer.refresh()
    }
  }

  stop(): void {
    this.#running = false
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #check(): void {
    if (!this.#running) return
    const queued = this.#queueSize()
    this.#idleChecks = queued === this.#queued ? this.#idleChecks + 1 : 0
    this.#queued = queued
    if (this.#idleChecks === CHECKS_PER_TIMEOUT) this.#onStalled()
    else this.#timer?.refresh()
  }

  #queueSize(): number {
    return (this.#socket as unknown as SocketInternals)._handle?.writeQueueSize ?? this.#socket.writableLength
  }
}
