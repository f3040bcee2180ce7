import { isUtf8 } from 'node:buffer'
import { readSync } from 'node:fs'
import { SCAN } from '../../native/native.js'

const HEADER_BYTES = 20

/** What the scanner says of an entry, by its number. */
export const VERDICTS = ['right', 'wrong', 'torn', 'no entry'] as const

export type Verdict = (typeof VERDICTS)[number]

/** One entry of a log file: a record, or a batch with its first offset. Of one that is torn or none, only the position is sure. */
export interface DumpedEntry {
  readonly position: number
  readonly length: number
  /** A bigint where a number cannot hold it. */
  readonly offset: number | bigint
  readonly timestamp: number | bigint
  readonly keyLength: number
  readonly valueLength: number
  readonly verdict: Verdict
}

/** Makes a line of an entry. */
export type EntryFormat = (entry: DumpedEntry, fd: number, file: string) => string

/** The entries of a scan's answer. */
export function* entriesOf(scanned: Float64Array): Generator<DumpedEntry> {
  for (let at = 0; at < scanned.length; at += SCAN.fields) {
    const field = (index: number): number => scanned[at + index] as number
    yield {
      position: field(SCAN.position),
      length: field(SCAN.length),
      offset: field(SCAN.offset),
      timestamp: field(SCAN.timestamp),
      keyLength: field(SCAN.keyLength),
      valueLength: field(SCAN.valueLength),
      verdict: VERDICTS[field(SCAN.verdict)] as Verdict,
    }
  }
}

/** The verdict on the last entry of a scan's answer; undefined where there is none. */
export function lastVerdict(scanned: Float64Array): Verdict | undefined {
  const number = scanned[scanned.length - SCAN.fields + SCAN.verdict]
  return number === undefined ? undefined : VERDICTS[number]
}

/** Whether the entry is whole, so that its fields mean something. */
export function isWhole({ verdict }: DumpedEntry): boolean {
  return verdict === 'right' || verdict === 'wrong'
}

/** Reads the key of a whole record; null where it has none. */
export function readKey(fd: number, { position, keyLength }: DumpedEntry): Buffer | null {
  return keyLength < 0 ? null : readBytes(fd, position + HEADER_BYTES, keyLength)
}

/** The record with its int64s as the file has them, where the scan could only come near. */
export function exact(fd: number, entry: DumpedEntry): DumpedEntry {
  if (Number.isSafeInteger(entry.offset) && Number.isSafeInteger(entry.timestamp)) return entry
  const header = readBytes(fd, entry.position, HEADER_BYTES)
  return { ...entry, offset: int64(header, 0), timestamp: int64(header, 8) }
}

export function int64(bytes: Buffer, at: number): number | bigint {
  const value = bytes.readBigInt64BE(at)
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}

export function readBytes(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  readSync(fd, bytes, 0, length, position)
  return bytes
}

/** A key as text, where it is text. */
export function keyText(key: Buffer): string | null {
  return isUtf8(key) ? key.toString() : null
}
