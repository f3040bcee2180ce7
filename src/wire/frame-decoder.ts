import { FrameError } from './frame-error.js'

/** Kafka's socket.request.max.bytes. */
export const DEFAULT_MAX_FRAME_BYTES = 104857600

const NOTHING = Buffer.alloc(0)
const PREFIX_BYTES = 4
const FIRST_CAPACITY = 1024
/** Steps of four take half the time of steps of two for large frames: most of it goes into fresh pages. */
const GROWTH = 4
/** Waiting chunks are merged up to this size, so that one-byte chunks cost about a byte each. */
const MERGE_BYTES = 4096

/**
 * Cuts a stream of bytes into frames, whatever way the bytes arrive. It holds no socket: push what came, pull
 * frames until null, stop in between at will.
 *
 * A frame within one chunk is a view of it. One that spans chunks is gathered in a buffer that grows by steps up to
 * the frame's length: a length is only a claim, memory follows the bytes. A chunk whose frames are pulled is let go.
 */
export class FrameDecoder {
  readonly #limit: number
  #chunk: Buffer = NOTHING
  #position = 0
  #waiting: Buffer[] = []
  #bytesBuffered = 0

  /** -1 while the length of the frame that begins here is not known. */
  #frameLength = -1
  #prefix = 0
  #prefixBytes = 0
  /** What is gathered of a frame that spans chunks. */
  #gathered: Buffer | null = null
  #gatheredBytes = 0
  #failure: FrameError | null = null

  /** @param limit - the largest frame, its length prefix not counted */
  constructor(limit = DEFAULT_MAX_FRAME_BYTES) {
    this.#limit = limit
  }

  /** Bytes pushed that no frame pulled so far held. */
  get bytesBuffered(): number {
    return this.#bytesBuffered
  }

  /** Bytes that the frame that has begun lacks, as far as it is known; 0 where none has. */
  get bytesMissing(): number {
    if (this.#frameLength >= 0) return this.#frameLength - this.#gatheredBytes
    return this.#prefixBytes > 0 ? PREFIX_BYTES - this.#prefixBytes : 0
  }

  /** Takes the bytes that came next. The chunk is kept by reference and must not change. */
  push(chunk: Buffer): void {
    if (this.#failure !== null || chunk.length === 0) return
    this.#bytesBuffered += chunk.length
    if (this.#position === this.#chunk.length && this.#waiting.length === 0) {
      this.#chunk = chunk
      this.#position = 0
    } else {
      this.#wait(chunk)
    }
  }

  /**
   * Where the next bytes of a large frame may be put, behind `start`, instead of being pushed; `filled` tells how many.
   * Null where less than `least` bytes of a frame are missing, or bytes that were pushed wait.
   */
  room(least: number): { readonly into: Buffer; readonly start: number } | null {
    if (this.#gathered === null || this.#frameLength - this.#gatheredBytes < least) return null
    if (this.#position < this.#chunk.length || this.#waiting.length > 0) return null
    if (this.#gatheredBytes === this.#gathered.length) this.#room(this.#gatheredBytes + 1)
    return { into: this.#gathered, start: this.#gatheredBytes }
  }

  /** So many bytes were put into the room. */
  filled(bytes: number): void {
    this.#gatheredBytes += bytes
    this.#bytesBuffered += bytes
  }

  /**
   * The next whole frame without its length prefix, or null where more bytes are needed.
   *
   * @throws FrameError where no frame can begin; from then on, always
   */
  next(): Buffer | null {
    if (this.#failure !== null) throw this.#failure
    for (;;) {
      if (this.#frameLength >= 0 || this.#readPrefix()) {
        const frame = this.#readBody()
        if (frame !== null) {
          this.#bytesBuffered -= PREFIX_BYTES + frame.length
          this.#frameLength = -1
          return frame
        }
      }
      const next = this.#waiting.shift()
      this.#chunk = next ?? NOTHING
      this.#position = 0
      if (next === undefined) return null
    }
  }

  #readPrefix(): boolean {
    const available = this.#chunk.length - this.#position
    if (this.#prefixBytes === 0 && available >= PREFIX_BYTES) {
      this.#prefix = this.#chunk.readInt32BE(this.#position)
      this.#position += PREFIX_BYTES
    } else {
      const end = this.#position + Math.min(available, PREFIX_BYTES - this.#prefixBytes)
      while (this.#position < end) {
        this.#prefix = (this.#prefix << 8) | (this.#chunk[this.#position++] as number)
        this.#prefixBytes++
      }
      if (this.#prefixBytes < PREFIX_BYTES) return false
    }
    const length = this.#prefix
    this.#prefix = 0
    this.#prefixBytes = 0
    if (length < 1 || length > this.#limit) this.#fail(new FrameError(length, this.#limit))
    this.#frameLength = length
    return true
  }

  #readBody(): Buffer | null {
    const start = this.#position
    const available = this.#chunk.length - start
    if (this.#gathered === null && available >= this.#frameLength) {
      this.#position = start + this.#frameLength
      return this.#chunk.subarray(start, this.#position)
    }
    const take = Math.min(available, this.#frameLength - this.#gatheredBytes)
    if (take > 0) {
      const gathered = this.#room(this.#gatheredBytes + take)
      this.#chunk.copy(gathered, this.#gatheredBytes, start, start + take)
      this.#position = start + take
      this.#gatheredBytes += take
    }
    if (this.#gathered === null || this.#gatheredBytes < this.#frameLength) return null
    const frame = this.#gathered.subarray(0, this.#frameLength)
    this.#gathered = null
    this.#gatheredBytes = 0
    return frame
  }

  /** The gathering buffer, with room for `needed` bytes. */
  #room(needed: number): Buffer {
    const old = this.#gathered
    if (old !== null && old.length >= needed) return old
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#frameLength, Math.max(GROWTH * needed, FIRST_CAPACITY)))
    if (old !== null) old.copy(grown, 0, 0, this.#gatheredBytes)
    this.#gathered = grown
    return grown
  }

  #wait(chunk: Buffer): void {
    const last = this.#waiting.length - 1
    const behind = this.#waiting[last]
    if (behind !== undefined && behind.length + chunk.length <= MERGE_BYTES) {
      this.#waiting[last] = Buffer.concat([behind, chunk])
    } else {
      // A small view may keep a large slab of the socket's alive.
      this.#waiting.push(chunk.length <= MERGE_BYTES ? Buffer.from(chunk) : chunk)
    }
  }

  #fail(failure: FrameError): never {
    this.#failure = failure
    this.#chunk = NOTHING
    this.#position = 0
    this.#waiting = []
    throw failure
  }
}
