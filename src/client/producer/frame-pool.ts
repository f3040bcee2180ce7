/** Kept for the batches to come; beyond it they are left to the garbage collector. */
const MOST_KEPT_BYTES = 4 << 20
/** What is smaller costs less to allocate than to keep. */
const LEAST_BYTES = 4096

/** Buffers of full batches, used again: the memory of thousands a second is a burden to the garbage collector. */
export class FramePool {
  /** Of a full batch's frame. */
  readonly bytes: number
  readonly #most: number
  readonly #spare: Buffer[] = []

  /** @param bytes - of a full batch's frame */
  constructor(bytes: number) {
    this.bytes = bytes
    this.#most = bytes < LEAST_BYTES ? 0 : Math.floor(MOST_KEPT_BYTES / bytes)
  }

  /** A buffer of at least so many bytes, not of many more. */
  take(bytes: number): Buffer {
    if (this.#most === 0 || bytes > this.bytes || 2 * bytes < this.bytes) return Buffer.allocUnsafe(bytes)
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.bytes)
  }

  /** Nobody uses it any more. */
  giveBack(buffer: Buffer): void {
    if (buffer.length === this.bytes && this.#spare.length < this.#most) this.#spare.push(buffer)
  }
}
