import { MyKafkaError } from '../../errors.js'
import { writeInt32, writeInt64 } from '../../integers.js'
import type { FileSlice } from '../../log/file-slice.js'
import { writeUuid } from './uuid.js'

/** A piece of a message: bytes, or bytes of a segment file. */
export type MessagePart = Buffer | FileSlice

/** What a field of record batches can be encoded from. Parts are sent as they are, not copied. */
export type Records = Buffer | readonly MessagePart[] | null

const LENGTH_PREFIX = 4
const FIRST_CAPACITY = 512
/** Bytes above this become a part of their own; copying fewer is cheaper than one more part to send. */
const COPY_LIMIT = 4096
const MAX_STRING_LENGTH = 0x7fff
const MAX_INT32 = 0x7fffffff
const MAX_VARINT = 5
/** Up to here a loop in JavaScript writes ASCII faster than a call of native code does. */
const SHORT_STRING = 64

/**
 * Writes Kafka's types into one buffer that grows, in pieces where large bytes or file slices lie between. `compact`
 * means a length as an unsigned varint, one more than it is, 0 for null.
 */
export class KafkaWriter {
  readonly #parts: MessagePart[] = []
  /** Bytes of the parts. */
  #partsLength = 0
  #buffer: Buffer
  /** Where in the buffer the piece begins that is no part yet. */
  #start = 0
  #position: number
  readonly #framed: boolean

  /** @param framed - whether the message bears its length in front, as on a connection */
  constructor(framed = false) {
    this.#buffer = Buffer.allocUnsafe(FIRST_CAPACITY)
    this.#framed = framed
    this.#position = framed ? LENGTH_PREFIX : 0
  }

  /** The whole message. The writer is not used behind it. */
  finish(): MessagePart[] {
    const length = this.#partsLength + this.#position - this.#start
    this.#flush()
    if (this.#framed) {
      if (length - LENGTH_PREFIX > MAX_INT32) {
        throw new MyKafkaError('MESSAGE_TOO_LARGE', `a message of ${length} bytes has no length prefix`)
      }
      // Only the writer makes the first part of a framed message: it begins with the prefix.
      const first = this.#parts[0] as Buffer
      first.writeInt32BE(length - LENGTH_PREFIX, 0)
    }
    return this.#parts
  }

  bool(value: boolean): void {
    this.#room(1)
    this.#buffer[this.#position++] = value ? 1 : 0
  }

  int8(value: number): void {
    if (value !== (value << 24) >> 24) refuse(value, 'int8')
    this.#room(1)
    this.#buffer[this.#position++] = value
  }

  int16(value: number): void {
    if (value !== (value << 16) >> 16) refuse(value, 'int16')
    this.#room(2)
    this.#buffer[this.#position++] = value >>> 8
    this.#buffer[this.#position++] = value
  }

  uint16(value: number): void {
    if (value !== (value & 0xffff)) refuse(value, 'uint16')
    this.#room(2)
    this.#position = this.#buffer.writeUInt16BE(value, this.#position)
  }

  int32(value: number): void {
    if (value !== (value | 0)) refuse(value, 'int32')
    this.#room(4)
    writeInt32(this.#buffer, value, this.#position)
    this.#position += 4
  }

  uint32(value: number): void {
    if (value !== value >>> 0) refuse(value, 'uint32')
    this.#room(4)
    this.#position = this.#buffer.writeUInt32BE(value, this.#position)
  }

  /** A number, which must be a safe integer. */
  int64(value: number): void {
    this.#room(8)
    writeInt64(this.#buffer, value, this.#position)
    this.#position += 8
  }

  bigInt64(value: bigint): void {
    if (value !== BigInt.asIntN(64, value)) refuse(value, 'int64')
    this.#room(8)
    this.#position = this.#buffer.writeBigInt64BE(value, this.#position)
  }

  float64(value: number): void {
    this.#room(8)
    this.#position = this.#buffer.writeDoubleBE(value, this.#position)
  }

  unsignedVarint(value: number): void {
    this.#room(MAX_VARINT)
    this.#varint(value)
  }

  uuid(value: string): void {
    this.#room(16)
    writeUuid(this.#buffer, value, this.#position)
    this.#position += 16
  }

  string(value: string): void {
    if (this.#shortText(value, 2)) {
      this.#buffer.writeInt16BE(value.length, this.#position)
      this.#position += 2 + value.length
      return
    }
    const length = stringLength(value)
    this.#room(2 + length)
    this.#position = this.#buffer.writeInt16BE(length, this.#position)
    this.#position += this.#buffer.write(value, this.#position, length, 'utf8')
  }

  nullableString(value: string | null): void {
    if (value === null) this.int16(-1)
    else this.string(value)
  }

  compactString(value: string): void {
    if (this.#shortText(value, 1)) {
      this.#buffer[this.#position] = value.length + 1
      this.#position += 1 + value.length
      return
    }
    const length = stringLength(value)
    this.#room(MAX_VARINT + length)
    this.#varint(length + 1)
    this.#position += this.#buffer.write(value, this.#position, length, 'utf8')
  }

  compactNullableString(value: string | null): void {
    if (value === null) this.unsignedVarint(0)
    else this.compactString(value)
  }

  bytes(value: Uint8Array): void {
    this.int32(value.length)
    this.#raw(value)
  }

  nullableBytes(value: Uint8Array | null): void {
    if (value === null) this.int32(-1)
    else this.bytes(value)
  }

  compactBytes(value: Uint8Array): void {
    this.unsignedVarint(value.length + 1)
    this.#raw(value)
  }

  compactNullableBytes(value: Uint8Array | null): void {
    if (value === null) this.unsignedVarint(0)
    else this.compactBytes(value)
  }

  records(value: Records): void {
    if (value === null || value instanceof Uint8Array) {
      this.nullableBytes(value)
      return
    }
    this.int32(lengthOf(value))
    for (const part of value) this.#part(part)
  }

  compactRecords(value: Records): void {
    if (value === null || value instanceof Uint8Array) {
      this.compactNullableBytes(value)
      return
    }
    this.unsignedVarint(lengthOf(value) + 1)
    for (const part of value) this.#part(part)
  }

  /** -1 for null. */
  arrayLength(length: number): void {
    this.int32(length)
  }

  /** -1 for null. */
  compactArrayLength(length: number): void {
    this.unsignedVarint(length + 1)
  }

  /** Whether a struct that can be null is there. */
  present(isPresent: boolean): void {
    this.int8(isPresent ? 1 : -1)
  }

  /** No tagged fields. */
  noTags(): void {
    this.#room(1)
    this.#buffer[this.#position++] = 0
  }

  /**
   * Begins a tagged field, whose length is not known yet. Nothing in it may be bytes or records of any size.
   *
   * @returns what `endTag` wants
   */
  tag(tag: number): number {
    this.#room(2 * MAX_VARINT)
    this.#varint(tag)
    // One byte for the length, as nearly always.
    return ++this.#position - this.#start
  }

  endTag(begun: number): void {
    const from = this.#start + begun
    const length = this.#position - from
    let more = 0
    for (let rest = length >>> 7; rest > 0; rest >>>= 7) more++
    if (more > 0) {
      this.#room(more)
      const moved = this.#start + begun
      this.#buffer.copyWithin(moved + more, moved, this.#position)
    }
    this.#position = this.#start + begun - 1
    this.#varint(length)
    this.#position += length
  }

  #varint(value: number): void {
    let rest = value
    while (rest > 0x7f) {
      this.#buffer[this.#position++] = (rest & 0x7f) | 0x80
      rest >>>= 7
    }
    this.#buffer[this.#position++] = rest
  }

  /** Writes short ASCII behind `prefix` bytes, if it is such. The position stays. */
  #shortText(value: string, prefix: number): boolean {
    const length = value.length
    if (length > SHORT_STRING) return false
    this.#room(prefix + length)
    const from = this.#position + prefix
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i)
      if (code > 0x7f) return false
      this.#buffer[from + i] = code
    }
    return true
  }

  #raw(value: Uint8Array): void {
    if (value.length > COPY_LIMIT) {
      this.#push(Buffer.from(value.buffer, value.byteOffset, value.length))
      return
    }
    this.#room(value.length)
    this.#buffer.set(value, this.#position)
    this.#position += value.length
  }

  #part(part: MessagePart): void {
    if (part instanceof Uint8Array) this.#raw(part)
    else this.#push(part)
  }

  #push(part: MessagePart): void {
    this.#flush()
    this.#parts.push(part)
    this.#partsLength += part.length
  }

  #flush(): void {
    if (this.#position === this.#start) return
    this.#parts.push(this.#buffer.subarray(this.#start, this.#position))
    this.#partsLength += this.#position - this.#start
    this.#start = this.#position
  }

  #room(bytes: number): void {
    if (this.#position + bytes > this.#buffer.length) this.#grow(bytes)
  }

  /** Only what is no part yet moves; parts keep the old buffer. */
  #grow(bytes: number): void {
    const pending = this.#position - this.#start
    const grown = Buffer.allocUnsafe(Math.max(2 * (pending + bytes), FIRST_CAPACITY))
    this.#buffer.copy(grown, 0, this.#start, this.#position)
    this.#buffer = grown
    this.#start = 0
    this.#position = pending
  }
}

/** The value of a field that must not be null in this version. */
export function nonNull<T>(value: T | null | undefined, field: string, version: number): T {
  if (value === null || value === undefined) {
    throw new MyKafkaError('INVALID_ARGUMENT', `${field} cannot be null in version ${version}`)
  }
  return value
}

function refuse(value: number | bigint, type: string): never {
  throw new MyKafkaError('INVALID_ARGUMENT', `${value} is no ${type}`)
}

function stringLength(value: string): number {
  const length = Buffer.byteLength(value)
  if (length <= MAX_STRING_LENGTH) return length
  throw new MyKafkaError('INVALID_ARGUMENT', `a string of ${length} bytes is longer than ${MAX_STRING_LENGTH}`)
}

function lengthOf(parts: readonly MessagePart[]): number {
  let length = 0
  for (const part of parts) length += part.length
  return length
}
