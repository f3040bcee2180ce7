import { MyKafkaError } from '../../errors.js'
import { native } from '../../native/load.js'
import type { NativeCleaner } from '../../native/native.js'
import { conversionLimits } from '../conversion/limits.js'
import type { Cleanable, CompactionSettings } from './cleanable.js'
import type { CleanedSegments } from './cleaned-segments.js'
import { CleaningProgress, type ProgressOptions } from './cleaning-progress.js'
import type { CleaningReport } from './cleaning-report.js'
import { type Source, sourcesOf } from './cleaning-sources.js'
import type { RunLimits } from './compressed-run.js'
import { type GroupWriterOptions, writeGroup } from './group-writer.js'
import { gatherKeys } from './key-pass.js'
import type { CompactedLog } from './log-compaction.js'
import { swapIn } from './swap-in.js'

/** How a log is cleaned. */
export interface CleaningOptions extends ProgressOptions {
  settings: CompactionSettings
  /** The most memory that the keys take. */
  bufferBytes: number
  /** How full it gets. */
  loadFactor: number
  /** So many bytes of compressed batches are opened at once; decompressed, they take a few times that. */
  ioBufferBytes: number
  /** The most that a batch may decompress to. */
  maxPlainBytes: number
  /** Milliseconds since 1970; default: the system's clock. */
  nowMs?: number
}

/** Tombstones are kept for delete.retention.ms, and for a part of it longer: segments of about one age can become one. */
const AGE_SPANS = 8

/**
 * One cleaning of one log, as Kafka's cleaner does it: first the last offset of every key in the dirty part is gathered,
 * as far as memory allows; then all segments below that are written anew, group by group, without the records that have a
 * later one. Each group takes the place of its segments as soon as it is written: what is ended in the middle is right,
 * and the next cleaning begins where this one had.
 */
export class Cleaning {
  readonly #log: CompactedLog
  readonly #cleanable: Cleanable
  readonly #cleaned: CleanedSegments
  readonly #options: CleaningOptions
  readonly #progress: CleaningProgress
  readonly #now: number
  /** What is still to be written anew. */
  #left: readonly Source[] = []
  readonly #after = { bytes: 0, recordsRead: 0, recordsKept: 0, tombstonesKept: 0 }

  constructor(log: CompactedLog, cleanable: Cleanable, cleaned: CleanedSegments, options: CleaningOptions) {
    this.#log = log
    this.#cleanable = cleanable
    this.#cleaned = cleaned
    this.#options = options
    this.#progress = new CleaningProgress(options)
    this.#now = options.nowMs ?? Date.now()
  }

  /** @returns null where segments were taken away that it was to read: what was done is right, and begins anew */
  async run(): Promise<CleaningReport | null> {
    const started = performance.now()
    const { throttle, signal } = this.#options
    const slept = throttle.sleptMs
    const sources = this.#sources()
    this.#left = sources
    await this.#secure()
    const { recordFormat } = this.#log.config()
    const { bufferBytes, loadFactor, ioBufferBytes } = this.#options
    const cleaner = native.createCleaner({ recordFormat, bufferBytes, loadFactor, runBytes: ioBufferBytes })
    const cancel = (): void => cleaner.close()
    signal.addEventListener('abort', cancel)
    try {
      const limits = { ...conversionLimits(this.#options.maxPlainBytes), ioBufferBytes }
      const endOffset = await gatherKeys(cleaner, sources, this.#cleanable, this.#progress, limits)
      const cleaned = sources.filter(({ baseOffset }) => baseOffset < endOffset)
      const options = { cleaner, progress: this.#progress, ...this.#writerOptions(limits) }
      let groups = 0
      for (this.#left = cleaned; this.#left.length > 0; groups++) await this.#cleanNext(cleaner, options)
      return {
        at: this.#now,
        firstDirtyOffset: this.#cleanable.firstDirtyOffset,
        endOffset,
        keys: cleaner.keys(),
        segmentsBefore: cleaned.length,
        segmentsAfter: groups,
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
      if (!isLogFailed(error) && (await this.#isOvertaken())) return null
      throw error
    } finally {
      signal.removeEventListener('abort', cancel)
      cleaner.close()
    }
  }

  #sources(): Source[] {
    const { segments, config } = this.#log
    return sourcesOf(segments.all(), this.#cleanable, config(), {
      since: (segment) => this.#cleaned.tombstones(segment),
      deleteRetentionMs: this.#options.settings.deleteRetentionMs,
      nowMs: this.#now,
    })
  }

  /** Only what is on the disk, and known to be, is replaced: recovery then cuts nothing of it. */
  async #secure(): Promise<void> {
    if (this.#log.recoveryPoint() < this.#cleanable.endOffset) await this.#log.flush()
    await this.#log.checkpoint()
  }

  #writerOptions(limits: RunLimits): Omit<GroupWriterOptions, 'cleaner' | 'progress'> {
    const { directory, config, producerOffsets } = this.#log
    const { indexIntervalBytes } = config()
    const { deleteRetentionMs } = this.#options.settings
    return {
      limits: { ...config(), ...limits, ageSpanMs: Math.max(1, deleteRetentionMs / AGE_SPANS) },
      firstDirtyOffset: this.#cleanable.firstDirtyOffset,
      writer: {
        directory,
        indexIntervalBytes,
        nowMs: this.#now,
        deleteHorizonMs: this.#now + deleteRetentionMs,
        keepEmpty: Float64Array.from(producerOffsets()),
      },
    }
  }

  /** Makes one of the first segments that are left. */
  async #cleanNext(cleaner: NativeCleaner, options: GroupWriterOptions): Promise<void> {
    const { group, cleaned } = await writeGroup(this.#left, options, (written, { tombstones }) =>
      this.#log.exclusive(async () => {
        this.#progress.step()
        const old = written.segments.map(({ segment }) => segment)
        const cleanedAt = written.tombstones === 'over' ? this.#now : written.tombstones
        // Behind what was gathered they are not counted.
        const hasTombstones = tombstones > 0 || written.endOffset > cleaner.indexedTo()
        await swapIn(this.#log, old, written.endOffset, cleanedAt)
        this.#cleaned.replaced(old, { cleanedAt, hasTombstones })
      }),
    )
    this.#after.bytes += cleaned?.bytes ?? (group.segments[0] as Source).bytes
    this.#after.recordsRead += cleaned?.recordsRead ?? 0
    this.#after.recordsKept += cleaned?.recordsKept ?? 0
    this.#after.tombstonesKept += cleaned?.tombstones ?? 0
    this.#left = this.#left.slice(group.segments.length)
  }

  /** Whether retention has taken away what is still to be written anew. */
  async #isOvertaken(): Promise<boolean> {
    // Files go a little before their segment does.
    return await this.#log.exclusive(async () => {
      const all = this.#log.segments.all()
      return this.#left.some(({ segment }) => !all.includes(segment))
    })
  }
}

/** Whether files and memory of a log are at odds: nothing is done on top of that. */
export function isLogFailed(error: unknown): boolean {
  return error instanceof MyKafkaError && error.code === 'LOG_FAILED'
}
