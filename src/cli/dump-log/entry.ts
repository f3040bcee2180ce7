import { isUtf8 } from 'node:buffer'
import { readSync } from 'node:fs'
import { SCAN } from '../../native/native.js'

const HEADER_BYTES = 20

/** What the scanner says of an entry, by its number. */
export const VERDICTS = ['right', 'wrong', 'torn', 'no entry'] as const

export type Verdict = (typeof VERDICTS)[number]

/** One entry of a log file. Of one that is torn or none, only the position is sure. */
export interface DumpedEntry {
  readonly position: number
  readonly length: number
  readonly offset: number
  readonly timestamp: number
  readonly keyLength: number
  readonly valueLength: number
  readonly verdict: Verdict
}

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

/** Whether the entry is whole, so that its fields mean something. */
export function isWhole({ verdict }: DumpedEntry): boolean {
  return verdict === 'right' || verdict === 'wrong'
}

/** Reads the key of a whole entry; null where it has none. */
export function readKey(fd: number, { position, keyLength }: DumpedEntry): Buffer | null {
  if (keyLength < 0) return null
  const key = Buffer.alloc(keyLength)
  readSync(fd, key, 0, keyLength, position + HEADER_BYTES)
  return key
}

/** A key as text, where it is text. */
export function keyText(key: Buffer): string | null {
  return isUtf8(key) ? key.toString() : null
}
