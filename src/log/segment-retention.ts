import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import type { NativeSegment } from '../native/native.js'
import type { DeletedFiles } from './deleted-files.js'
import type { LogConfig } from './log-config.js'
import {
  needsTimestamp,
  type RemovalReason,
  RetentionPass,
  type RetentionView,
  type SegmentFacts,
} from './retention.js'
import { removalSentence } from './retention-reason.js'
import type { SegmentList } from './segment-list.js'
import { largestTimestamp } from './segment-timestamps.js'

/** What retention asks of the log that it looks after. */
export interface RetentionTarget {
  readonly directory: string
  readonly segments: SegmentList
  readonly deletedFiles: DeletedFiles
  readonly logger: Logger
  config(): LogConfig
  logStartOffset(): number
  logEndOffset(): number
  highWatermark(): number
  /** @throws MyKafkaError when the log is closed */
  requireOpen(): void
  /** Whether the active segment has records and is older than `segment.ms` by the clock. */
  isOldBy(now: number): Promise<boolean>
  /** Starts a new segment, unless the log has grown above this offset. Returns whether it did. */
  rollAt(endOffset: number): Promise<boolean>
  /** Resolves when everything below the offset is on the disk, as far as the log is ever synced. */
  flushed(offset: number): Promise<void>
  raiseLogStart(offset: number): void
  /** Runs while nobody else changes the row of segments, or syncs them. */
  exclusive<T>(run: () => Promise<T>): Promise<T>
  /** Segments were removed. */
  removed(): Promise<void>
}

/** A segment that was removed. */
export interface RemovedSegment {
  readonly baseOffset: number
  readonly nextOffset: number
  readonly bytes: number
  readonly reason: RemovalReason
}

/** What the last removal from a log did. */
export interface RetentionReport {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly removed: readonly RemovedSegment[]
}

/**
 * Removes segments from the front of a log, in two steps: what is too old or too much counts as deleted, by a raised log
 * start offset; and, when that is on the disk, the files of what lies below it go. A crash in between leaves files that
 * the next start removes.
 */
export class SegmentRetention {
  readonly #target: RetentionTarget
  /** By base offset, why a segment counts as deleted. */
  readonly #reasons = new Map<number, RemovalReason>()
  #report: RetentionReport | null = null

  constructor(target: RetentionTarget) {
    this.#target = target
  }

  /** What was removed last; null where nothing was since the log was opened. */
  get report(): RetentionReport | null {
    return this.#report
  }

  /**
   * Starts a new segment where the active one is older than `segment.ms` by the clock, so that what it holds can be
   * removed or compacted though nothing is appended.
   *
   * @param now - milliseconds since 1970
   * @throws MyKafkaError LOG_CLOSED, KAFKA_STORAGE_ERROR
   */
  async rollIfOld(now: number): Promise<void> {
    const { directory, logger, logEndOffset, requireOpen, isOldBy, rollAt } = this.#target
    requireOpen()
    const baseOffset = logEndOffset()
    if (!(await isOldBy(now)) || !(await rollAt(baseOffset))) return
    logger.info({ directory, baseOffset }, 'rolled a segment that was older than segment.ms')
  }

  /**
   * Counts as deleted what is too old or too much, by a raised log start offset. Where that is all there is, the log
   * rolls, so that it keeps its offsets.
   *
   * @param now - milliseconds since 1970
   * @returns whether segments lie below the log start offset, whose files can go when it is on the disk
   * @throws MyKafkaError LOG_CLOSED, LOG_FAILED, KAFKA_STORAGE_ERROR
   */
  async expire(now: number): Promise<boolean> {
    const { segments, logStartOffset, raiseLogStart, flushed, requireOpen } = this.#target
    const { cuts } = segments
    for (let isWhole = false; !isWhole && cuts === segments.cuts; ) {
      requireOpen()
      const found = await this.#newStart(now)
      isWhole = found.isWhole
      // Where the log was cut meanwhile, other records may have the offsets: the next check sees what there is then.
      if (found.start <= logStartOffset() || cuts !== segments.cuts) continue
      // Behind power loss a log must not end below its start: what is appended then would count as deleted.
      await flushed(found.start)
      if (cuts === segments.cuts) raiseLogStart(found.start)
    }
    return segments.below(logStartOffset()).length > 0
  }

  /**
   * Removes the segments that hold nothing from the offset on. Slices of them stay readable.
   *
   * @param offset - a log start offset that is on the disk
   * @param urgent - the disk is full, and so the offset may not be on it: what is left of the log then has to say where
   *   it begins, at every moment. The files do not wait for their removal
   * @throws MyKafkaError LOG_CLOSED, KAFKA_STORAGE_ERROR
   */
  async removeBelow(offset: number, now: number, urgent = false): Promise<RemovedSegment[]> {
    const { segments, exclusive, logStartOffset } = this.#target
    const removed: RemovedSegment[] = []
    await exclusive(async () => {
      // One after another: what is left has no gap at any moment.
      const start = Math.min(offset, logStartOffset())
      try {
        for (const segment of [...segments.below(start)]) removed.push(await this.#remove(segment, start, urgent))
      } finally {
        if (removed.length > 0) {
          this.#report = { at: now, removed }
          await this.#target.removed()
        }
      }
    })
    return removed
  }

  /** How retention sees the log and each of its segments, for {@link whyKept}; what is not known yet is left open. */
  async view(now: number): Promise<{ view: RetentionView; segments: SegmentFacts[] }> {
    const { segments } = this.#target
    const facts = segments.all().map((segment, index) => ({ segment, ...this.#factsAt(index) }))
    const view = this.#view(now)
    const known = facts.map(async ({ segment, ...each }) => {
      // A segment that is removed meanwhile is closed.
      return { ...each, largestTimestamp: each.bytes > 0 ? await largestTimestamp(segment).catch(() => null) : null }
    })
    return { view, segments: await Promise.all(known) }
  }

  /** Where the log is to begin. Not whole: compaction replaced a segment that was being looked at, and more may go. */
  async #newStart(now: number): Promise<{ start: number; isWhole: boolean }> {
    const { directory, segments, rollAt, logStartOffset, logger, requireOpen } = this.#target
    const view = this.#view(now)
    const pass = new RetentionPass(view)
    // On a full disk there may be no room for a new segment before the others are gone.
    const notRolled = (err: unknown): false => {
      requireOpen()
      logger.warn({ directory, err }, 'retention keeps the active segment: the log could not roll')
      return false
    }
    let start = logStartOffset()
    // A copy: the log may grow, and other segments be replaced, while one is read.
    for (const segment of [...segments.all()]) {
      const timestamp = await this.#timestampAsked(segment, view)
      // What is there still is what it was.
      const facts = this.#facts(segment)
      if (facts === null) return { start, isWhole: false }
      const reason = pass.next({ ...facts, largestTimestamp: timestamp })
      if (reason === null) break
      if (facts.active && !(await rollAt(facts.nextOffset).catch(notRolled))) break
      this.#reasons.set(segment.baseOffset, reason)
      // Without records behind it that go, it takes no offset away: whoever reads there finds what follows.
      if (reason.by !== 'empty') start = Math.max(start, facts.nextOffset)
    }
    return { start, isWhole: true }
  }

  /** Null where the rules do not ask for it, or the segment is gone. */
  async #timestampAsked(segment: NativeSegment, view: RetentionView): Promise<number | null> {
    const facts = this.#facts(segment)
    if (facts === null || !needsTimestamp(facts, view)) return null
    try {
      return await largestTimestamp(segment, view.now - view.rules.retentionMs)
    } catch (error) {
      // Its files go a little before it does.
      if (await this.#target.exclusive(async () => this.#facts(segment) !== null)) throw error
      return null
    }
  }

  async #remove(segment: NativeSegment, offset: number, urgent: boolean): Promise<RemovedSegment> {
    const { directory, segments, deletedFiles, config, logger } = this.#target
    const { baseOffset, nextOffset, bytes } = this.#factsAt(segments.all().indexOf(segment))
    const reason = this.#reasons.get(baseOffset) ?? { by: 'log-start', logStartOffset: offset }
    await deletedFiles.add(baseOffset, urgent ? 0 : config().fileDeleteDelayMs)
    segments.replace([segment])
    segment.close()
    if (urgent) await native.syncDirectory(directory)
    this.#reasons.delete(baseOffset)
    logger.info({ directory, baseOffset, nextOffset, bytes }, `removed a segment: ${removalSentence(reason)}`)
    return { baseOffset, nextOffset, bytes, reason }
  }

  #view(now: number): RetentionView {
    const { config, segments, logStartOffset, highWatermark } = this.#target
    const { deletes, retentionMs, retentionBytes } = config()
    return {
      rules: { deletes, retentionMs, retentionBytes },
      logStartOffset: logStartOffset(),
      highWatermark: highWatermark(),
      bytes: segments.all().reduce((sum, segment) => sum + segment.size(), 0),
      now,
    }
  }

  /** Null where the segment is gone. */
  #facts(segment: NativeSegment): Omit<SegmentFacts, 'largestTimestamp'> | null {
    const index = this.#target.segments.all().indexOf(segment)
    return index < 0 ? null : this.#factsAt(index)
  }

  #factsAt(index: number): Omit<SegmentFacts, 'largestTimestamp'> {
    const { segments, logEndOffset } = this.#target
    const segment = segments.at(index) as NativeSegment
    const next = segments.at(index + 1)
    return {
      baseOffset: segment.baseOffset,
      nextOffset: next?.baseOffset ?? logEndOffset(),
      bytes: segment.size(),
      active: next === undefined,
    }
  }
}
