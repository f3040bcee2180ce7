import { randomInt } from 'node:crypto'
import type { NativeSegment } from '../native/native.js'
import type { LogConfig } from './log-config.js'
import type { SegmentList } from './segment-list.js'
import { firstTimestamp } from './segment-timestamps.js'

/** When the active segment began. */
interface Beginning {
  /** The largest timestamp of its first entry; -1 where that bears none. */
  readonly timestamp: number
  /** By the clock. */
  at: number
}

const LARGEST_RANDOM = 2 ** 48 - 1

/**
 * Whether the active segment is old enough to roll: as in Kafka, by how far the timestamp of what is appended lies
 * behind that of the segment's first entry, and by the clock where there are no timestamps. For a log that nobody
 * appends to there is {@link isOldBy}, which goes by the clock alone.
 */
export class SegmentAge {
  readonly #segments: SegmentList
  readonly #config: () => LogConfig
  readonly #now: () => number
  #jitterMs = 0
  /** Null while the segment is empty, or was begun before this log was opened and not looked at yet. */
  #beginning: Beginning | null = null

  constructor(segments: SegmentList, config: () => LogConfig, now: () => number) {
    this.#segments = segments
    this.#config = config
    this.#now = now
  }

  /** The active segment is empty, and its first entry will have this timestamp. */
  begin(timestamp: number): void {
    const { segmentMs, segmentJitterMs } = this.#config()
    const most = Math.min(segmentMs, segmentJitterMs, LARGEST_RANDOM)
    this.#jitterMs = most > 0 ? randomInt(most) : 0
    this.#beginning = { timestamp, at: this.#now() }
  }

  /** The active segment is another one, or another part of it. */
  forget(): void {
    this.#beginning = null
  }

  /** Whether an entry of this timestamp belongs into another segment than the active one, which is not empty. */
  isOldFor(timestamp: number): boolean {
    if (this.#beginning === null) this.#learnAtOnce()
    const beginning = this.#beginning
    if (beginning === null) return false
    const waited = beginning.timestamp >= 0 ? timestamp - beginning.timestamp : this.#now() - beginning.at
    return waited > this.#limit
  }

  /** Whether the active segment, which is not empty, is old by the clock. */
  async isOldBy(now: number): Promise<boolean> {
    const { active } = this.#segments
    if (this.#beginning === null) this.#learned(active, await this.#firstTimestamp(active))
    const beginning = this.#beginning
    if (beginning === null) return false
    // Where the clock was set back, the segment does not wait until it has caught up.
    beginning.at = Math.min(beginning.at, now)
    return now - beginning.at > this.#limit
  }

  /** Where the segment's first bytes are not in memory, a later append knows. */
  #learnAtOnce(): void {
    const { active } = this.#segments
    try {
      const timestamp = this.#firstTimestamp(active)
      if (typeof timestamp === 'number') this.#learned(active, timestamp)
      else timestamp.then((late) => this.#learned(active, late)).catch(() => {})
    } catch {
      // The append itself says what is wrong with the segment.
    }
  }

  #firstTimestamp(segment: NativeSegment): number | Promise<number> {
    return firstTimestamp(segment, this.#config().recordFormat)
  }

  #learned(segment: NativeSegment, timestamp: number): void {
    if (segment !== this.#segments.active) return
    const now = this.#now()
    this.#beginning ??= { timestamp, at: timestamp >= 0 ? Math.min(timestamp, now) : now }
  }

  get #limit(): number {
    return this.#config().segmentMs - this.#jitterMs
  }
}
