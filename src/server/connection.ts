import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import { FrameDecoder } from '../wire/frame-decoder.js'
import { detectWire, type Wire } from '../wire/wire-detection.js'
import type { AdvertisedListener } from './listeners.js'
import type { RequestPeer, RequestRouter, RoutedResponse } from './request-router.js'
import { ResponseQueue, type ResponseQueueOptions, type ResponseSlot } from './response-queue.js'
import { descriptorOf } from './socket-descriptor.js'

export interface ConnectionOptions {
  logger: Logger
  routers: Readonly<Record<Wire, RequestRouter>>
  /** `socket.request.max.bytes` */
  maxFrameBytes: number
  /** Where a client of this connection finds the broker again. */
  listener: AdvertisedListener
  responses: Omit<ResponseQueueOptions, 'onRelief' | 'onStalled' | 'onFailed'>
}

/** How long a peer may take to close its side behind a stop. */
const LINGER_MS = 500
/**
 * So many fetches of one connection read from the disk side by side: more than there are threads for it, and not so
 * many that the files of those which wait for their turn are all that can be open.
 */
const FETCHES_AT_ONCE = 16
/** So much of a frame has to be missing for taking it past Node's chunks to pay. */
const LARGE_REST = 32 << 10
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
  readonly #peer: RequestPeer
  readonly #decoder: FrameDecoder
  readonly #responses: ResponseQueue
  /** Aborted when nobody waits for answers: then none waits for records either. */
  readonly #interest = new AbortController()
  /** Null until the wire is known. */
  #router: RequestRouter | null = null
  #greeting: Buffer = Buffer.alloc(0)
  /** A frame that waits for the requests before it. */
  #held: Buffer | null = null
  #kind = -1
  #inFlight = 0
  /** Of the requests under way: they are in memory until they are answered. */
  #bytesInFlight = 0
  #ended = false
  /** Reads nothing for now, or nothing any more. */
  #waits = false
  #stopping = false
  /** What came last cannot be answered: the connection ends behind the answers before it. */
  #refused = false
  #lastActivity = Date.now()

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.peer = `${socket.remoteAddress}:${socket.remotePort}`
    const { listener, maxFrameBytes } = options
    this.#peer = { host: socket.remoteAddress ?? '', listener, signal: this.#interest.signal }
    // Every request that waits listens to it.
    setMaxListeners(0, this.#interest.signal)
    this.#decoder = new FrameDecoder(maxFrameBytes)
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
      this.#interest.abort()
      this.#pump()
    })
    socket.on('close', () => this.#interest.abort())
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
    this.#interest.abort()
    this.#endAndLinger()
    this.#pump()
  }

  destroy(reason: string): void {
    this.#options.logger.debug({ peer: this.peer, reason }, 'closing a connection')
    this.#responses.destroy()
  }

  /** Once the last answer is sent, the peer may close its side for a while. */
  #endAndLinger(): void {
    this.#socket.once('finish', () => {
      // What still comes is dropped, so that the end of a peer that answers ours is seen.
      this.#socket.resume()
      // The peer has its responses and sees the end; it need not answer it.
      setTimeout(() => this.#responses.destroy(), LINGER_MS).unref()
    })
  }

  #received(chunk: Buffer): void {
    if (this.#stopping || this.#refused) return
    this.#lastActivity = Date.now()
    if (this.#router === null && !this.#detect(chunk)) return
    this.#decoder.push(chunk)
    this.#pump()
    this.#receiveOn()
  }

  /** Takes the rest of a large frame straight to its place: by way of the socket's chunks it would be copied. */
  #receiveOn(): void {
    for (;;) {
      // What a pause left with Node comes before what the system still has.
      if (this.#socket.readableLength > 0) return
      const descriptor = descriptorOf(this.#socket)
      const room = descriptor < 0 || this.#waits ? null : this.#decoder.room(LARGE_REST)
      if (room === null) return
      const bytes = native.receiveInto(descriptor, room.into, room.start)
      if (bytes === 0) return
      this.#decoder.filled(bytes)
      this.#pump()
    }
  }

  /** Finds out which wire the connection speaks. Returns false where it speaks none, and is closed. */
  #detect(chunk: Buffer): boolean {
    // The bytes themselves go to the decoder as they come; this is a copy of the first few.
    if (this.#greeting.length < DETECTION_BYTES) {
      this.#greeting = Buffer.concat([this.#greeting, chunk.subarray(0, DETECTION_BYTES)])
    }
    const wire = detectWire(this.#greeting, this.#options.maxFrameBytes)
    if (wire === 'mykafka' || wire === 'kafka') {
      this.#router = this.#options.routers[wire]
      return true
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
      while (!this.#stopping && !this.#refused && !this.#full) {
        const frame = this.#held ?? this.#decoder.next()
        if (frame === null || this.#router === null) break
        const kind = this.#router.kindOf(frame)
        if (this.#inFlight > 0 && kind !== this.#kind) {
          this.#held = frame
          break
        }
        this.#held = null
        this.#kind = kind
        this.#dispatch(frame, this.#router)
      }
    } catch (error) {
      this.#refuse((error as Error).message)
      return
    }
    this.#steer()
  }

  /** Whether the peer has to wait: enough of its requests or of the answers to them are in memory, or keep files open. */
  get #full(): boolean {
    if (this.#kind === this.#router?.fetchKind && this.#inFlight >= FETCHES_AT_ONCE) return true
    return this.#bytesInFlight > this.#options.responses.maxBytesHeld || this.#responses.full
  }

  /** Reads on, or waits; ends where nothing more is to come. */
  #steer(): void {
    const waiting = this.#held !== null || this.#full
    const ending = this.#stopping || this.#refused
    this.#waits = waiting || ending
    if (this.#waits) this.#socket.pause()
    else this.#socket.resume()
    if ((ending || (this.#ended && !waiting)) && this.#inFlight === 0) this.#responses.end()
  }

  #dispatch(frame: Buffer, router: RequestRouter): void {
    const slot = this.#responses.reserve()
    let response: RoutedResponse | Promise<RoutedResponse>
    try {
      response = router.route(frame, this.#peer)
    } catch (error) {
      this.#cannotGoOn(slot, error)
      return
    }
    if (!(response instanceof Promise)) {
      answer(slot, response)
      return
    }
    const bytes = frame.length
    this.#inFlight++
    this.#bytesInFlight += bytes
    response.then(
      (routed) => this.#settled(bytes, () => answer(slot, routed)),
      (error: unknown) => this.#settled(bytes, () => this.#cannotGoOn(slot, error)),
    )
  }

  #settled(bytes: number, finish: () => void): void {
    const wasFull = this.#full
    this.#inFlight--
    this.#bytesInFlight -= bytes
    this.#lastActivity = Date.now()
    finish()
    if (this.#inFlight === 0 || this.#stopping || wasFull) this.#pump()
  }

  /** Answers what came before, then ends: Kafka's clients wait for no answer behind a request that has none. */
  #cannotGoOn(slot: ResponseSlot, error: unknown): void {
    slot.drop()
    if (this.#refused) return
    this.#options.logger.warn({ peer: this.peer, err: error }, `closing a connection: ${(error as Error).message}`)
    this.#refused = true
    this.#held = null
    this.#interest.abort()
    this.#endAndLinger()
  }
}

function answer(slot: ResponseSlot, response: RoutedResponse): void {
  if (response === null) slot.drop()
  else slot.fill(response)
}
