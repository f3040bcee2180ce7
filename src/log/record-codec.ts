import { crc32 as zlibCrc32 } from 'node:zlib'
import { MyKafkaError } from '../errors.js'
import { readInt64 } from '../integers.js'

/** A key is limited, so that byte 16 of a stored record is never that of a Kafka batch. */
export const MAX_KEY_BYTES = 16 << 20

const MAX_VALUE_BYTES = 0x7fffffff
const LENGTH_BYTES = 4
/** What a packed record takes beside its key and its value. */
export const PACKED_OVERHEAD = 2 * LENGTH_BYTES
const KEY_LENGTH_AT = 16
const CRC_BYTES = 4
const SMALLEST_ENTRY = 28
const MAX_ASCII = 0x7f
/** Up to so many characters are written faster here than by a call into native code. */
const SHORT_TEXT = 32

/** A key or a value: a string goes out as UTF-8. */
export type FieldInput = Uint8Array | string | null

/** A record to be appended. */
export interface RecordInput {
  /** Absent or null: a null key, which is not the empty one. */
  readonly key?: FieldInput | undefined
  /** null: a tombstone. */
  readonly value: FieldInput
}

/** A record as the log holds it. */
export interface LogRecord {
  readonly offset: number
  /** Milliseconds since 1970. */
  readonly timestamp: number
  readonly key: Buffer | null
  readonly value: Buffer | null
}

/** Computes CRC-32 as zlib does. */
export type Crc32 = (bytes: Uint8Array) => number

/** How entries are read. */
export interface DecodeOptions {
  /** Checks the CRC of every entry. Default false: the broker has checked what it hands out. */
  readonly checkCrcs?: boolean | undefined
  /** What to check it with. Default zlib's. */
  readonly crc32?: Crc32 | undefined
}

/**
 * Bytes of the records in packed form, `[keyLen:4][key][valueLen:4][value]` each.
 *
 * @throws MyKafkaError INVALID_ARGUMENT for a field of another type, MESSAGE_TOO_LARGE for a key above 16 MiB
 */
export function packedLength(records: readonly RecordInput[]): number {
  let length = 0
  for (const { key, value } of records) {
    length += PACKED_OVERHEAD + lengthOfKey(key ?? null) + lengthOfValue(value)
  }
  return length
}

/** Writes records in packed form at `position`; returns the position behind them. */
export function writePacked(records: readonly RecordInput[], into: Buffer, position: number): number {
  let at = position
  for (const { key, value } of records) {
    at = writeField(key ?? null, into, at)
    at = writeField(value, into, at)
  }
  return at
}

/** The records in packed form, in one buffer. */
export function encodePacked(records: readonly RecordInput[]): Buffer {
  const packed = Buffer.allocUnsafe(packedLength(records))
  writePacked(records, packed, 0)
  return packed
}

/**
 * Reads stored entries, `[offset:8][timestamp:8][keyLen:4][key][valueLen:4][value][crc:4]` each. Keys and values
 * are views of `entries`.
 *
 * @throws MyKafkaError CORRUPT_MESSAGE for bytes that are not whole entries or have a wrong CRC; UNSAFE_INTEGER for
 * an offset or a timestamp that a number cannot hold
 */
export function decodeStored(entries: Buffer, options?: DecodeOptions): LogRecord[] {
  const records: LogRecord[] = []
  for (let position = 0; position < entries.length; ) {
    position = decodeEntries(entries, position, Number.POSITIVE_INFINITY, records, options)
  }
  return records
}

/**
 * The same of the entries from a position on, so many at the most: it adds the records to a list, and ends before one
 * that is damaged. Returns the position behind them.
 *
 * @throws the same, where the first of them is damaged
 */
export function decodeEntries(
  entries: Buffer,
  from: number,
  limit: number,
  into: LogRecord[],
  options?: DecodeOptions,
): number {
  const crc32 = options?.checkCrcs === true ? (options.crc32 ?? zlibCrc32) : null
  let position = from
  try {
    for (let left = limit; left > 0 && position < entries.length; left--) {
      position = decodeEntry(entries, position, crc32, into)
    }
  } catch (error) {
    if (position === from) throw error
  }
  return position
}

/** Returns the position behind the entry. */
function decodeEntry(entries: Buffer, position: number, crc32: Crc32 | null, into: LogRecord[]): number {
  const keyAt = position + KEY_LENGTH_AT + LENGTH_BYTES
  if (entries.length - position < SMALLEST_ENTRY) throw damaged(position, 'is cut off')
  const keyLength = entries.readInt32BE(keyAt - LENGTH_BYTES)
  if (keyLength < -1 || keyLength > MAX_KEY_BYTES) throw damaged(position, `has the key length ${keyLength}`)
  const keyEnd = keyAt + Math.max(keyLength, 0)
  const valueAt = keyEnd + LENGTH_BYTES
  if (valueAt + CRC_BYTES > entries.length) throw damaged(position, 'is cut off')
  const valueLength = entries.readInt32BE(keyEnd)
  if (valueLength < -1) throw damaged(position, `has the value length ${valueLength}`)
  const valueEnd = valueAt + Math.max(valueLength, 0)
  if (valueEnd + CRC_BYTES > entries.length) throw damaged(position, 'is cut off')
  if (crc32 !== null && crc32(entries.subarray(position, valueEnd)) !== entries.readUInt32BE(valueEnd)) {
    throw damaged(position, 'has a wrong CRC')
  }
  into.push({
    offset: safe(entries, position, 'offset', position),
    timestamp: safe(entries, position + 8, 'timestamp', position),
    key: keyLength < 0 ? null : entries.subarray(keyAt, keyEnd),
    value: valueLength < 0 ? null : entries.subarray(valueAt, valueEnd),
  })
  return valueEnd + CRC_BYTES
}

function safe(entries: Buffer, at: number, field: string, entry: number): number {
  const value = readInt64(entries, at)
  if (Number.isSafeInteger(value)) return value
  throw new MyKafkaError(
    'UNSAFE_INTEGER',
    `the ${field} ${entries.readBigInt64BE(at)} of the entry at byte ${entry} is beyond 2^53 - 1`,
  )
}

function damaged(position: number, what: string): MyKafkaError {
  return new MyKafkaError('CORRUPT_MESSAGE', `the entry at byte ${position} ${what}`)
}

/**
 * Bytes of a key, without its length.
 *
 * @throws MyKafkaError as {@link packedLength}
 */
export function lengthOfKey(key: FieldInput): number {
  return fieldLength(key, 'key', MAX_KEY_BYTES)
}

/**
 * Bytes of a value, without its length.
 *
 * @throws MyKafkaError as {@link packedLength}
 */
export function lengthOfValue(value: FieldInput): number {
  return fieldLength(value, 'value', MAX_VALUE_BYTES)
}

function fieldLength(field: FieldInput, name: string, limit: number): number {
  if (field === null) return 0
  if (typeof field !== 'string' && !(field instanceof Uint8Array)) {
    throw new MyKafkaError('INVALID_ARGUMENT', `a record's ${name} must be a string, a Uint8Array or null`)
  }
  const length = typeof field === 'string' ? Buffer.byteLength(field) : field.length
  if (length > limit) {
    throw new MyKafkaError('MESSAGE_TOO_LARGE', `a ${name} of ${length} bytes is larger than the ${limit} allowed`)
  }
  return length
}

/** Writes a key or a value with its length in front; returns the position behind it. */
export function writeField(field: FieldInput, into: Buffer, position: number): number {
  const at = position + LENGTH_BYTES
  if (field === null) return into.writeInt32BE(-1, position)
  let length = field.length
  if (typeof field === 'string') length = writeText(field, into, at)
  else into.set(field, at)
  into.writeInt32BE(length, position)
  return at + length
}

/** Writes text as UTF-8; returns how many bytes it takes. There is room for it. */
export function writeText(text: string, into: Buffer, at: number): number {
  if (text.length > SHORT_TEXT) return into.write(text, at, 'utf8')
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > MAX_ASCII) return into.write(text, at, 'utf8')
    into[at + i] = unit
  }
  return text.length
}
