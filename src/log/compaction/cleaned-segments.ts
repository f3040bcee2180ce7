import type { NativeSegment } from '../../native/native.js'
import type { TombstoneAge } from './segment-groups.js'

interface Cleaned {
  readonly cleanedAt: number
  /** Not known behind a start: then it counts as true. */
  readonly hasTombstones: boolean
}

/** What is known of the segments that compaction left, by base offset. */
export class CleanedSegments {
  readonly #known: Map<number, Cleaned>

  /** @param cleanedAt - by base offset, what the `.compacted` files say; milliseconds since 1970 */
  constructor(cleanedAt: ReadonlyMap<number, number>) {
    this.#known = new Map([...cleanedAt].map(([base, time]) => [base, { cleanedAt: time, hasTombstones: true }]))
  }

  /** When a segment was compacted; null: never. */
  cleanedAt(segment: NativeSegment): number | null {
    if (!segment.sparse) return null
    return this.#known.get(segment.baseOffset)?.cleanedAt ?? Date.now()
  }

  /** When the time of its tombstones began; null: it was never compacted. */
  tombstones(segment: NativeSegment): TombstoneAge | null {
    const cleanedAt = this.cleanedAt(segment)
    return this.#known.get(segment.baseOffset)?.hasTombstones === false && cleanedAt !== null ? 'over' : cleanedAt
  }

  /** One took the place of these. */
  replaced(old: readonly NativeSegment[], cleaned: Cleaned): void {
    for (const { baseOffset } of old) this.#known.delete(baseOffset)
    this.#known.set((old[0] as NativeSegment).baseOffset, cleaned)
  }

  /** The log ends at this offset now: a segment that begins there is another one. */
  truncated(offset: number): void {
    for (const base of [...this.#known.keys()]) if (base >= offset) this.#known.delete(base)
  }
}
