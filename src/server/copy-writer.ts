import type { Socket } from 'node:net'
import { BufferPool } from './buffer-pool.js'
import type { ResponsePart } from './response-part.js'
import { isSlice, type ResponseWriter, type WriteDone } from './response-writer.js'
import type { SharedBudget } from './shared-budget.js'
import { StallTimer } from './stall-timer.js'

/** What goes out by one write at most. */
const PIECE_BYTES = 1 << 20
const SMALL_PIECE_BYTES = 64 << 10
/** A longer buffer is written where it lies; a shorter one joins its neighbours in a piece. */
const JOIN_BELOW = 16 << 10

const pieces = new BufferPool(PIECE_BYTES, 16)
const smallPieces = new BufferPool(SMALL_PIECE_BYTES, 64)

/**
 * Writes through the socket's own buffer, file slices by way of pooled buffers. One piece is under way at a time.
 * For systems and sockets without the native way, and for comparison.
 */
export class CopyWriter implements ResponseWriter {
  readonly #socket: Socket
  readonly #budget: SharedBudget
  readonly #stall: StallTimer
  #parts: ResponsePart[] = []
  #done: WriteDone | null = null
  #closed = false
  /** What is written next: the part, and the bytes of it that are done. */
  #part = 0
  #offset = 0
  /** Of the parts, from the cursor on. */
  #remaining = 0
  /** The pooled buffer of the piece under way, and its bytes in use. */
  #pooled: Buffer | null = null
  #used = 0
  /** What the piece under way is written as. */
  #chunks: Buffer[] = []

  constructor(socket: Socket, stallTimeoutMs: number, budget: SharedBudget) {
    this.#socket = socket
    this.#budget = budget
    this.#stall = new StallTimer(socket, stallTimeoutMs, () => this.#finish('stalled', null))
  }

  write(parts: ResponsePart[], done: WriteDone): boolean {
    this.#parts = parts
    this.#part = 0
    this.#offset = 0
    this.#remaining = parts.reduce((sum, part) => sum + part.length, 0)
    // Set behind the first run: what ends in it is the answer of this call.
    this.#done = null
    if (this.#run()) {
      this.#parts = []
      return true
    }
    this.#done = done
    return false
  }

  close(): void {
    this.#closed = true
    this.#done = null
    this.#parts = []
    this.#stall.stop()
    // Not back to the pool: Node may still write from it.
    if (this.#pooled !== null) this.#budget.give(this.#pooled.length)
    this.#pooled = null
  }

  /** Writes as much as goes out at once, one piece at most. Returns whether that was all. */
  #run(): boolean {
    if (this.#remaining === 0) return true
    try {
      if (!this.#fill()) return false
    } catch (error) {
      queueMicrotask(() => this.#finish('failed', error as Error))
      return false
    }
    if (!this.#writePiece()) return false
    if (this.#remaining === 0) return true
    // The event loop has its turn between two pieces.
    setImmediate(() => this.#goOn())
    return false
  }

  #goOn(): void {
    if (!this.#closed && this.#run()) this.#finish('sent', null)
  }

  #finish(...ended: Parameters<WriteDone>): void {
    const done = this.#done
    this.#done = null
    this.#parts = []
    this.#stall.stop()
    done?.(...ended)
  }

  /** Gathers the next piece. Returns false where bytes have to be read from the disk first: then it goes on by itself. */
  #fill(): boolean {
    while (this.#remaining > 0) {
      const part = this.#parts[this.#part] as ResponsePart
      const left = part.length - this.#offset
      if (left === 0) {
        this.#part++
        this.#offset = 0
        continue
      }
      if (!isSlice(part) && (left > JOIN_BELOW || (left === this.#remaining && this.#used === 0))) {
        this.#seal()
        const length = Math.min(left, PIECE_BYTES)
        this.#chunks.push(part.subarray(this.#offset, this.#offset + length))
        this.#advance(length)
        return true
      }
      const pooled = this.#piece()
      const length = Math.min(left, pooled.length - this.#used)
      if (length === 0) break
      const into = pooled.subarray(this.#used, this.#used + length)
      if (!isSlice(part)) {
        part.copy(into, 0, this.#offset)
      } else if (!part.segment.read(into, part.position + this.#offset)) {
        this.#readCold(part.segment.readAsync(into, part.position + this.#offset), length)
        return false
      }
      this.#used += length
      this.#advance(length)
    }
    this.#seal()
    return true
  }

  #readCold(reading: Promise<void>, length: number): void {
    // The peer does not keep us waiting now.
    this.#stall.stop()
    reading.then(
      () => {
        if (this.#closed) return
        this.#used += length
        this.#advance(length)
        this.#goOn()
      },
      (error: unknown) => this.#finish('failed', error as Error),
    )
  }

  #advance(length: number): void {
    this.#offset += length
    this.#remaining -= length
  }

  #piece(): Buffer {
    if (this.#pooled === null) {
      this.#pooled = (this.#remaining > SMALL_PIECE_BYTES ? pieces : smallPieces).take()
      this.#budget.take(this.#pooled.length)
      this.#used = 0
    }
    return this.#pooled
  }

  /** What is in the pooled buffer becomes a chunk of the piece. */
  #seal(): void {
    if (this.#pooled !== null && this.#used > 0) this.#chunks.push(this.#pooled.subarray(0, this.#used))
  }

  /** Returns whether the socket has taken the piece; if not, its end goes on with the next. */
  #writePiece(): boolean {
    const socket = this.#socket
    const pooled = this.#pooled
    let taken = false
    const written = (error?: Error | null): void => {
      if (taken) return
      if (pooled !== null) this.#giveBack(pooled)
      if (this.#closed) return
      if (error) this.#finish('reset', error)
      else this.#goOn()
    }
    const chunks = this.#chunks
    this.#chunks = []
    this.#used = 0
    const last = chunks.pop() as Buffer
    // One packet for what belongs together.
    if (chunks.length > 0) socket.cork()
    for (const chunk of chunks) socket.write(chunk)
    socket.write(last, written)
    if (chunks.length > 0) socket.uncork()
    // Nothing left in the socket's buffer: the system has it, the callback only comes late.
    taken = socket.writableLength === 0 && !socket.destroyed
    if (taken && pooled !== null) this.#giveBack(pooled)
    if (!taken) this.#stall.start()
    return taken
  }

  #giveBack(pooled: Buffer): void {
    ;(pooled.length === PIECE_BYTES ? pieces : smallPieces).give(pooled)
    if (this.#pooled !== pooled) return
    this.#pooled = null
    this.#budget.give(pooled.length)
  }
}
