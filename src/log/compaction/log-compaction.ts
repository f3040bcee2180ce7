import type { MyKafkaError } from '../../errors.js'
import type { Logger } from '../../logger.js'
import type { NativeSegment } from '../../native/native.js'
import type { LogConfig } from '../log-config.js'
import type { SegmentList } from '../segment-list.js'
import { firstTimestamp, largestTimestamp } from '../segment-timestamps.js'
import { type Cleanable, type CleanableSegment, type CompactionSettings, cleanableOf } from './cleanable.js'
import { CleanedSegments } from './cleaned-segments.js'
import { Cleaning, type CleaningOptions, isLogFailed } from './cleaning.js'
import type { CleaningReport } from './cleaning-report.js'

/** What compaction asks of the log that it belongs to. */
export interface CompactedLog {
  readonly directory: string
  readonly segments: SegmentList
  readonly logger: Logger
  config(): LogConfig
  logStartOffset(): number
  logEndOffset(): number
  highWatermark(): number
  recoveryPoint(): number
  /** Brings everything that is appended to the disk. */
  flush(): Promise<void>
  /** Brings the recovery point to the disk. */
  checkpoint(): Promise<void>
  /** Brings it to the disk how far the log has been compacted. */
  checkpointCleaned(): Promise<void>
  /** Of each producer, the last offset of its last batch. */
  producerOffsets(): number[]
  /** Runs while nobody else changes the row of segments. What is appended is synced meanwhile. */
  exclusive<T>(run: () => Promise<T>): Promise<T>
  /** Files of the directory that are to be unlinked some time. */
  unlinkLater(names: readonly string[]): void
  /** Files and memory are at odds: the log must take no writes until it is opened again. Returns what says so. */
  failed(error: unknown): MyKafkaError
}

/** What the opening of a log found out about its compaction. */
export interface CompactionState {
  /** Offset below which it was compacted; 0 where it was not, or that is not known. */
  readonly cleanedTo: number
  /** By base offset, when the segments that have a `.compacted` file were compacted. */
  readonly cleanedAt: ReadonlyMap<number, number>
}

/** The compaction of one log: what there is to do, and the doing. */
export class LogCompaction {
  readonly #log: CompactedLog
  readonly #cleaned: CleanedSegments
  #cleanedTo: number
  #last: CleaningReport | null = null
  #failure: unknown = null
  /** Of the cleaning that is under way. */
  #current: AbortController | null = null
  #turn: Promise<unknown> = Promise.resolve()
  #stopped: unknown = null

  constructor(log: CompactedLog, { cleanedTo, cleanedAt }: CompactionState) {
    this.#log = log
    // Above the active segment's base nothing is compacted: what was is gone, and what comes there is not.
    this.#cleanedTo = Math.min(cleanedTo, log.segments.active.baseOffset)
    this.#cleaned = new CleanedSegments(cleanedAt)
  }

  /** Offset below which the log is compacted; 0 where it never was. */
  get cleanedTo(): number {
    return this.#cleanedTo
  }

  /** Where the next cleaning begins. */
  get firstDirtyOffset(): number {
    const { segments, logStartOffset } = this.#log
    return Math.max(logStartOffset(), segments.first.baseOffset, this.#cleanedTo)
  }

  /** Whether a cleaning is under way. */
  get isCleaning(): boolean {
    return this.#current !== null
  }

  /** What the last cleaning of this process did. */
  get last(): CleaningReport | null {
    return this.#last
  }

  /** Why the last attempt failed, where it did. */
  get failure(): unknown {
    return this.#failure
  }

  /** When a segment was compacted; null: never. */
  cleanedAt(segment: NativeSegment): number | null {
    return this.#cleaned.cleanedAt(segment)
  }

  /**
   * What there is to clean.
   *
   * @throws MyKafkaError where a segment cannot be read
   */
  async cleanable(settings: CompactionSettings, nowMs: number = Date.now()): Promise<Cleanable> {
    const { segments, highWatermark } = this.#log
    for (;;) {
      const { changes } = segments
      try {
        const found = await this.#describe(settings)
        const bounds = { firstDirtyOffset: this.firstDirtyOffset, stableOffset: highWatermark(), nowMs }
        return cleanableOf(found, settings, bounds)
      } catch (error) {
        // A segment that was replaced meanwhile is closed.
        if (changes === segments.changes) throw error
      }
    }
  }

  /**
   * Cleans what can be cleaned. One cleaning at a time: another waits for it.
   *
   * @returns null where there was nothing
   * @throws MyKafkaError CORRUPT_MESSAGE for a damage (what lies before it may have been cleaned), KAFKA_STORAGE_ERROR;
   *   the signal's reason
   */
  clean(options: CleaningOptions): Promise<CleaningReport | null> {
    return this.#next(async () => {
      const controller = new AbortController()
      this.#current = controller
      try {
        const signal = AbortSignal.any([options.signal, controller.signal])
        return await this.#clean({ ...options, signal })
      } catch (error) {
        // A replacement that is half done is the next start's: another one on top of it would be undone by that.
        if (isLogFailed(error)) this.#stopped ??= error
        throw error
      } finally {
        this.#current = null
      }
    })
  }

  async #clean(options: CleaningOptions): Promise<CleaningReport | null> {
    for (;;) {
      const cleanable = await this.cleanable(options.settings, options.nowMs)
      if (cleanable.dirtyBytes === 0) return null
      const cleaning = new Cleaning(this.#log, cleanable, this.#cleaned, options)
      const report = await cleaning.run()
      // Retention took segments away that it was about to read.
      if (report === null) continue
      this.#cleanedTo = report.endOffset
      this.#last = report
      this.#failure = null
      return report
    }
  }

  /** A cleaning failed: kept for whoever asks. */
  failed(error: unknown): void {
    this.#failure = error
  }

  /** Ends a cleaning that is under way, and runs while there is none. */
  paused<T>(reason: unknown, run: () => Promise<T>): Promise<T> {
    this.#current?.abort(reason)
    return this.#next(run)
  }

  /** The log is about to end at this offset. What is appended there is not taken for clean, behind a crash neither. */
  async truncated(offset: number): Promise<void> {
    if (this.#cleanedTo > offset) {
      this.#cleanedTo = offset
      await this.#log.checkpointCleaned()
    }
    this.#cleaned.truncated(offset)
  }

  /** No more: whoever asks gets the reason. Resolves when nothing is under way. */
  async stop(reason: unknown): Promise<void> {
    this.#stopped ??= reason
    this.#current?.abort(reason)
    await this.#turn
  }

  #next<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(async () => {
      if (this.#stopped !== null) throw this.#stopped
      return await run()
    })
    this.#turn = result.catch(() => {})
    return result
  }

  async #describe({ minCompactionLagMs, maxCompactionLagMs }: CompactionSettings): Promise<CleanableSegment[]> {
    const { segments, logEndOffset, config } = this.#log
    const all = [...segments.all()]
    const dirty = this.firstDirtyOffset
    const described: CleanableSegment[] = []
    for (const [index, segment] of all.entries()) {
      const endOffset = all[index + 1]?.baseOffset ?? logEndOffset()
      // What compaction has emptied has no times.
      const isAsked = endOffset > dirty && index < all.length - 1 && segment.size() > 0
      const first = isAsked && maxCompactionLagMs < Number.MAX_SAFE_INTEGER
      described.push({
        baseOffset: segment.baseOffset,
        endOffset,
        bytes: segment.size(),
        largestTimestamp: isAsked && minCompactionLagMs > 0 ? await largestTimestamp(segment) : -1,
        firstTimestamp: first ? await firstTimestamp(segment, config().recordFormat) : -1,
      })
    }
    return described
  }
}
