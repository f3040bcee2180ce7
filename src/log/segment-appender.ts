import { MyKafkaError } from '../errors.js'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import type { NativeSegment } from '../native/native.js'
import type { PackedBatch } from './append-queue.js'
import { retryWithFiles } from './file-relief.js'
import { type LogConfig, segmentOptions } from './log-config.js'
import type { SegmentList } from './segment-list.js'

export interface SegmentAppenderOptions {
  directory: string
  segments: SegmentList
  config(): LogConfig
  logger: Logger
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

  constructor(options: SegmentAppenderOptions) {
    this.#options = options
  }

  get #active(): NativeSegment {
    return this.#options.segments.active
  }

  /** Bytes that the active segment can take. */
  room(): number {
    return this.#options.config().segmentBytes - this.#active.size()
  }

  /** @param offset - where the log ends */
  prepare(bytes: number, offset: number): void {
    if (bytes > this.room() && this.#active.size() > 0) this.roll(offset)
  }

  /** Writes consecutive batches from an offset: all or nothing. Settles at once where the write is small. */
  write(batches: PackedBatch[], bytes: number, offset: number): undefined | Promise<void> {
    const records = batches.map((batch) => batch.records)
    const counts = batches.map((batch) => batch.count)
    const timestamps = batches.map((batch) => batch.timestamp)
    const active = this.#active
    if (bytes <= INLINE_WRITE_BYTES && active.filesOpen()) {
      if (active.append(records, counts, timestamps, offset)) return undefined
      this.roll(offset)
      requireWritten(this.#active.append(records, counts, timestamps, offset))
      return undefined
    }
    const write = (): Promise<boolean> => active.appendAsync(records, counts, timestamps, offset)
    return write()
      .catch((error: unknown) => retryWithFiles(this.#options.relieve, write, error))
      .then(async (written) => {
        if (written) return
        this.roll(offset)
        requireWritten(await this.#active.appendAsync(records, counts, timestamps, offset))
      })
  }

  /** Starts a new segment, where the log ends. The old one is sealed. */
  roll(offset: number): void {
    const { directory, segments, config, rolled } = this.#options
    const old = this.#active
    segments.push(native.createSegment(segmentOptions(directory, offset, config())))
    this.#seal(old)
    rolled(offset)
  }

  /** Trims the active segment's index: nothing is written to it any more. */
  seal(): void {
    this.#seal(this.#active)
  }

  #seal(segment: NativeSegment): void {
    try {
      segment.seal()
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
