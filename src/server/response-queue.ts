import type { Socket } from 'node:net'
import type { SendOutcome } from '../native/native.js'
import { CopyWriter } from './copy-writer.js'
import type { ResponsePart } from './response-part.js'
import { isSlice, type ResponseWriter } from './response-writer.js'
import { SharedBudget } from './shared-budget.js'
import { canWriteZeroCopy, ZeroCopyWriter } from './zero-copy-writer.js'

export interface ResponseQueueOptions {
  /** False forces the copy path. */
  zeroCopy: boolean
  /** A peer that takes no byte for so long is dropped. */
  stallTimeoutMs: number
  /** Above so many bytes of buffers the queue is full. */
  maxBytesHeld: number
  /** From so many responses on the queue is full. */
  maxPending: number
  /** Shared with other connections; while it is exhausted, a queue that owes something is full. */
  budget?: SharedBudget
  /** The same for the files that slices keep open, counted by slices. */
  files?: SharedBudget
  /** The queue is no longer full. May be called where it was not. */
  onRelief?: () => void
  /** The peer stalled; it is dropped behind this call. */
  onStalled?: () => void
  /** A response could not be read from its file; the connection is dropped behind this call. */
  onFailed?: (error: Error) => void
}

/** One response's place in the order. */
export interface ResponseSlot {
  /** Gives the response. Its slices are released when it has been sent, or will never be. */
  fill(parts: ResponsePart[]): void
  /** There is no response. */
  drop(): void
}

/** Responses that go out by one write, at most this much behind the first. */
const GATHER_BYTES = 256 << 10
/** What is written in one turn of the event loop while the socket takes all of it. */
const TURN_BYTES = 1 << 20
/** A connection that holds less is no reason for memory to be short. */
const MUCH_BYTES = 64 << 10

class Slot implements ResponseSlot {
  parts: ResponsePart[] | null = null
  /** Of its buffers. */
  bytesHeld = 0
  /** Of its buffers and slices. */
  length = 0
  slices = 0

  constructor(private readonly filled: (slot: Slot) => void) {}

  fill(parts: ResponsePart[]): void {
    if (this.parts !== null) throw new Error('a response was given twice')
    this.parts = parts
    for (const part of parts) {
      this.length += part.length
      if (isSlice(part)) this.slices++
      else this.bytesHeld += part.length
    }
    this.filled(this)
  }

  drop(): void {
    this.fill([])
  }

  release(): void {
    for (const part of this.parts ?? []) if (isSlice(part)) part.release()
  }
}

/**
 * The only one that writes to a connection's socket. Responses leave in the order of their slots, whatever order
 * they come in; what is ready at the end of a turn of the event loop goes out together.
 */
export class ResponseQueue {
  readonly #socket: Socket
  readonly #options: ResponseQueueOptions
  readonly #budget: SharedBudget
  readonly #files: SharedBudget
  readonly #forgetRelief: () => void
  readonly #writer: ResponseWriter
  readonly #fill = (slot: Slot): void => this.#filled(slot)
  readonly #flushNow = (): void => this.#flush()
  #slots: Slot[] = []
  /** The responses under way; they are in no slot any more. */
  #writing: Slot[] = []
  #bytesHeld = 0
  /** What was under way when it was asked last whether this is stuck. */
  #seenUnderWay: Slot | null = null
  #scheduled = false
  #ending = false
  #closed = false

  constructor(socket: Socket, options: ResponseQueueOptions) {
    this.#socket = socket
    this.#options = options
    this.#budget = options.budget ?? new SharedBudget(Number.POSITIVE_INFINITY)
    this.#files = options.files ?? new SharedBudget(Number.POSITIVE_INFINITY)
    const forget = [this.#budget, this.#files].map((shared) => shared.onRelief(() => options.onRelief?.()))
    this.#forgetRelief = () => {
      for (const each of forget) each()
    }
    const copy = new CopyWriter(socket, options.stallTimeoutMs, this.#budget)
    const zeroCopy = options.zeroCopy && canWriteZeroCopy(socket)
    this.#writer = zeroCopy ? new ZeroCopyWriter(socket, options.stallTimeoutMs, copy) : copy
    socket.on('close', () => this.#close())
  }

  /** Responses that are owed, given or not. */
  get pending(): number {
    return this.#slots.length + this.#writing.length
  }

  /** Bytes of buffers that wait to be sent; slices are not in memory. */
  get bytesHeld(): number {
    return this.#bytesHeld
  }

  /**
   * Whether no more requests should be taken from the peer for now. Where others hold what is shared, one at a time
   * still is: a peer that takes its responses does not wait for those that do not.
   */
  get full(): boolean {
    const { maxBytesHeld, maxPending } = this.#options
    const { pending } = this
    const sharedIsUsedUp = this.#budget.exhausted || this.#files.exhausted
    return this.#bytesHeld > maxBytesHeld || pending >= maxPending || (pending > 0 && sharedIsUsedUp)
  }

  /** Whether there is much in memory, and the same response has been on its way since this was asked last. */
  isStuck(): boolean {
    const underWay = this.#writing[0] ?? null
    const isSame = underWay !== null && underWay === this.#seenUnderWay
    this.#seenUnderWay = underWay
    return isSame && this.#bytesHeld > MUCH_BYTES
  }

  /** The next place in the order of responses. */
  reserve(): ResponseSlot {
    const slot = new Slot(this.#fill)
    if (!this.#closed) this.#slots.push(slot)
    return slot
  }

  /** Ends the connection's sending side behind the last response that is owed. */
  end(): void {
    if (this.#ending) return
    this.#ending = true
    this.#schedule()
  }

  /** Drops the connection and everything that waits. */
  destroy(error?: Error): void {
    this.#close()
    this.#socket.destroy(error)
  }

  #filled(slot: Slot): void {
    if (this.#closed) {
      slot.release()
      return
    }
    this.#bytesHeld += slot.bytesHeld
    this.#files.take(slot.slices)
    this.#budget.take(slot.bytesHeld)
    if (slot === this.#slots[0]) this.#schedule()
  }

  /** Not at once: what else is answered in this turn joins the write. */
  #schedule(): void {
    if (this.#scheduled || this.#writing.length > 0) return
    this.#scheduled = true
    process.nextTick(this.#flushNow)
  }

  #flush(): void {
    this.#scheduled = false
    let written = 0
    while (!this.#closed && this.#writing.length === 0) {
      if (this.#socket.destroyed) {
        this.#close()
        return
      }
      if (written >= TURN_BYTES) {
        this.#scheduled = true
        setImmediate(this.#flushNow)
        return
      }
      const batch = this.#takeBatch()
      if (batch.length === 0) break
      written += batch.reduce((sum, slot) => sum + slot.length, 0)
      if (!this.#write(batch)) return
      this.#sent()
    }
    if (this.#ending && this.pending === 0 && !this.#closed) this.#socket.end()
  }

  #takeBatch(): Slot[] {
    let count = 0
    let bytes = 0
    for (const slot of this.#slots) {
      if (slot.parts === null) break
      if (count > 0 && bytes + slot.length > GATHER_BYTES) break
      bytes += slot.length
      count++
    }
    return this.#slots.splice(0, count)
  }

  #write(batch: Slot[]): boolean {
    this.#writing = batch
    const parts = batch.length === 1 ? (batch[0] as Slot).parts : batch.flatMap((slot) => slot.parts)
    try {
      return this.#writer.write(parts as ResponsePart[], (outcome, error) => this.#ended(outcome, error))
    } catch (error) {
      this.destroy(error as Error)
      return false
    }
  }

  #ended(outcome: SendOutcome, error: Error | null): void {
    if (this.#closed) return
    if (outcome === 'sent') {
      this.#sent()
      this.#flush()
      return
    }
    if (outcome === 'stalled') this.#options.onStalled?.()
    if (outcome === 'failed' && error !== null) this.#options.onFailed?.(error)
    // A peer that went away or stalled is no error of ours.
    this.destroy(outcome === 'failed' ? (error ?? undefined) : undefined)
  }

  #sent(): void {
    const sent = this.#writing
    const wasFull = this.full
    this.#writing = []
    for (const slot of sent) this.#forget(slot)
    if (wasFull && !this.full) this.#options.onRelief?.()
  }

  #forget(slot: Slot): void {
    if (slot.parts === null) return
    slot.release()
    this.#bytesHeld -= slot.bytesHeld
    this.#files.give(slot.slices)
    this.#budget.give(slot.bytesHeld)
  }

  /** Behind this no byte is written and no slice is held. */
  #close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#writer.close()
    this.#forgetRelief()
    const left = [...this.#writing, ...this.#slots]
    this.#writing = []
    this.#slots = []
    for (const slot of left) this.#forget(slot)
  }
}
