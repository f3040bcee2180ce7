/**
 * Buffers of one size that are used again: a fresh one costs more in page faults than the copy into it.
 * Bounded: what is given back above the bound is left to the garbage collector.
 */
export class BufferPool {
  readonly size: number
  readonly #keep: number
  readonly #free: Buffer[] = []

  constructor(size: number, keep: number) {
    this.size = size
    this.#keep = keep
  }

  /** Its content is anything. */
  take(): Buffer {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(this.size)
  }

  give(buffer: Buffer): void {
    if (this.#free.length < this.#keep) this.#free.push(buffer)
  }
}
