/** The records that are there, and the rules by which a compaction removes some. */
import { type Cleaned, DELETE_RETENTION_MS } from './life.js'
import type { SeenRecord } from './view.js'

interface Kept extends SeenRecord {
  /** When a compaction first found it, and when one last found it in its dirty part; null: none has. */
  firstCleanedAt: number | null
  lastDirtyAt: number | null
}

/** A cleaning of which it is not known what it removed. */
interface Unsure {
  /** From here on nothing was removed. */
  readonly endOffset: number
  /** It looked at no key from here on. */
  readonly knownTo: number
}

export class KeptRecords {
  /** By offset, ascending. */
  readonly #kept = new Map<number, Kept>()
  #unsure: Unsure | null = null

  add(record: SeenRecord): void {
    this.#kept.set(record.offset, { ...record, firstCleanedAt: null, lastDirtyAt: null })
  }

  has(offset: number): boolean {
    return this.#kept.has(offset)
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

  /** Of every key below its end, a cleaning that came to its end leaves the last record. */
  cleaned({ firstDirtySegment, endOffset, knownTo, ended }: Cleaned, now: number): void {
    const later = this.#latestBelow(endOffset)
    // What may be gone and need not be: tombstones, and what has a later one that memory was enough for.
    this.#unsure = { endOffset, knownTo }
    for (const record of this.#kept.values()) {
      const { offset, key, value } = record
      if (offset >= endOffset) break
      if (ended && later.get(key) !== offset) this.#kept.delete(offset)
      else if (ended && value === null && mustBeGone(record, firstDirtySegment, now)) this.#kept.delete(offset)
      record.firstCleanedAt ??= now
      if (offset >= firstDirtySegment) record.lastDirtyAt = now
    }
  }

  /** The process was killed in a cleaning: what its segments say about when they were cleaned is not known. */
  cleanedInPart(endOffset: number, now: number): void {
    this.#unsure = { endOffset, knownTo: endOffset }
    for (const record of this.#kept.values()) {
      if (record.offset >= endOffset) break
      record.firstCleanedAt ??= now
      record.lastDirtyAt = null
    }
  }

  /**
   * What a reader misses behind a cleaning is gone from now on.
   *
   * @throws where it must not be gone
   */
  settle(seen: readonly SeenRecord[], logStartOffset: number, now: number): void {
    if (this.#unsure === null) return
    const { endOffset, knownTo } = this.#unsure
    this.#unsure = null
    const there = new Set(seen.map(({ offset }) => offset))
    const later = this.#latestBelow(knownTo)
    for (const [offset, record] of this.#kept) {
      if (there.has(offset) || offset < logStartOffset || offset >= endOffset) continue
      const { key, value, firstCleanedAt } = record
      const isOver = firstCleanedAt !== null && firstCleanedAt + DELETE_RETENTION_MS <= now
      if (later.get(key) === offset && !(value === null && isOver)) {
        throw new Error(`${text(record)} is gone, and nothing of its key is behind it`)
      }
      this.#kept.delete(offset)
    }
  }

  /** By key, the last offset below an end. */
  #latestBelow(endOffset: number): Map<string, number> {
    const latest = new Map<string, number>()
    for (const { key, offset } of this.#kept.values()) if (offset < endOffset) latest.set(key, offset)
    return latest
  }
}

/** A tombstone whose time is over goes with the next cleaning that has it in its clean part. */
function mustBeGone({ offset, lastDirtyAt }: Kept, firstDirtySegment: number, now: number): boolean {
  return offset < firstDirtySegment && lastDirtyAt !== null && lastDirtyAt + DELETE_RETENTION_MS <= now
}

export function text({ offset, key, value, timestamp }: SeenRecord): string {
  return `${offset}: ${key}=${value?.slice(0, 20) ?? null}@${timestamp}`
}
