import { native } from '../../native/load.js'
import type { NativeSegment } from '../../native/native.js'
import { conversionLimits } from '../conversion/limits.js'
import type { Cleanable, CompactionSettings } from './cleanable.js'
import { CleaningProgress, type ProgressOptions } from './cleaning-progress.js'
import type { CleaningReport } from './cleaning-report.js'
import { type Source, sourcesOf } from './cleaning-sources.js'
import { type GroupWriterOptions, writeGroup } from './group-writer.js'
import { gatherKeys } from './key-pass.js'
import type { CompactedLog } from './log-compaction.js'
import { groupSegments, type SegmentGroup } from './segment-groups.js'
import { swapIn } from './swap-in.js'

/** How a log is cleaned. */
export interface CleaningOptions extends ProgressOptions {
  settings: CompactionSettings
  /** The most memory that the keys take. */
  bufferBytes: number
  /** How full it gets. */
  loadFactor: number
  /** The most that a batch may decompress to. */
  maxPlainBytes: number
  /** Milliseconds since 1970; default: the system's clock. */
  nowMs?: number
}

/**
 * One cleaning of one log, as Kafka's cleaner does it: first the last offset of every key in the dirty part is gathered,
 * as far as memory allows; then all segments below that are written anew, group by group, without the records that have a
 * later one. Each group takes the place of its segments as soon as it is written: what is ended in the middle is right,
 * and the next cleaning begins where this one had.
 */
export class Cleaning {
  readonly #log: CompactedLog
  readonly #cleanable: Cleanable
  /** By base offset, when segments were compacted. */
  readonly #cleanedAt: Map<number, number>
  readonly #options: CleaningOptions
  readonly #progress: CleaningProgress
  readonly #now: number
  readonly #after = { bytes: 0, recordsRead: 0, recordsKept: 0, tombstonesKept: 0 }

  constructor(log: CompactedLog, cleanable: Cleanable, cleanedAt: Map<number, number>, options: CleaningOptions) {
    this.#log = log
    this.#cleanable = cleanable
    this.#cleanedAt = cleanedAt
    this.#options = options
    this.#progress = new CleaningProgress(options)
    this.#now = options.nowMs ?? Date.now()
  }

  async run(): Promise<CleaningReport> {
    const started = performance.now()
    const { throttle, signal } = this.#options
    const slept = throttle.sleptMs
    const sources = this.#sources()
    await this.#secure()
    const { recordFormat, segmentBytes, segmentIndexBytes } = this.#log.config()
    const { bufferBytes, loadFactor } = this.#options
    const cleaner = native.createCleaner({ recordFormat, bufferBytes, loadFactor })
    const cancel = (): void => cleaner.close()
    signal.addEventListener('abort', cancel)
    try {
      const limits = conversionLimits(this.#options.maxPlainBytes)
      const endOffset = await gatherKeys(cleaner, sources, this.#cleanable, this.#progress, limits)
      const cleaned = sources.filter(({ baseOffset }) => baseOffset < endOffset)
      const groups = groupSegments(cleaned, { segmentBytes, indexBytes: segmentIndexBytes })
      const options = { cleaner, progress: this.#progress, limits, ...this.#writerOptions() }
      for (const group of groups) await this.#clean(group, options)
      return {
        at: this.#now,
        firstDirtyOffset: this.#cleanable.firstDirtyOffset,
        endOffset,
        keys: cleaner.keys(),
        segmentsBefore: cleaned.length,
        segmentsAfter: groups.length,
        bytesBefore: cleaned.reduce((sum, { bytes }) => sum + bytes, 0),
        bytesAfter: this.#after.bytes,
        bytesRead: this.#progress.bytesRead,
        bytesWritten: this.#progress.bytesWritten,
        recordsKept: this.#after.recordsKept,
        recordsDropped: this.#after.recordsRead - this.#after.recordsKept,
        tombstonesKept: this.#after.tombstonesKept,
        durationMs: Math.round(performance.now() - started),
        throttledMs: throttle.sleptMs - slept,
      }
    } catch (error) {
      // A call that was cancelled does not say why.
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', cancel)
      cleaner.close()
    }
  }

  #sources(): Source[] {
    const { segments, config } = this.#log
    return sourcesOf(segments.all(), this.#cleanable, config(), {
      cleanedAt: (segment) => this.#timeOf(segment),
      deleteRetentionMs: this.#options.settings.deleteRetentionMs,
      nowMs: this.#now,
    })
  }

  #timeOf(segment: NativeSegment): number | null {
    return segment.sparse ? (this.#cleanedAt.get(segment.baseOffset) ?? this.#now) : null
  }

  /** Only what is on the disk, and known to be, is replaced: recovery then cuts nothing of it. */
  async #secure(): Promise<void> {
    if (this.#log.recoveryPoint() < this.#cleanable.endOffset) await this.#log.flush()
    await this.#log.checkpoint()
  }

  #writerOptions(): Pick<GroupWriterOptions, 'firstDirtyOffset' | 'writer'> {
    const { directory, config, producerOffsets } = this.#log
    return {
      firstDirtyOffset: this.#cleanable.firstDirtyOffset,
      writer: {
        directory,
        indexIntervalBytes: config().indexIntervalBytes,
        nowMs: this.#now,
        deleteHorizonMs: this.#now + this.#options.settings.deleteRetentionMs,
        keepEmpty: Float64Array.from(producerOffsets()),
      },
    }
  }

  async #clean({ segments: sources, cleanedAt }: SegmentGroup<Source>, options: GroupWriterOptions): Promise<void> {
    const old = sources.map(({ segment }) => segment)
    const { baseOffset } = sources[0] as Source
    const { endOffset } = sources.at(-1) as Source
    const time = cleanedAt ?? this.#now
    const cleaned = await writeGroup(sources, options, () =>
      this.#log.exclusive(async () => {
        this.#progress.step()
        if (!(await swapIn(this.#log, old, endOffset, time))) return
        for (const segment of old) this.#cleanedAt.delete(segment.baseOffset)
        this.#cleanedAt.set(baseOffset, time)
      }),
    )
    this.#after.bytes += cleaned?.bytes ?? (sources[0] as Source).bytes
    this.#after.recordsRead += cleaned?.recordsRead ?? 0
    this.#after.recordsKept += cleaned?.recordsKept ?? 0
    this.#after.tombstonesKept += cleaned?.tombstones ?? 0
  }
}
