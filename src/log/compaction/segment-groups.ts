/** What the grouping of segments looks at. */
export interface GroupableSegment {
  readonly baseOffset: number
  /** Base offset of the segment behind it. */
  readonly endOffset: number
  /** Of its log file. */
  readonly bytes: number
  /** What its index takes at the most. */
  readonly indexBytes: number
  readonly tombstones: TombstoneAge
}

/**
 * What becomes of a segment's tombstones: `fresh` ones begin their time with this cleaning; those whose time is `over`
 * go; a number is the time of the cleaning that theirs began with, and they keep it.
 */
export type TombstoneAge = 'fresh' | 'over' | number

export interface GroupLimits {
  /** `segment.bytes` */
  readonly segmentBytes: number
  /** `segment.index.bytes` */
  readonly indexBytes: number
}

/** Neighbouring segments that become one. */
export interface SegmentGroup<T> {
  readonly segments: readonly T[]
  /** What its tombstones count their time from; null: this cleaning. */
  readonly cleanedAt: number | null
}

/** Relative offsets are of 32 bits, and Kafka's of 31. */
const MOST_OFFSETS = 2 ** 31 - 1

/**
 * Gathers neighbours into groups, each small enough for one segment. Tombstones with different times are not put
 * together: a time that began anew with every cleaning would never be over.
 *
 * @param segments - in the order of their offsets
 */
export function groupSegments<T extends GroupableSegment>(
  segments: readonly T[],
  limits: GroupLimits,
): SegmentGroup<T>[] {
  const groups: SegmentGroup<T>[] = []
  let open: OpenGroup<T> | null = null
  for (const segment of segments) {
    if (open?.takes(segment, limits)) {
      open.add(segment)
      continue
    }
    if (open !== null) groups.push(open.group())
    open = new OpenGroup(segment)
  }
  if (open !== null) groups.push(open.group())
  return groups
}

class OpenGroup<T extends GroupableSegment> {
  readonly #segments: T[] = []
  readonly #baseOffset: number
  #bytes = 0
  #indexBytes = 0
  #age: TombstoneAge = 'over'

  constructor(first: T) {
    this.#baseOffset = first.baseOffset
    this.add(first)
  }

  takes({ endOffset, bytes, indexBytes, tombstones }: T, limits: GroupLimits): boolean {
    return (
      this.#bytes + bytes <= limits.segmentBytes &&
      this.#indexBytes + indexBytes <= limits.indexBytes &&
      endOffset - this.#baseOffset <= MOST_OFFSETS &&
      (tombstones === 'over' || this.#age === 'over' || tombstones === this.#age)
    )
  }

  add(segment: T): void {
    this.#segments.push(segment)
    this.#bytes += segment.bytes
    this.#indexBytes += segment.indexBytes
    if (segment.tombstones !== 'over') this.#age = segment.tombstones
  }

  group(): SegmentGroup<T> {
    return { segments: this.#segments, cleanedAt: typeof this.#age === 'number' ? this.#age : null }
  }
}
