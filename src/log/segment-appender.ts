import { isOutOfFiles, MyKafkaError } from '../errors.js'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import type { NativeSegment } from '../native/native.js'
import type { PackedBatch } from './append-queue.js'
import { retryWithFiles } from './file-relief.js'
import { type LogConfig, segmentOptions } from './log-config.js'
import { SegmentAge } from './segment-age.js'
import type { SegmentList } from './segment-list.js'
import { batchTimestamp } from './segment-timestamps.js'

export interface SegmentAppenderOptions {
  directory: string
  segments: SegmentList
  config(): LogConfig
  logger: Logger
  /** Milliseconds since 1970. */
  now(): number
  /** Makes other logs let go of open files. */
  relieve: (() => Promise<void>) | undefined
  /** A new segment was made, which begins at this offset. */
  rolled(baseOffset: number): void
}

/** Writes up to this size are done on the event loop's thread: they take less than handing them over. */
const INLINE_WRITE_BYTES = 256 << 10

/** Writes into the active segment of a log, and starts a new one where it takes no more. Called by the append queue alone. */
export class SegmentAppender {
  readonly #options: SegmentAppenderOptions
  readonly #age: SegmentAge
  /** Of what was prepared last: it had no descriptors, and is made by the write. */
  #rollIsDue = false

  constructor(options: SegmentAppenderOptions) {
    this.#options = options
    this.#age = new SegmentAge(options.segments, options.config, options.now)
  }

  get #active(): NativeSegment {
    return this.#options.segments.active
  }

  /** Bytes that the active segment can take. */
  room(): number {
    return this.#options.config().segmentBytes - this.#active.size()
  }

  /**
   * Makes room for an append: rolls the active segment where it would not fit, or where the segment is old.
   *
   * @param timestamp - the largest of what is appended
   * @param offset - where the log ends
   */
  prepare(bytes: number, timestamp: number, offset: number): void {
    this.#rollIsDue = false
    const size = this.#active.size()
    if (size > 0) {
      const room = this.#options.config().segmentBytes - size
      if (bytes <= room && !this.#age.isOldFor(timestamp)) return
      try {
        this.roll(offset)
      } catch (error) {
        if (!isOutOfFiles(error)) throw error
        this.#rollIsDue = true
        return
      }
    }
    this.#age.begin(timestamp)
  }

  /** Whether an append of this timestamp can go into the active segment, for which one was prepared. */
  takes(timestamp: number): boolean {
    return !this.#age.isOldFor(timestamp)
  }

  /** Whether the active segment has records and is old by the clock, whatever is appended. */
  async isOldBy(now: number): Promise<boolean> {
    return this.#active.size() > 0 && (await this.#age.isOldBy(now))
  }

  /** The largest timestamp of a batch that is about to be appended. */
  timestampOf(batch: PackedBatch): number {
    return batchTimestamp(batch, this.#options.config().recordFormat)
  }

  /** The active segment was cut, or is another one than it was. */
  truncated(): void {
    this.#age.forget()
  }

  /** Writes consecutive batches from an offset: all or nothing. Settles at once where the write is small. */
  write(batches: PackedBatch[], bytes: number, offset: number): undefined | Promise<void> {
    const records = batches.map((batch) => batch.records)
    const counts = batches.map((batch) => batch.count)
    const timestamps = batches.map((batch) => batch.timestamp)
    const active = this.#active
    if (bytes <= INLINE_WRITE_BYTES && active.filesOpen() && !this.#rollIsDue) {
      try {
        if (active.append(records, counts, timestamps, offset)) return undefined
        this.#rollFor(batches, offset)
        requireWritten(this.#active.append(records, counts, timestamps, offset))
        return undefined
      } catch (error) {
        // An index that grows, and a new segment, need descriptors beside those that are open.
        if (!isOutOfFiles(error)) throw error
      }
    }
    const write = async (): Promise<void> => {
      if (!this.#rollIsDue && (await this.#active.appendAsync(records, counts, timestamps, offset))) return
      this.#rollFor(batches, offset)
      requireWritten(await this.#active.appendAsync(records, counts, timestamps, offset))
    }
    return write().catch((error: unknown) => retryWithFiles(this.#options.relieve, write, error))
  }

  /**
   * Starts a new segment, where the log ends. The old one is sealed.
   *
   * @throws MyKafkaError KAFKA_STORAGE_ERROR where the old one ends with what a failed write has left, and cannot be cut
   */
  roll(offset: number): void {
    const { directory, segments, config, rolled } = this.#options
    const old = this.#active
    // Behind a half-written tail recovery would end the log. To append nothing asks whether something could be.
    old.append([], [], [], offset)
    segments.push(native.createSegment(segmentOptions(directory, offset, config())))
    this.#age.forget()
    this.#rollIsDue = false
    this.#seal(old)
    rolled(offset)
  }

  /**
   * Nothing is written any more until the log is opened again.
   *
   * @param trims - whether the indexes end behind their last entries
   */
  close(trims: boolean): void {
    this.#seal(this.#active, trims)
  }

  #rollFor(batches: readonly PackedBatch[], offset: number): void {
    this.roll(offset)
    this.#age.begin(this.timestampOf(batches[0] as PackedBatch))
  }

  #seal(segment: NativeSegment, trims = true): void {
    try {
      if (trims) segment.seal()
      else segment.sealUntrimmed()
    } catch (err) {
      // The index stays longer than its entries; the next opening sees to it.
      const { directory, logger } = this.#options
      logger.warn({ directory, err }, 'an index could not be trimmed')
    }
  }
}

function requireWritten(written: boolean): void {
  if (!written) throw new MyKafkaError('KAFKA_STORAGE_ERROR', 'a new segment has no room')
}
