import { MyKafkaError } from '../errors.js'

const MORE = 0x80
const BITS = 0x7f
const TWO_TO_27 = 0x800_0000

/**
 * Reads the zigzag varints of Kafka's records from a range of bytes and never beyond it. One object reads a whole
 * batch: no allocation per field.
 */
export class VarintReader {
  readonly bytes: Buffer
  position: number
  readonly end: number

  constructor(bytes: Buffer, position = 0, end = bytes.length) {
    this.bytes = bytes
    this.position = position
    this.end = end
  }

  get remaining(): number {
    return this.end - this.position
  }

  byte(): number {
    if (this.position >= this.end) throw cutOff()
    return this.bytes[this.position++] as number
  }

  /** A varint of 32 bits. */
  int32(): number {
    let raw = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.byte()
      raw |= (byte & BITS) << shift
      if (byte < MORE) return (raw >>> 1) ^ -(raw & 1)
    }
    throw new MyKafkaError('INVALID_RECORD', 'a varint is longer than 5 bytes')
  }

  /**
   * A varint of 64 bits, which must be a safe integer.
   *
   * @throws MyKafkaError INVALID_RECORD
   */
  int64(): number {
    let low = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte()
      low |= (byte & BITS) << shift
      if (byte < MORE) return (low >>> 1) ^ -(low & 1)
    }
    // What is above 28 bits goes on as a double, exact as far as a safe integer reaches.
    let high = 0
    let factor = 1
    for (let i = 0; i < 6; i++, factor *= MORE) {
      const byte = this.byte()
      high += (byte & BITS) * factor
      if (byte < MORE) return safe(high * TWO_TO_27 + (low >>> 1), low & 1)
    }
    throw new MyKafkaError('INVALID_RECORD', 'a varint is longer than 10 bytes')
  }
}

/** Bytes that a value takes as a varint of 32 bits. */
export function int32Length(value: number): number {
  const raw = ((value << 1) ^ (value >> 31)) >>> 0
  return raw < 1 << 7 ? 1 : raw < 1 << 14 ? 2 : raw < 1 << 21 ? 3 : raw < 1 << 28 ? 4 : 5
}

/** Writes a value as a varint of 32 bits; returns the position behind it. */
export function writeInt32(bytes: Buffer, value: number, position: number): number {
  let at = position
  let raw = ((value << 1) ^ (value >> 31)) >>> 0
  while (raw >= MORE) {
    bytes[at++] = (raw & BITS) | MORE
    raw >>>= 7
  }
  bytes[at++] = raw
  return at
}

/** Bytes that a safe integer takes as a varint of 64 bits. */
export function int64Length(value: number): number {
  if (isSmall(value)) return int32Length(value)
  let length = 4
  for (let high = highOf(value); high > 0; high = Math.floor(high / MORE)) length++
  return length
}

/** Writes a safe integer as a varint of 64 bits; returns the position behind it. */
export function writeInt64(bytes: Buffer, value: number, position: number): number {
  if (isSmall(value)) return writeInt32(bytes, value, position)
  let at = position
  const negative = value < 0 ? 1 : 0
  const magnitude = negative ? -value - 1 : value
  let low = (magnitude % TWO_TO_27) * 2 + negative
  for (let i = 0; i < 4; i++) {
    bytes[at++] = (low & BITS) | MORE
    low >>>= 7
  }
  let high = highOf(value)
  for (; high >= MORE; high = Math.floor(high / MORE)) bytes[at++] = (high % MORE) | MORE
  bytes[at++] = high
  return at
}

/** Whether the zigzag form has at most 28 bits: what is above takes five bytes and more. */
function isSmall(value: number): boolean {
  return value >= -TWO_TO_27 && value < TWO_TO_27
}

/** The zigzag form of an integer without its lower 28 bits. */
function highOf(value: number): number {
  return Math.floor((value < 0 ? -value - 1 : value) / TWO_TO_27)
}

function safe(magnitude: number, negative: number): number {
  const value = negative === 1 ? -magnitude - 1 : magnitude
  if (Number.isSafeInteger(value)) return value
  throw new MyKafkaError('INVALID_RECORD', 'a varint is beyond 2^53 - 1')
}

function cutOff(): MyKafkaError {
  return new MyKafkaError('INVALID_RECORD', 'a record is cut off')
}
