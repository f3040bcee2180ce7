import type { CompactionReportStorage, CompactionStorage } from '../log-storage.js'
import type { Cleanable, CompactionSettings } from './cleanable.js'
import { type CompactedSegment, whyNotCleaned } from './cleaning-reason.js'
import type { CleaningReport } from './cleaning-report.js'
import type { LogCompaction } from './log-compaction.js'

/** How a topic is compacted. */
export interface DescribedCompaction extends CompactionSettings {
  /** `log.cleaner.enable` */
  readonly enabled: boolean
}

/** What is to be told of the compaction of a log, as it stands at a moment. */
export class CompactionDescription {
  readonly #compaction: LogCompaction
  readonly #cleanable: Cleanable
  readonly #settings: DescribedCompaction
  readonly #failure: unknown

  static async of(
    compaction: LogCompaction,
    settings: DescribedCompaction,
    now: number,
  ): Promise<CompactionDescription> {
    try {
      const cleanable = await compaction.cleanable(settings, now)
      return new CompactionDescription(compaction, settings, cleanable, compaction.failure)
    } catch (error) {
      // How old a segment is could not be read: the next compaction meets the same.
      const { firstDirtyOffset } = compaction
      const unknown = { endOffset: firstDirtyOffset, cleanBytes: 0, dirtyBytes: 0, dirtyRatio: 0, isOverdue: false }
      return new CompactionDescription(compaction, settings, { firstDirtyOffset, ...unknown }, error)
    }
  }

  private constructor(
    compaction: LogCompaction,
    settings: DescribedCompaction,
    cleanable: Cleanable,
    failure: unknown,
  ) {
    this.#compaction = compaction
    this.#cleanable = cleanable
    this.#settings = settings
    this.#failure = failure
  }

  /** Why a segment is as it is: a phrase. */
  whyNotCleaned(segment: CompactedSegment): string {
    const isDirty = !segment.active && segment.endOffset > this.#cleanable.firstDirtyOffset
    if (isDirty && !this.#settings.enabled) return 'it is not compacted: log.cleaner.enable is false'
    return whyNotCleaned(segment, this.#cleanable, this.#settings, this.#failure)
  }

  describe(): CompactionStorage {
    const { firstDirtyOffset, endOffset, cleanBytes, dirtyBytes, dirtyRatio } = this.#cleanable
    const { isCleaning, last } = this.#compaction
    const failure = this.#failure
    return {
      firstDirtyOffset,
      endOffset,
      cleanBytes,
      dirtyBytes,
      dirtyRatio,
      running: isCleaning,
      last: last === null ? null : describeReport(last),
      failure: failure === null ? null : failure instanceof Error ? failure.message : String(failure),
    }
  }
}

function describeReport({ at, durationMs, endOffset, ...report }: CleaningReport): CompactionReportStorage {
  const { bytesBefore, bytesAfter, recordsDropped, tombstonesKept } = report
  return { at, durationMs, bytesBefore, bytesAfter, endOffset, recordsDropped, tombstonesKept }
}
