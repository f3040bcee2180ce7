import { setMaxListeners } from 'node:events'
import { asMyKafkaError, MyKafkaError } from '../errors.js'
import { gatherResponse } from './gather-response.js'
import type { RequestPeer, RequestRouter, RoutedResponse } from './request-router.js'

/** What there is of an answer's frame that is not in the frame. */
const LENGTH_PREFIX = 4
/** As many fetches as a connection over a socket has under way. */
const FETCHES_AT_ONCE = 16
/** What clients in this process are to the handlers. */
const HERE = { host: '127.0.0.1', listener: { name: 'INTERNAL', host: '127.0.0.1', port: 0 } }

/** Whom a local connection tells. */
export interface LocalConnectionEvents {
  /** A response without its length; in the order of the requests. */
  received(frame: Buffer): void
  /** Nothing is answered any more. */
  failed(error: MyKafkaError, concernsOldest: boolean): void
}

/** One request's place in the order. */
interface Slot {
  frame: Buffer | null
}

/**
 * One client in this process, in the manner of {@link Connection}: requests of one kind run side by side, one of
 * another kind waits for those before it, and responses come in the order of the requests.
 */
export class LocalConnection {
  readonly #router: RequestRouter
  readonly #events: LocalConnectionEvents
  readonly #peer: RequestPeer
  /** Aborted when nobody waits for answers: then none waits for records either. */
  readonly #interest = new AbortController()
  #waiting: Buffer[] = []
  #slots: Slot[] = []
  #kind = -1
  #inFlight = 0
  #closed = false
  #idle: (() => void)[] = []

  constructor(router: RequestRouter, events: LocalConnectionEvents) {
    this.#router = router
    this.#events = events
    this.#peer = { ...HERE, signal: this.#interest.signal }
    // Every request that waits listens to it.
    setMaxListeners(0, this.#interest.signal)
  }

  /** Takes a request, without its length. Its bytes belong to the connection from now on. */
  send(frame: Buffer): void {
    if (this.#closed) return
    this.#waiting.push(frame)
    this.#pump()
  }

  /** Takes nothing more, and answers nothing more. What is under way comes to its end all the same: see `idle`. */
  close(): void {
    this.#closed = true
    this.#waiting = []
    this.#slots = []
    this.#interest.abort()
  }

  /** Whether it is closed, and nothing is under way. */
  get gone(): boolean {
    return this.#closed && this.#inFlight === 0
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    return this.#inFlight === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve))
  }

  #pump(): void {
    for (;;) {
      const frame = this.#waiting[0]
      if (frame === undefined) return
      const kind = this.#router.kindOf(frame)
      if (this.#inFlight > 0) {
        if (kind !== this.#kind) return
        if (kind === this.#router.fetchKind && this.#inFlight >= FETCHES_AT_ONCE) return
      }
      this.#waiting.shift()
      this.#kind = kind
      this.#dispatch(frame)
    }
  }

  #dispatch(frame: Buffer): void {
    const slot: Slot = { frame: null }
    this.#slots.push(slot)
    try {
      const routed = this.#router.route(frame, this.#peer)
      const answer = routed instanceof Promise ? routed.then(frameOf) : frameOf(routed)
      if (answer instanceof Promise) this.#await(slot, answer)
      else this.#fill(slot, answer)
    } catch (error) {
      this.#fail(error)
    }
  }

  #await(slot: Slot, answer: Promise<Buffer>): void {
    this.#inFlight++
    answer.then(
      (frame) => this.#settled(() => this.#fill(slot, frame)),
      (error: unknown) => this.#settled(() => this.#fail(error)),
    )
  }

  #settled(finish: () => void): void {
    this.#inFlight--
    finish()
    this.#pump()
    if (this.#inFlight > 0) return
    const idle = this.#idle
    this.#idle = []
    for (const wake of idle) wake()
  }

  #fill(slot: Slot, frame: Buffer): void {
    slot.frame = frame
    for (let next = this.#slots[0]; next?.frame; next = this.#slots[0]) {
      this.#slots.shift()
      this.#events.received(next.frame)
    }
  }

  #fail(error: unknown): void {
    if (this.#closed) return
    this.close()
    this.#events.failed(asMyKafkaError(error), true)
  }
}

function frameOf(routed: RoutedResponse): Buffer | Promise<Buffer> {
  if (routed === null)
    throw new MyKafkaError('INVALID_REQUEST', 'a request without an answer has nobody to wait for it')
  const response = gatherResponse(routed)
  return response instanceof Promise ? response.then(withoutLength) : withoutLength(response)
}

function withoutLength(response: Buffer): Buffer {
  return response.subarray(LENGTH_PREFIX)
}
