/** The records that are there, and the rules by which a compaction removes some. */
import { type Cleaned, DELETE_RETENTION_MS } from './life.js'
import type { SeenRecord } from './view.js'

interface Kept extends SeenRecord {
  /** When a compaction first found it, and when one last found it in its dirty part; null: none has. */
  firstCleanedAt: number | null
  lastDirtyAt: number | null
  /** A compaction may have removed it and need not have. */
  mayBeGone: boolean
}

export class KeptRecords {
  /** By offset, ascending. */
  readonly #kept = new Map<number, Kept>()

  add(record: SeenRecord): void {
    this.#kept.set(record.offset, { ...record, firstCleanedAt: null, lastDirtyAt: null, mayBeGone: false })
  }

  /** Whether it is there for sure. */
  has(offset: number): boolean {
    return this.#kept.get(offset)?.mayBeGone === false
  }

  /** Those that are there for sure. */
  sure(): SeenRecord[] {
    return [...this.#kept.values()].filter(({ mayBeGone }) => !mayBeGone)
  }

  /** Those from an offset on. */
  from(start: number): SeenRecord[] {
    const records: SeenRecord[] = []
    for (const { offset, timestamp, key, value, header } of this.#kept.values()) {
      if (offset >= start) records.push({ offset, timestamp, key, value, header })
    }
    return records
  }

  removeBelow(end: number): void {
    for (const offset of this.#kept.keys()) if (offset < end) this.#kept.delete(offset)
  }

  removeFrom(start: number): void {
    for (const offset of this.#kept.keys()) if (offset >= start) this.#kept.delete(offset)
  }

  /**
   * Of every key below its end, a cleaning that came to its end leaves the last record. What may be gone and need not
   * be: tombstones, and what has a later one that memory was enough for.
   */
  cleaned({ firstDirtySegment, endOffset, knownTo, ended }: Cleaned, now: number): void {
    const later = this.#latestBelow(endOffset)
    const known = this.#latestBelow(knownTo)
    for (const record of this.#kept.values()) {
      const { offset, key, value } = record
      if (offset >= endOffset) break
      if (ended && later.get(key) !== offset) this.#kept.delete(offset)
      else if (ended && value === null && mustBeGone(record, firstDirtySegment, now)) this.#kept.delete(offset)
      found(record, known, now)
      if (offset >= firstDirtySegment) record.lastDirtyAt = now
    }
  }

  /** The process was killed in a cleaning: what its segments say about when they were cleaned is not known. */
  cleanedInPart(endOffset: number, now: number): void {
    const known = this.#latestBelow(endOffset)
    for (const record of this.#kept.values()) {
      if (record.offset >= endOffset) break
      found(record, known, now)
      record.lastDirtyAt = null
    }
  }

  /**
   * What a reader misses is gone from now on.
   *
   * @throws where it must not be gone
   */
  settle(seen: readonly SeenRecord[], logStartOffset: number): void {
    const there = new Set(seen.map(({ offset }) => offset))
    for (const [offset, record] of this.#kept) {
      if (offset < logStartOffset) continue
      if (there.has(offset)) record.mayBeGone = false
      else if (record.mayBeGone) this.#kept.delete(offset)
      else throw new Error(`${text(record)} is gone, and no compaction may have removed it`)
    }
  }

  /** By key, the last offset below an end. */
  #latestBelow(endOffset: number): Map<string, number> {
    const latest = new Map<string, number>()
    for (const { key, offset } of this.#kept.values()) if (offset < endOffset) latest.set(key, offset)
    return latest
  }
}

/** A cleaning that knew the last record of each key found this one. */
function found(record: Kept, known: ReadonlyMap<string, number>, now: number): void {
  const { offset, key, value, firstCleanedAt } = record
  const isOver = firstCleanedAt !== null && firstCleanedAt + DELETE_RETENTION_MS <= now
  record.mayBeGone ||= known.get(key) !== offset || (value === null && isOver)
  record.firstCleanedAt ??= now
}

/** Segments that were cleaned within so long of each other may become one, whose tombstones stay as long as the younger. */
const AGE_SPAN_MS = DELETE_RETENTION_MS / 8

/** A tombstone whose time is over goes with the next cleaning that has it in its clean part. */
function mustBeGone({ offset, lastDirtyAt }: Kept, firstDirtySegment: number, now: number): boolean {
  return offset < firstDirtySegment && lastDirtyAt !== null && lastDirtyAt + DELETE_RETENTION_MS + AGE_SPAN_MS <= now
}

export function text({ offset, key, value, timestamp }: SeenRecord): string {
  return `${offset}: ${key}=${value?.slice(0, 20) ?? null}@${timestamp}`
}
