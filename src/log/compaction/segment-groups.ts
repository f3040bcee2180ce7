/** What the grouping of segments looks at. */
export interface GroupableSegment {
  readonly baseOffset: number
  /** Base offset of the segment behind it. */
  readonly endOffset: number
  /** Of its log file. */
  readonly bytes: number
  readonly tombstones: TombstoneAge
}

/** When the time of a segment's tombstones began; `over`: there are none, or they go. */
export type TombstoneAge = 'over' | number

export interface GroupLimits {
  /** `segment.bytes` */
  readonly segmentBytes: number
  /** `segment.index.bytes` */
  readonly segmentIndexBytes: number
  /** `index.interval.bytes` */
  readonly indexIntervalBytes: number
  /** Tombstones whose time began within the same span of so many ms count as of one age. */
  readonly ageSpanMs: number
}

/** Relative offsets are of 32 bits, and Kafka's of 31. */
const MOST_OFFSETS = 2 ** 31 - 1
/** An index has this much for each entry. */
const INDEX_ENTRY_BYTES = 8
/** No entry of a log is shorter. */
const SMALLEST_ENTRY = 28
/** The old segments stay until the new one is written: so many times its limit at the most. */
const MOST_SOURCES = 16

/**
 * Neighbouring segments that become one, while it is written: another joins as long as it fits behind what is left of
 * those before it. (Kafka goes by what they were, and takes several cleanings to the same end.) Tombstones of different
 * ages are not put together: a time that began anew with every cleaning would never be over.
 */
export class SegmentGroup<T extends GroupableSegment> {
  readonly #limits: GroupLimits
  readonly #segments: T[] = []
  #sourceBytes = 0
  #age: TombstoneAge = 'over'

  constructor(limits: GroupLimits, first: T) {
    this.#limits = limits
    this.add(first)
  }

  /** In the order of their offsets. */
  get segments(): readonly T[] {
    return this.#segments
  }

  get baseOffset(): number {
    return (this.#segments[0] as T).baseOffset
  }

  get endOffset(): number {
    return (this.#segments.at(-1) as T).endOffset
  }

  /** When the time of its tombstones began. */
  get tombstones(): TombstoneAge {
    return this.#age
  }

  /** @param written - bytes that are left of those before it */
  takes({ endOffset, bytes, tombstones }: T, written: number): boolean {
    const { segmentBytes, segmentIndexBytes } = this.#limits
    const offsets = endOffset - this.baseOffset
    return (
      written + bytes <= segmentBytes &&
      this.#sourceBytes + bytes <= segmentBytes * MOST_SOURCES &&
      this.#indexBytes(written + bytes, offsets) <= segmentIndexBytes &&
      offsets <= MOST_OFFSETS &&
      this.#isOfAge(tombstones)
    )
  }

  add(segment: T): void {
    this.#segments.push(segment)
    this.#sourceBytes += segment.bytes
    if (segment.tombstones === 'over') return
    this.#age = this.#age === 'over' ? segment.tombstones : Math.max(this.#age, segment.tombstones)
  }

  #isOfAge(tombstones: TombstoneAge): boolean {
    if (tombstones === 'over' || this.#age === 'over') return true
    const { ageSpanMs } = this.#limits
    return Math.floor(tombstones / ageSpanMs) === Math.floor(this.#age / ageSpanMs)
  }

  /** As much as an index of so many bytes and offsets can take at the most. */
  #indexBytes(bytes: number, offsets: number): number {
    const entries = bytes / Math.max(SMALLEST_ENTRY, this.#limits.indexIntervalBytes) + 1
    return Math.ceil(Math.min(offsets, entries)) * INDEX_ENTRY_BYTES
  }
}
