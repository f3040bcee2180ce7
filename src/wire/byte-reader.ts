import { isUtf8 } from 'node:buffer'
import { type ErrorCode, MyKafkaError } from '../errors.js'
import { readInt32, readInt64 } from '../integers.js'

/**
 * Reads fields of a message and never beyond it. The first thing that is wrong sticks: what is read behind
 * it is 0 or empty, and {@link ByteReader.finish} throws it. So a decoder reads all its fields in one line of
 * code and checks once.
 */
export class ByteReader {
  protected readonly buffer: Buffer
  protected position: number
  /** Moved up to the position by a failure, so that one comparison answers both questions of a read. */
  protected end: number
  #problem: string | null = null

  constructor(bytes: Buffer, position = 0) {
    this.buffer = bytes
    this.position = position
    this.end = bytes.length
  }

  /** 0 behind a failure. */
  get remaining(): number {
    return this.end - this.position
  }

  get failed(): boolean {
    return this.#problem !== null
  }

  /** Records that what was read is wrong, unless something before it was. */
  fail(problem: string): void {
    this.#problem ??= problem
    this.end = this.position
  }

  int8(field: string): number {
    const at = this.take(1, field)
    return at < 0 ? 0 : this.buffer.readInt8(at)
  }

  int16(field: string): number {
    const at = this.take(2, field)
    return at < 0 ? 0 : this.buffer.readInt16BE(at)
  }

  int32(field: string): number {
    const at = this.take(4, field)
    return at < 0 ? 0 : readInt32(this.buffer, at)
  }

  /** An int64 that must be a safe integer. */
  int64(field: string): number {
    const at = this.take(8, field)
    if (at < 0) return 0
    const value = readInt64(this.buffer, at)
    if (Number.isSafeInteger(value)) return value
    this.fail(`${field} is beyond 2^53 - 1`)
    return 0
  }

  /** The number of elements that follow, each of `elementLength` bytes at least. */
  count(field: string, elementLength: number): number {
    return this.checkedCount(this.int32(field), field, elementLength)
  }

  /** An int16 length and that many bytes of UTF-8. */
  string(field: string): string {
    return this.text(this.int16(field), field)
  }

  /** Everything that is left, as a view. */
  rest(): Buffer {
    const at = this.position
    this.position = this.end
    return this.buffer.subarray(at, this.end)
  }

  /** Throws what was wrong, bytes left over included. `message` says what was being read. */
  finish(code: ErrorCode, message: string): void {
    if (this.remaining > 0) this.fail(`${this.remaining} bytes too many`)
    if (this.#problem !== null) throw new MyKafkaError(code, `${message}: ${this.#problem}`)
  }

  /** Where the next `length` bytes are, or -1. */
  protected take(length: number, field: string): number {
    const at = this.position
    if (length > this.end - at) {
      this.fail(`${field} needs ${length} bytes, ${this.end - at} are left`)
      return -1
    }
    this.position = at + length
    return at
  }

  protected checkedCount(count: number, field: string, elementLength: number): number {
    if (count >= 0 && count * elementLength <= this.remaining) return count
    this.fail(count < 0 ? `${field} is ${count}` : `${field} is ${count}, more than the bytes left can hold`)
    return 0
  }

  /** `length` bytes of UTF-8. */
  protected text(length: number, field: string): string {
    if (length <= 0) {
      if (length < 0) this.fail(`${field} has length ${length}`)
      return ''
    }
    const at = this.take(length, field)
    if (at < 0) return ''
    const end = at + length
    for (let i = at; i < end; i++) {
      if ((this.buffer[i] as number) < 0x80) continue
      if (isUtf8(this.buffer.subarray(at, end))) return this.buffer.toString('utf8', at, end)
      this.fail(`${field} is not UTF-8`)
      return ''
    }
    return this.buffer.toString('latin1', at, end)
  }
}
