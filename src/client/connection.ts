import { MyKafkaError } from '../errors.js'
import type { Channel, Link, LinkEvents, SentRequest } from './channel.js'
import { abortable, abortError } from './retrying.js'

/** What a response is recognised by: that is the only thing in which the two wires differ here. */
export interface ResponseKeys {
  /** What the response (without its length prefix) bears: what its request was sent under. */
  keyOf(frame: Buffer): number
  /** What to call a response that was not asked for. */
  nameOf(key: number): string
}

interface Pending extends SentRequest {
  readonly decode: (frame: Buffer) => unknown
  readonly sentAt: number
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** What was closed on purpose is told as that. */
const CLOSED_HERE: ReadonlySet<string> = new Set(['CONNECTION_CLOSED', 'CLIENT_CLOSED'])

/**
 * A connection over which requests go out as they come and answers come back in the same order.
 *
 * It lives until the first thing goes wrong. Then every request in flight is rejected, once: the one that the fault
 * concerns with that fault, the others with CONNECTION_CLOSED.
 */
export class ClientConnection implements Channel {
  readonly #link: Link
  readonly #keys: ResponseKeys
  readonly #timeoutMs: number
  #pending: Pending[] = []
  /** Where in #pending the oldest unanswered request is. */
  #head = 0
  #unsent: Buffer[] = []
  #timer: NodeJS.Timeout | null = null
  #failure: MyKafkaError | null = null

  constructor(open: (events: LinkEvents) => Link, requestTimeoutMs: number, keys: ResponseKeys) {
    this.#keys = keys
    this.#timeoutMs = requestTimeoutMs
    this.#link = open({
      received: (frame) => this.#received(frame),
      failed: (error, concernsOldest) => this.#fail(error, concernsOldest),
    })
    this.#link.keepAlive(false)
  }

  get closed(): boolean {
    return this.#failure !== null
  }

  /**
   * Sends a frame; resolves with what `decode` makes of the answer. What `decode` throws rejects this request only,
   * INVALID_RESPONSE excepted: behind that nothing can be trusted.
   */
  request<T>(
    { key, name }: SentRequest,
    frame: Buffer,
    decode: (frame: Buffer) => T,
    signal?: AbortSignal,
  ): Promise<T> {
    if (signal?.aborted === true) return Promise.reject(abortError(signal, `${name} was aborted`))
    if (this.#failure !== null) return Promise.reject(closedBy(this.#failure))
    if (this.#pending.length === 0) this.#link.keepAlive(true)
    const answer = new Promise<T>((resolve, reject) => {
      this.#pending.push({ key, name, decode, sentAt: performance.now(), resolve, reject })
      this.#unsent.push(frame)
      if (this.#unsent.length === 1) process.nextTick(() => this.#send())
      this.#timer ??= setTimeout(() => this.#checkTimeout(), this.#timeoutMs).unref()
    })
    return abortable(answer, signal, `${name} was aborted`)
  }

  /** Rejects what is in flight and closes. Resolves when the link is gone. */
  close(reason = new MyKafkaError('CONNECTION_CLOSED', 'the client was closed')): Promise<void> {
    this.#fail(reason, false)
    return this.#link.gone
  }

  /** What was asked for in one turn of the loop goes out in one system call. */
  #send(): void {
    const frames = this.#unsent
    this.#unsent = []
    if (this.#failure === null) this.#link.send(frames)
  }

  #received(frame: Buffer): void {
    try {
      this.#answer(frame)
    } catch (error) {
      this.#fail(error as MyKafkaError, true)
    }
  }

  #answer(frame: Buffer): void {
    const request = this.#pending[this.#head]
    const key = this.#keys.keyOf(frame)
    if (request === undefined) {
      const answered = this.#keys.nameOf(key)
      throw new MyKafkaError('INVALID_RESPONSE', `the broker answered ${answered}, which was not asked`)
    }
    if (key !== request.key) {
      const [answered, asked] = [this.#keys.nameOf(key), this.#keys.nameOf(request.key)]
      throw new MyKafkaError('INVALID_RESPONSE', `the broker answered ${answered} where ${asked} was asked`)
    }
    let value: unknown
    try {
      value = request.decode(frame)
    } catch (error) {
      if (error instanceof MyKafkaError && error.code === 'INVALID_RESPONSE') throw error
      this.#shift()
      request.reject(error)
      return
    }
    this.#shift()
    request.resolve(value as never)
  }

  #shift(): void {
    this.#head++
    if (this.#head === this.#pending.length) {
      this.#pending = []
      this.#head = 0
      this.#link.keepAlive(false)
    } else if (this.#head >= 1024 && this.#head * 2 >= this.#pending.length) {
      this.#pending = this.#pending.slice(this.#head)
      this.#head = 0
    }
  }

  /** One timer for all: it looks at the oldest request only. */
  #checkTimeout(): void {
    this.#timer = null
    const oldest = this.#pending[this.#head]
    if (oldest === undefined) return
    const left = oldest.sentAt + this.#timeoutMs - performance.now()
    if (left > 0) {
      this.#timer = setTimeout(() => this.#checkTimeout(), Math.ceil(left)).unref()
      return
    }
    const what = `${oldest.name} was not answered in ${this.#timeoutMs} ms`
    this.#fail(new MyKafkaError('REQUEST_TIMED_OUT', what), true)
  }

  #fail(failure: MyKafkaError, concernsOldest: boolean): void {
    if (this.#failure !== null) return
    this.#failure = failure
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#link.destroy()
    const rejected = this.#pending.slice(this.#head)
    this.#pending = []
    this.#head = 0
    this.#unsent = []
    rejected.forEach((request, i) => {
      const itself = (i === 0 && concernsOldest) || CLOSED_HERE.has(failure.code)
      request.reject(itself ? failure : closedBy(failure))
    })
  }
}

function closedBy(cause: MyKafkaError): MyKafkaError {
  if (cause.code === 'CLIENT_CLOSED') return cause
  if (cause.code === 'CONNECTION_CLOSED') return new MyKafkaError('CONNECTION_CLOSED', cause.message, { cause })
  return new MyKafkaError('CONNECTION_CLOSED', `the connection is closed: ${cause.message}`, { cause })
}
