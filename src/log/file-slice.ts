import type { NativeSegment } from '../native/native.js'

/**
 * Whole entries of a segment file, ready to be sent as they are. The file stays open until `release`,
 * whatever becomes of the segment; `release` is called exactly once.
 */
export interface FileSlice {
  readonly segment: NativeSegment
  /** In bytes, from the start of the segment's log file. */
  readonly position: number
  /** In bytes. */
  readonly length: number
  release(): void
}

/** The slices of one log that are in use, so that a truncation can wait for those above its cut. */
export class SliceTracker {
  readonly #slices = new Set<TrackedSlice>()
  #waiting: (() => void)[] = []

  take(segment: NativeSegment, position: number, length: number, lastOffset: number): FileSlice {
    segment.pin()
    const slice = new TrackedSlice(this, segment, position, length, lastOffset)
    this.#slices.add(slice)
    return slice
  }

  /** @internal */
  released(slice: TrackedSlice): void {
    this.#slices.delete(slice)
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  /** Resolves when no slice of this segment holds the offset or one above it. */
  async idleFrom(segment: NativeSegment, offset: number): Promise<void> {
    while (this.#reaches(segment, offset)) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  #reaches(segment: NativeSegment, offset: number): boolean {
    for (const slice of this.#slices) {
      if (slice.segment === segment && slice.lastOffset >= offset) return true
    }
    return false
  }
}

class TrackedSlice implements FileSlice {
  #released = false

  constructor(
    private readonly tracker: SliceTracker,
    readonly segment: NativeSegment,
    readonly position: number,
    readonly length: number,
    readonly lastOffset: number,
  ) {}

  release(): void {
    if (this.#released) return
    this.#released = true
    this.segment.unpin()
    this.tracker.released(this)
  }
}
