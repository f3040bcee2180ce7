import { write } from 'node:fs'
import { stdoutDescriptor } from './stdout.js'

/** A reader of the log that stalls must not stall the broker: beyond so many bytes lines are dropped. */
const MAX_BYTES_HELD = 16 << 20
const CHUNK_CHARS = 64 << 10
/** A pipe that is full, or a disk. */
const PAUSES_MS: Partial<Record<string, number>> = { EAGAIN: 50, ENOSPC: 1000, EDQUOT: 1000, EIO: 1000, ENOBUFS: 1000 }
/** A stop waits so long for somebody who takes nothing. */
const PATIENCE_MS = 2000

/**
 * Lines for standard output that wait where it takes none, while the broker goes on. What cannot be written is tried
 * again; behind a reader that went away all is dropped.
 */
export class StdoutLines {
  readonly #onMissing: (lines: number) => void
  #lines: string[] = []
  #held = 0
  #missing = 0
  #writing = false
  #gone = false
  #pause: NodeJS.Timeout | null = null
  #ending: { readonly patience: NodeJS.Timeout; readonly done: () => void } | null = null

  /** @param onMissing - hears, when lines go out again, how many were dropped */
  constructor(onMissing: (lines: number) => void) {
    this.#onMissing = onMissing
  }

  write(line: string): void {
    if (this.#gone) return
    const bytes = Buffer.byteLength(line)
    if (this.#held + bytes > MAX_BYTES_HELD) {
      this.#missing++
      return
    }
    this.#lines.push(line)
    this.#held += bytes
    if (!this.#writing) this.#writeOn(Buffer.alloc(0))
  }

  /** Resolves when all is out, or nobody takes it. Nothing is written behind it. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#ending = { patience: setTimeout(resolve, PATIENCE_MS), done: resolve }
      if (!this.#writing) resolve()
    })
    clearTimeout(this.#ending?.patience)
    clearTimeout(this.#pause ?? undefined)
    this.#drop()
  }

  /** @param rest - what a write left over */
  #writeOn(rest: Buffer): void {
    const chunk = rest.length > 0 ? rest : this.#next()
    this.#writing = chunk.length > 0
    if (this.#writing) write(stdoutDescriptor(), chunk, (error, written) => this.#written(chunk, error, written))
    else this.#ending?.done()
  }

  #written(chunk: Buffer, error: NodeJS.ErrnoException | null, written: number): void {
    if (this.#gone) return
    if (error === null) {
      this.#held -= written
      this.#ending?.patience.refresh()
      this.#tellMissing()
      this.#writeOn(chunk.subarray(written))
      return
    }
    const pause = PAUSES_MS[error.code as string]
    if (pause === undefined) this.#drop()
    if (pause === undefined || (this.#ending !== null && error.code !== 'EAGAIN')) this.#ending?.done()
    else this.#pause = setTimeout(() => this.#writeOn(chunk), pause).unref()
  }

  #next(): Buffer {
    let taken = 0
    for (let chars = 0; taken < this.#lines.length && chars < CHUNK_CHARS; taken++)
      chars += this.#lines[taken]?.length ?? 0
    return Buffer.from(this.#lines.splice(0, taken).join(''))
  }

  #tellMissing(): void {
    if (this.#missing === 0 || this.#held > MAX_BYTES_HELD / 2) return
    const missing = this.#missing
    this.#missing = 0
    this.#onMissing(missing)
  }

  #drop(): void {
    this.#gone = true
    this.#writing = false
    this.#lines = []
  }
}
