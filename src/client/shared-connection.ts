import type { MyKafkaError } from '../errors.js'
import { abortable, abortError, handled } from './retrying.js'

/** What can be shared: it is gone at some time, and made anew. */
export interface Closable {
  readonly closed: boolean
  close(reason?: MyKafkaError): Promise<void>
}

interface Opening<T> {
  readonly opened: Promise<T>
  readonly controller: AbortController
  waiting: number
}

/**
 * One connection for all who ask. It is made for the first who asks, and anew for the next one when it is gone; who
 * asks meanwhile waits for the same. When nobody waits any more, the attempt ends.
 */
export class SharedConnection<T extends Closable> {
  readonly #open: (signal: AbortSignal) => Promise<T>
  #current: T | null = null
  #opening: Opening<T> | null = null

  constructor(open: (signal: AbortSignal) => Promise<T>) {
    this.#open = open
  }

  /** The connection that is there, if one is. */
  get current(): T | null {
    return this.#current === null || this.#current.closed ? null : this.#current
  }

  async get(signal: AbortSignal): Promise<T> {
    if (signal.aborted) throw abortError(signal)
    if (this.current !== null) return this.current
    const opening = this.#opening ?? this.#start()
    opening.waiting++
    try {
      return await abortable(opening.opened, signal)
    } finally {
      opening.waiting--
      if (opening.waiting === 0) this.#end(opening)
    }
  }

  #start(): Opening<T> {
    const controller = new AbortController()
    const opened = this.#open(controller.signal).then((connection) => {
      // Nobody waits for it: another may be made already.
      if (this.#opening !== opening) return connection.close().then(() => connection)
      this.#current = connection
      return connection
    })
    const opening: Opening<T> = { opened: handled(opened), controller, waiting: 0 }
    this.#opening = opening
    return opening
  }

  #end(opening: Opening<T>): void {
    if (this.#opening === opening) this.#opening = null
    opening.controller.abort()
  }
}
