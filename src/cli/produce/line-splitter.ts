import { CommandFailure } from '../failure.js'

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d

/** Cuts a stream of bytes into lines, whatever way they arrive. A line ends with LF or CRLF. */
export class LineSplitter {
  readonly #maxLineBytes: number
  readonly #onLine: (line: Buffer, number: number) => void
  #parts: Buffer[] = []
  #partBytes = 0
  #number = 0

  /** @param onLine - gets each line without its end, and its number from 1 on */
  constructor(maxLineBytes: number, onLine: (line: Buffer, number: number) => void) {
    this.#maxLineBytes = maxLineBytes
    this.#onLine = onLine
  }

  push(chunk: Buffer): void {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#finishLine(chunk.subarray(start, end))
      start = end + 1
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start))
  }

  /** The last line may lack its end. */
  end(): void {
    if (this.#partBytes > 0) this.#finishLine(Buffer.alloc(0))
  }

  #keep(part: Buffer): void {
    this.#partBytes += part.length
    if (this.#partBytes > this.#maxLineBytes) {
      throw new CommandFailure(`line ${this.#number + 1} is longer than ${this.#maxLineBytes} bytes`)
    }
    this.#parts.push(part)
  }

  #finishLine(last: Buffer): void {
    let line = last
    if (this.#partBytes > 0) {
      this.#keep(last)
      line = Buffer.concat(this.#parts, this.#partBytes)
      this.#parts = []
      this.#partBytes = 0
    }
    this.#number++
    this.#onLine(line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line, this.#number)
  }
}
