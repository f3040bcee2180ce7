import { readInt64 } from '../../integers.js'
import { ByteReader } from '../byte-reader.js'
import { ZERO_UUID } from './uuid.js'

/**
 * Elements of all arrays of a request together. An element of three bytes can take a hundred in memory, and all of them
 * are read at once: what a message makes follows its length only up to here, above what a real one holds.
 */
export const MAX_REQUEST_ELEMENTS = 1 << 16
/** The same of a response: a broker names several things of each of its partitions. */
export const MAX_RESPONSE_ELEMENTS = 1 << 20
/** Tagged fields of one struct. */
export const MAX_TAGGED_FIELDS = 1000

const MAX_STRING_LENGTH = 0x7fff
const UUID_BYTES = 16
const LAST_VARINT_BYTE = 0x0f
const NOTHING = Buffer.alloc(0)

/**
 * Reads Kafka's types, with the sticky error of {@link ByteReader}. `compact` means a length as an unsigned varint,
 * one more than it is, 0 for null. What is read as bytes is a view.
 */
export class KafkaReader extends ByteReader {
  readonly #mostElements: number
  #elements = 0

  /** @param mostElements - of all arrays together */
  constructor(bytes: Buffer, mostElements = MAX_REQUEST_ELEMENTS) {
    super(bytes)
    this.#mostElements = mostElements
  }

  /** Of all arrays that were read. */
  get elements(): number {
    return this.#elements
  }

  bool(field: string): boolean {
    return this.int8(field) !== 0
  }

  uint16(field: string): number {
    const at = this.take(2, field)
    return at < 0 ? 0 : this.buffer.readUInt16BE(at)
  }

  uint32(field: string): number {
    const at = this.take(4, field)
    return at < 0 ? 0 : this.buffer.readUInt32BE(at)
  }

  /** An int64 as a safe integer: the largest or the smallest one for what is beyond. "For ever" is such a time. */
  boundedInt64(field: string): number {
    const at = this.take(8, field)
    if (at < 0) return 0
    const value = readInt64(this.buffer, at)
    return Math.max(Number.MIN_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER))
  }

  bigInt64(field: string): bigint {
    const at = this.take(8, field)
    return at < 0 ? 0n : this.buffer.readBigInt64BE(at)
  }

  float64(field: string): number {
    const at = this.take(8, field)
    return at < 0 ? 0 : this.buffer.readDoubleBE(at)
  }

  /** At most five bytes and 32 bits. */
  unsignedVarint(field: string): number {
    const at = this.position
    const first = at < this.end ? (this.buffer[at] as number) : 0x80
    if (first < 0x80) {
      this.position = at + 1
      return first
    }
    return this.#longVarint(field)
  }

  uuid(field: string): string {
    const at = this.take(UUID_BYTES, field)
    if (at < 0) return ZERO_UUID
    const bytes = this.buffer
    for (let i = at; i < at + UUID_BYTES; i++) {
      if (bytes[i] !== 0) return bytes.toString('base64url', at, at + UUID_BYTES)
    }
    return ZERO_UUID
  }

  nullableString(field: string): string | null {
    const length = this.int16(field)
    return length === -1 ? null : this.text(length, field)
  }

  compactString(field: string): string {
    return this.#shortText(this.unsignedVarint(field) - 1, field)
  }

  compactNullableString(field: string): string | null {
    const length = this.unsignedVarint(field) - 1
    return length < 0 && !this.failed ? null : this.#shortText(length, field)
  }

  bytes(field: string): Buffer {
    return this.#view(this.int32(field), field)
  }

  nullableBytes(field: string): Buffer | null {
    const length = this.int32(field)
    return length === -1 ? null : this.#view(length, field)
  }

  compactBytes(field: string): Buffer {
    return this.#view(this.unsignedVarint(field) - 1, field)
  }

  compactNullableBytes(field: string): Buffer | null {
    const length = this.unsignedVarint(field) - 1
    return length < 0 && !this.failed ? null : this.#view(length, field)
  }

  /** The length of an array whose elements have `elementLength` bytes at least; so with those below. */
  arrayLength(field: string, elementLength: number): number {
    return this.#arrayLength(this.int32(field), field, elementLength)
  }

  /** -1 for null. */
  nullableArrayLength(field: string, elementLength: number): number {
    const length = this.int32(field)
    return length === -1 ? -1 : this.#arrayLength(length, field, elementLength)
  }

  compactArrayLength(field: string, elementLength: number): number {
    return this.#arrayLength(this.unsignedVarint(field) - 1, field, elementLength)
  }

  /** -1 for null. */
  compactNullableArrayLength(field: string, elementLength: number): number {
    const length = this.unsignedVarint(field) - 1
    return length < 0 && !this.failed ? -1 : this.#arrayLength(length, field, elementLength)
  }

  /** Whether a struct that can be null is there. */
  present(field: string): boolean {
    return this.int8(field) >= 0 && !this.failed
  }

  /** How many tagged fields follow. */
  tagCount(): number {
    const count = this.unsignedVarint('the number of tagged fields')
    if (count === 0) return 0
    if (count <= MAX_TAGGED_FIELDS) return this.checkedCount(count, 'the number of tagged fields', 2)
    this.fail(`${count} tagged fields are more than ${MAX_TAGGED_FIELDS}`)
    return 0
  }

  /** The tag of the next field, which is above the one before it; `previous` is -1 for the first. */
  tag(previous: number): number {
    const tag = this.unsignedVarint('a tag')
    if (tag <= previous) this.fail(`tag ${tag} follows tag ${previous}`)
    return tag
  }

  /** Where the tagged field that begins here ends. */
  tagEnd(): number {
    const length = this.unsignedVarint('the length of a tagged field')
    if (length > this.remaining) {
      this.fail(`a tagged field needs ${length} bytes, ${this.remaining} are left`)
      return this.position
    }
    return this.position + length
  }

  /** Says that a tagged field was read. */
  endTag(end: number, field: string): void {
    if (this.position !== end) this.fail(`${field} has another length than its tagged field`)
  }

  skipTag(end: number): void {
    if (!this.failed) this.position = end
  }

  /** Tagged fields of which none is known. */
  skipTags(): void {
    if (this.position < this.end && this.buffer[this.position] === 0) {
      this.position++
      return
    }
    let tag = -1
    for (let left = this.tagCount(); left > 0 && !this.failed; left--) {
      tag = this.tag(tag)
      this.skipTag(this.tagEnd())
    }
  }

  /**
   * Ends a message. Behind a request there may be more bytes, which Kafka does not look at either: librdkafka keeps
   * four bytes for the length of an array that then takes one.
   *
   * @throws MyKafkaError INVALID_REQUEST or INVALID_RESPONSE where something was wrong
   */
  endMessage(kind: 'request' | 'response', api: string, version: number): void {
    if (!this.failed && (kind === 'request' || this.remaining === 0)) return
    this.finish(kind === 'request' ? 'INVALID_REQUEST' : 'INVALID_RESPONSE', `${api} ${kind}, version ${version}`)
  }

  #longVarint(field: string): number {
    let value = 0
    for (let shift = 0; shift <= 28; shift += 7) {
      const at = this.take(1, field)
      if (at < 0) return 0
      const byte = this.buffer[at] as number
      if (shift === 28 && byte > LAST_VARINT_BYTE) break
      value = (value | ((byte & 0x7f) << shift)) >>> 0
      if (byte < 0x80) return value
    }
    this.fail(`${field} is no unsigned varint of 32 bits`)
    return 0
  }

  #shortText(length: number, field: string): string {
    if (length > MAX_STRING_LENGTH) this.fail(`${field} has length ${length}, more than ${MAX_STRING_LENGTH}`)
    return this.text(length, field)
  }

  #view(length: number, field: string): Buffer {
    if (length <= 0) {
      if (length < 0) this.fail(`${field} has length ${length}`)
      return NOTHING
    }
    const at = this.take(length, field)
    return at < 0 ? NOTHING : this.buffer.subarray(at, at + length)
  }

  #arrayLength(length: number, field: string, elementLength: number): number {
    const checked = this.checkedCount(length, field, elementLength)
    this.#elements += checked
    if (this.#elements <= this.#mostElements) return checked
    this.fail(`${field} brings the elements of the message above ${this.#mostElements}`)
    return 0
  }
}
