import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import { MyKafkaError } from '../errors.js'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import type { RepeatedFaults } from '../repeated-faults.js'
import { FrameDecoder } from '../wire/frame-decoder.js'
import { FrameError } from '../wire/frame-error.js'
import { detectWire, type Wire } from '../wire/wire-detection.js'
import type { AdvertisedListener } from './listeners.js'
import type { LoopShares } from './loop-shares.js'
import type { RequestHolder, RequestMemory } from './request-memory.js'
import type { RequestPeer, RequestRouter, RoutedResponse } from './request-router.js'
import { ResponseQueue, type ResponseQueueOptions, type ResponseSlot } from './response-queue.js'
import { descriptorOf } from './socket-descriptor.js'

export interface ConnectionOptions {
  logger: Logger
  /** Says what peers do wrong. */
  faults: RepeatedFaults
  routers: Readonly<Record<Wire, RequestRouter>>
  /** `socket.request.max.bytes` */
  maxFrameBytes: number
  /** Where a client of this connection finds the broker again. */
  listener: AdvertisedListener
  /** Shared with the other connections, as are `shares`. */
  requests: RequestMemory
  shares: LoopShares
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
/** What a large request is in memory, decoded, in times of its bytes; but for records, which nobody decodes. */
const DECODED_TIMES = 8
const LARGE_REQUEST = 64 << 10

/**
 * One client's connection: bytes to frames to the router, responses in the order of the requests.
 *
 * Requests of one kind run side by side (so that pipelined PRODUCEs share a write); one of another kind waits for
 * those before it, so that a client sees its own writes.
 */
export class Connection implements RequestHolder {
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
  /** What they take, with what is made of them. */
  #memoryInFlight = 0
  #ended = false
  /** Reads nothing for now, or nothing any more. */
  #waits = false
  #stopping = false
  /** What came last cannot be answered: the connection ends behind the answers before it. */
  #refused = false
  #lastActivity = performance.now()
  #bytesReceived = 0
  /** Has had its share of the event loop's turn and goes on in a later one. */
  #yields = false

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket
    this.#options = options
    this.peer = `${socket.remoteAddress}:${socket.remotePort}`
    const { listener, maxFrameBytes } = options
    this.#peer = {
      host: socket.remoteAddress ?? '',
      listener,
      signal: this.#interest.signal,
      responseBytes: () => this.#responses.bytesHeld,
    }
    // Every request that waits listens to it.
    setMaxListeners(0, this.#interest.signal)
    this.#decoder = new FrameDecoder(maxFrameBytes)
    this.#responses = new ResponseQueue(socket, {
      ...options.responses,
      onRelief: () => this.#pump(),
      onFailed: (err) =>
        options.faults.report(
          'error',
          'responses that could not be sent',
          { peer: this.peer, err },
          'dropped: a response could not be sent to its end',
        ),
      onStalled: () => this.#fault('responses not taken', {}, 'dropped: the peer does not take its responses'),
    })
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#received(chunk))
    socket.on('end', () => {
      this.#ended = true
      this.#interest.abort()
      this.#pump()
    })
    socket.on('close', () => {
      this.#interest.abort()
      options.requests.forget(this)
      this.#countMemory()
    })
    socket.on('error', (err) => options.logger.debug({ peer: this.peer, err }, 'a connection failed'))
  }

  /**
   * Since when nothing was under way, by performance.now(), which nobody sets: the last byte that came, or the last time
   * that this was asked while an answer was owed. A peer that was slow to take its answer has its time from the end of it.
   */
  idleSince(): number {
    if (this.#inFlight > 0 || this.#responses.pending > 0) this.#lastActivity = performance.now()
    return this.#lastActivity
  }

  get bytesReceived(): number {
    return this.#bytesReceived
  }

  /** 0 where it is not for want of memory that nothing is read. */
  get bytesMissing(): number {
    return this.#held === null && !this.#full && !this.#yields ? this.#decoder.bytesMissing : 0
  }

  readOn(): void {
    this.#pump()
  }

  dropForMemory(): void {
    const { limit } = this.#options.requests
    const begun = { begun: this.#decoder.bytesBuffered, missing: this.#decoder.bytesMissing, limit }
    this.#fault(
      'half requests',
      begun,
      'dropped: its request does not come on, and queued.max.request.bytes is reached',
    )
    this.#options.requests.forget(this)
    this.#responses.destroy()
  }

  /**
   * Where memory for responses is short: ends if the peer has taken none of them since this was asked last.
   */
  dropIfUntaken(): void {
    if (!this.#responses.isStuck()) return
    this.#fault('responses not taken', {}, 'dropped: memory for responses is used up, and the peer takes none')
    this.#responses.destroy()
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
    this.#lastActivity = performance.now()
    this.#bytesReceived += chunk.length
    try {
      if (this.#router === null && !this.#detect(chunk)) return
      this.#decoder.push(chunk)
      this.#pump()
      this.#receiveOn()
    } catch (error) {
      // There is no memory for what comes: the peer may come again, the others go on.
      this.#refuse(error)
    }
  }

  /** Takes the rest of a large frame straight to its place: by way of the socket's chunks it would be copied. */
  #receiveOn(): void {
    for (;;) {
      // What a pause left with Node comes before what the system still has.
      if (this.#socket.readableLength > 0) return
      const descriptor = descriptorOf(this.#socket)
      const stays = descriptor < 0 || this.#waits || !this.#options.requests.mayReadMuch(this)
      const room = stays ? null : this.#decoder.room(LARGE_REST)
      if (room === null) return
      const bytes = native.receiveInto(descriptor, room.into, room.start)
      if (bytes === 0) return
      this.#decoder.filled(bytes)
      this.#bytesReceived += bytes
      this.#lastActivity = performance.now()
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
      this.#refuse(new MyKafkaError('INVALID_FRAME', 'neither wire: the first frame is of no known protocol'))
    } catch (error) {
      this.#refuse(error)
    }
    return false
  }

  #refuse(error: unknown): void {
    this.#fault(kindOfFault(error), {}, `closing a connection: ${(error as Error).message}`)
    this.#responses.destroy()
  }

  #fault(kind: string, fields: object, message: string): void {
    this.#options.faults.report('warn', `connections closed (${kind})`, { peer: this.peer, ...fields }, message)
  }

  /** Routes the frames that are here, as far as order and back-pressure allow. */
  #pump(): void {
    if (this.#socket.destroyed || this.#yields) {
      this.#countMemory()
      return
    }
    const { shares } = this.#options
    const begin = shares.begin()
    try {
      while (!this.#stopping && !this.#refused && !this.#full) {
        if (shares.isUsedUp(begin)) {
          this.#yields = true
          shares.later(this.#goOn)
          break
        }
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
      this.#refuse(error)
      return
    }
    this.#countMemory()
    this.#steer()
  }

  readonly #goOn = (): void => {
    this.#yields = false
    this.#pump()
  }

  /**
   * Bytes of requests: those that came, whole or not, and those that are answered at the moment. The latter stay in
   * memory until they are, whether the peer is still there or not.
   */
  #countMemory(): void {
    const unrouted = this.#socket.destroyed ? 0 : this.#decoder.bytesBuffered + (this.#held?.length ?? 0)
    this.#options.requests.hold(this, unrouted + this.#memoryInFlight)
  }

  /** Whether the peer has to wait: enough of its requests or of the answers to them are in memory, or keep files open. */
  get #full(): boolean {
    if (this.#kind === this.#router?.fetchKind && this.#inFlight >= FETCHES_AT_ONCE) return true
    return this.#bytesInFlight > this.#options.responses.maxBytesHeld || this.#responses.full
  }

  /** Reads on, or waits; ends where nothing more is to come. */
  #steer(): void {
    const waiting = this.#held !== null || this.#yields || this.#full || !this.#options.requests.mayRead(this)
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
    const isDecoded = this.#kind !== router.produceKind && bytes > LARGE_REQUEST
    const memory = isDecoded ? bytes * DECODED_TIMES : bytes
    this.#inFlight++
    this.#bytesInFlight += bytes
    this.#memoryInFlight += memory
    response.then(
      (routed) => this.#settled(bytes, memory, () => answer(slot, routed)),
      (error: unknown) => this.#settled(bytes, memory, () => this.#cannotGoOn(slot, error)),
    )
  }

  #settled(bytes: number, memory: number, finish: () => void): void {
    const wasFull = this.#full
    this.#inFlight--
    this.#bytesInFlight -= bytes
    this.#memoryInFlight -= memory
    this.#lastActivity = performance.now()
    finish()
    if (this.#inFlight === 0 || this.#stopping || wasFull) this.#pump()
    else this.#countMemory()
  }

  /** Answers what came before, then ends: Kafka's clients wait for no answer behind a request that has none. */
  #cannotGoOn(slot: ResponseSlot, error: unknown): void {
    slot.drop()
    if (this.#refused) return
    this.#fault(kindOfFault(error), { err: error }, `closing a connection: ${(error as Error).message}`)
    this.#refused = true
    this.#held = null
    this.#interest.abort()
    this.#endAndLinger()
  }
}

/** One of a few: it is told apart by nothing that the peer can choose. */
function kindOfFault(error: unknown): string {
  if (error instanceof FrameError) return error.looksLike
  return error instanceof MyKafkaError ? error.code : 'a fault of the broker'
}

function answer(slot: ResponseSlot, response: RoutedResponse): void {
  if (response === null) slot.drop()
  else slot.fill(response)
}
