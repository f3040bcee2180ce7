import type { Socket } from 'node:net'
import type { Logger } from '../logger.js'
import { FrameDecoder } from '../wire/frame-decoder.js'
import { API_KEY } from '../wire/mykafka/api-key.js'
import { detectWire, type Wire } from '../wire/wire-detection.js'
import type { AdvertisedListener } from './listeners.js'
import type { MyKafkaRouter } from './mykafka/mykafka-router.js'
import type { ResponsePart } from './response-part.js'
import { ResponseQueue, type ResponseQueueOptions } from './response-queue.js'

export interface ConnectionOptions {
  logger: Logger
  router: MyKafkaRouter
  /** `socket.request.max.bytes` */
  maxFrameBytes: number
  /** Where a client of this connection finds the broker again. */
  listener: AdvertisedListener
  responses: Omit<ResponseQueueOptions, 'onRelief' | 'onStalled' | 'onFailed'>
}

/** How long a peer may take to close its side behind a stop. */
const LINGER_MS = 500
/**
 * So many FETCHes of one connection read from the disk side by side: more than there are threads for it, and not so
 * many that the files of those which wait for their turn are all that can be open.
 */
const FETCHES_AT_ONCE = 16
/** Bytes that are enough to tell the wires apart. */
const DETECTION_BYTES = 7

/**
 * One client's connection: bytes to frames to the router, responses in the order of the requests.
 *
 * Requests of one kind run side by side (so that pipelined PRODUCEs share a write); one of another kind waits for
 * those before it, so that a client sees its own writes.
 */
export class Connection {
  readonly peer: string
  readonly #socket: Socket
  readonly #options: ConnectionOptions
  readonly #decoder: FrameDecoder
  readonly #responses: ResponseQueue
  #wire: Wire | null = null
  #greeting: Buffer = Buffer.alloc(0)
  /** A frame that waits for the requests before it. */
  #held: Buffer | null = null
  #kind = -1
  #inFlight = 0
  /** Of the requests under way: they are in memory until they are answered. */
  #bytesInFlight = 0
  #ended = false
  #stopping = false
  #lastActivity = Date.now()

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.peer = `${socket.remoteAddress}:${socket.remotePort}`
    this.#decoder = new FrameDecoder(options.maxFrameBytes)
    this.#responses = new ResponseQueue(socket, {
      ...options.responses,
      onRelief: () => this.#pump(),
      onFailed: (err) =>
        options.logger.error({ peer: this.peer, err }, 'dropped: a response could not be sent to its end'),
      onStalled: () => options.logger.warn({ peer: this.peer }, 'dropped: the peer does not take its responses'),
    })
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#received(chunk))
    socket.on('end', () => {
      this.#ended = true
      this.#pump()
    })
    socket.on('error', (err) => options.logger.debug({ peer: this.peer, err }, 'a connection failed'))
  }

  /**
   * Since when nothing was under way, in milliseconds since 1970: the last byte that came, or the last time that this
   * was asked while an answer was owed. A peer that was slow to take its answer has its time from the end of it.
   */
  idleSince(): number {
    if (this.#inFlight > 0 || this.#responses.pending > 0) this.#lastActivity = Date.now()
    return this.#lastActivity
  }

  /** Takes no more requests, answers those that are here, then ends. */
  stop(): void {
    this.#stopping = true
    this.#socket.once('finish', () => {
      // What still comes is dropped, so that the end of a peer that answers ours is seen.
      this.#socket.resume()
      // The peer has its responses and sees the end; it need not answer it.
      setTimeout(() => this.#responses.destroy(), LINGER_MS).unref()
    })
    this.#pump()
  }

  destroy(reason: string): void {
    this.#options.logger.debug({ peer: this.peer, reason }, 'closing a connection')
    this.#responses.destroy()
  }

  #received(chunk: Buffer): void {
    if (this.#stopping) return
    this.#lastActivity = Date.now()
    if (this.#wire === null && !this.#detect(chunk)) return
    this.#decoder.push(chunk)
    this.#pump()
  }

  /** Whether the connection speaks MyKafka's wire; closes it where it speaks none or another. */
  #detect(chunk: Buffer): boolean {
    // The bytes themselves go to the decoder as they come; this is a copy of the first few.
    if (this.#greeting.length < DETECTION_BYTES) {
      this.#greeting = Buffer.concat([this.#greeting, chunk.subarray(0, DETECTION_BYTES)])
    }
    const wire = detectWire(this.#greeting, this.#options.maxFrameBytes)
    if (wire === 'mykafka') {
      this.#wire = wire
      return true
    }
    if (wire === 'kafka') {
      this.#refuse("a Kafka client: Kafka's wire is not served yet, only MyKafka's own")
      return false
    }
    // A frame that no wire knows: the decoder may tell what it looks like.
    if (wire === null) return true
    this.#decoder.push(chunk)
    try {
      this.#decoder.next()
      this.#refuse('neither wire: the first frame is of no known protocol')
    } catch (error) {
      this.#refuse((error as Error).message)
    }
    return false
  }

  #refuse(reason: string): void {
    this.#options.logger.warn({ peer: this.peer }, `closing a connection: ${reason}`)
    this.#responses.destroy()
  }

  /** Routes the frames that are here, as far as order and back-pressure allow. */
  #pump(): void {
    if (this.#socket.destroyed) return
    try {
      while (!this.#stopping && !this.#full) {
        const frame = this.#held ?? this.#decoder.next()
        if (frame === null) break
        const kind = frame[0] as number
        if (this.#inFlight > 0 && kind !== this.#kind) {
          this.#held = frame
          break
        }
        this.#held = null
        this.#kind = kind
        this.#dispatch(frame)
      }
    } catch (error) {
      this.#refuse((error as Error).message)
      return
    }
    this.#steer()
  }

  /** Whether the peer has to wait: enough of its requests or of the answers to them are in memory, or keep files open. */
  get #full(): boolean {
    if (this.#kind === API_KEY.FETCH && this.#inFlight >= FETCHES_AT_ONCE) return true
    return this.#bytesInFlight > this.#options.responses.maxBytesHeld || this.#responses.full
  }

  /** Reads on, or waits; ends where nothing more is to come. */
  #steer(): void {
    const waiting = this.#held !== null || this.#full
    if (waiting || this.#stopping) this.#socket.pause()
    else this.#socket.resume()
    if ((this.#stopping || (this.#ended && !waiting)) && this.#inFlight === 0) this.#responses.end()
  }

  #dispatch(frame: Buffer): void {
    const slot = this.#responses.reserve()
    const response = this.#options.router.route(frame)
    if (!(response instanceof Promise)) {
      slot.fill(response)
      return
    }
    this.#inFlight++
    this.#bytesInFlight += frame.length
    void response.then((parts: ResponsePart[]) => {
      const wasFull = this.#full
      this.#inFlight--
      this.#bytesInFlight -= frame.length
      this.#lastActivity = Date.now()
      slot.fill(parts)
      if (this.#inFlight === 0 || this.#stopping || wasFull) this.#pump()
    })
  }
}
