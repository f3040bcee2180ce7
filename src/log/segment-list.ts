import type { NativeSegment } from '../native/native.js'

/** The segments of a log in the order of their offsets; the last one is active. */
export class SegmentList {
  readonly #segments: NativeSegment[]
  #changes = 0
  #cuts = 0

  constructor(segments: NativeSegment[]) {
    this.#segments = segments
  }

  get active(): NativeSegment {
    const last = this.#segments.at(-1)
    if (last === undefined) throw new Error('a log has at least one segment')
    return last
  }

  get first(): NativeSegment {
    return this.#segments[0] ?? this.active
  }

  /** Grows whenever segments were removed, replaced or cut: what was found in one may be gone. */
  get changes(): number {
    return this.#changes
  }

  /** Grows whenever the log was cut: other records may have its last offsets. */
  get cuts(): number {
    return this.#cuts
  }

  all(): readonly NativeSegment[] {
    return this.#segments
  }

  /** The segments from the one that holds the offset on. */
  from(offset: number): readonly NativeSegment[] {
    return this.#segments.slice(this.indexOf(offset))
  }

  push(segment: NativeSegment): void {
    this.#segments.push(segment)
  }

  /** Removes and returns the segments whose base offset is above the given one; the one below it is about to be cut. */
  removeAbove(offset: number): NativeSegment[] {
    const index = this.indexOf(offset)
    this.#changes++
    this.#cuts++
    return this.#segments.splice(index + 1)
  }

  /** The segments that hold nothing from the offset on. Never the active one. */
  below(offset: number): readonly NativeSegment[] {
    return this.#segments.slice(0, this.indexOf(offset))
  }

  /** Takes segments out that stand in a row, and puts one in their place where one is given. */
  replace(gone: readonly NativeSegment[], by?: NativeSegment): void {
    const index = this.#segments.indexOf(gone[0] as NativeSegment)
    this.#changes++
    this.#segments.splice(index, gone.length, ...(by ? [by] : []))
  }

  at(index: number): NativeSegment | undefined {
    return this.#segments[index]
  }

  /** The index of the segment that holds the offset: the last whose base offset is not above it. */
  indexOf(offset: number): number {
    let low = 0
    let high = this.#segments.length - 1
    // The newest segment answers most reads.
    if (high >= 0 && (this.#segments[high] as NativeSegment).baseOffset <= offset) return high
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if ((this.#segments[middle] as NativeSegment).baseOffset <= offset) low = middle
      else high = middle - 1
    }
    return low
  }
}
