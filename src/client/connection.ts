import type { Socket } from 'node:net'
import { MyKafkaError } from '../errors.js'
import { FrameDecoder } from '../wire/frame-decoder.js'

/** A response holds at most what was asked for or one record; what claims more is no frame. */
export const MAX_RESPONSE_BYTES = 256 << 20

/** What a response is recognised by: that is the only thing in which the two wires differ here. */
export interface ResponseKeys {
  /** What the response (without its length prefix) bears: what its request was sent under. */
  keyOf(frame: Buffer): number
  /** What to call a response that was not asked for. */
  nameOf(key: number): string
}

/** A request, as far as its answer has to be told from others. */
export interface SentRequest {
  readonly key: number
  /** For messages. */
  readonly name: string
}

interface Pending extends SentRequest {
  readonly decode: (frame: Buffer) => unknown
  readonly sentAt: number
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/**
 * A connection over which requests go out as they come and answers come back in the same order.
 *
 * It lives until the first thing goes wrong. Then every request in flight is rejected, once: the one that the fault
 * concerns with that fault, the others with CONNECTION_CLOSED.
 */
export class ClientConnection {
  readonly #socket: Socket
  readonly #keys: ResponseKeys
  readonly #timeoutMs: number
  readonly #decoder = new FrameDecoder(MAX_RESPONSE_BYTES)
  readonly #closed: Promise<void>
  #pending: Pending[] = []
  /** Where in #pending the oldest unanswered request is. */
  #head = 0
  #unsent: Buffer[] = []
  #timer: NodeJS.Timeout | null = null
  #failure: MyKafkaError | null = null

  constructor(socket: Socket, requestTimeoutMs: number, keys: ResponseKeys) {
    this.#socket = socket
    this.#keys = keys
    this.#timeoutMs = requestTimeoutMs
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()))
    socket.on('data', (chunk) => this.#receive(chunk))
    socket.on('error', (error: NodeJS.ErrnoException) => this.#fail(closedBy(error.message, error), false))
    socket.on('end', () => this.#fail(closedBy('the broker closed it'), false))
    socket.on('close', () => this.#fail(closedBy('the socket closed'), false))
  }

  get closed(): boolean {
    return this.#failure !== null
  }

  /**
   * Sends a frame; resolves with what `decode` makes of the answer. What `decode` throws rejects this request only,
   * INVALID_RESPONSE excepted: behind that nothing can be trusted.
   */
  request<T>({ key, name }: SentRequest, frame: Buffer, decode: (frame: Buffer) => T): Promise<T> {
    if (this.#failure !== null) return Promise.reject(closedBy(this.#failure.message, this.#failure))
    return new Promise<T>((resolve, reject) => {
      this.#pending.push({ key, name, decode, sentAt: performance.now(), resolve, reject })
      this.#unsent.push(frame)
      if (this.#unsent.length === 1) process.nextTick(() => this.#send())
      this.#timer ??= setTimeout(() => this.#checkTimeout(), this.#timeoutMs).unref()
    })
  }

  /** Rejects what is in flight and closes. Resolves when the socket is gone. */
  close(): Promise<void> {
    this.#fail(new MyKafkaError('CONNECTION_CLOSED', 'the client was closed'), false)
    return this.#closed
  }

  /** What was asked for in one turn of the loop goes out in one system call. */
  #send(): void {
    const frames = this.#unsent
    this.#unsent = []
    if (this.#failure !== null) return
    this.#socket.cork()
    for (const frame of frames) this.#socket.write(frame)
    this.#socket.uncork()
  }

  #receive(chunk: Buffer): void {
    this.#decoder.push(chunk)
    try {
      for (let frame = this.#decoder.next(); frame !== null; frame = this.#decoder.next()) this.#answer(frame)
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
    this.#socket.destroy()
    const rejected = this.#pending.slice(this.#head)
    this.#pending = []
    this.#head = 0
    this.#unsent = []
    rejected.forEach((request, i) => {
      const itself = (i === 0 && concernsOldest) || failure.code === 'CONNECTION_CLOSED'
      request.reject(itself ? failure : closedBy(failure.message, failure))
    })
  }
}

function closedBy(reason: string, cause?: NodeJS.ErrnoException | MyKafkaError): MyKafkaError {
  const bySystem = cause !== undefined && !(cause instanceof MyKafkaError)
  return new MyKafkaError('CONNECTION_CLOSED', `the connection is closed: ${reason}`, {
    cause,
    errno: bySystem ? cause.code : undefined,
    syscall: bySystem ? cause.syscall : undefined,
  })
}
