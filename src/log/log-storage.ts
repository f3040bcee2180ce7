/** A damaged run of bytes of a segment, and the offsets that are lost with it. */
export interface DamageStorage {
  /** Of its first byte in the log file. */
  readonly position: number
  /** 0 where nothing but offsets is missing. */
  readonly bytes: number
  readonly firstOffset: number
  /** The offset behind the last one that is lost. */
  readonly nextOffset: number
}

/** A segment as it lies on the disk, and why it does. */
export interface SegmentStorage {
  readonly baseOffset: number
  /** The offset behind its last one. */
  readonly nextOffset: number
  /** Of its log file. */
  readonly bytes: number
  /** Of its records, in milliseconds since 1970; null where none bears one. */
  readonly largestTimestamp: number | null
  /** Whether it is appended to. */
  readonly active: boolean
  /** When it was compacted, in milliseconds since 1970; null: never. */
  readonly compactedAt: number | null
  /** Bytes of it that are damaged. */
  readonly damagedBytes: number
  /**
   * What of it is known to be damaged: what was read, or looked at behind a crash. In the order of their offsets; where
   * there are more than a thousand, those that take the most offsets.
   */
  readonly damages: readonly DamageStorage[]
  /** A phrase: why it is still there. */
  readonly reason: string
}

/** What retention removed from a log at a time. */
export interface RemovalStorage {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly segments: number
  readonly bytes: number
  /** Why the last of them went. */
  readonly reason: string
}

/** What the last compaction of a log did. */
export interface CompactionReportStorage {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly durationMs: number
  /** Of the log below `endOffset`, before and behind it. */
  readonly bytesBefore: number
  readonly bytesAfter: number
  /** Everything below it was compacted. */
  readonly endOffset: number
  readonly recordsDropped: number
  readonly tombstonesKept: number
}

/** How far a log is compacted. */
export interface CompactionStorage {
  /** Everything below it is compacted. */
  readonly firstDirtyOffset: number
  /** Where a compaction that began now would end. */
  readonly endOffset: number
  readonly cleanBytes: number
  readonly dirtyBytes: number
  /** The dirty part of both. */
  readonly dirtyRatio: number
  /** Whether one is under way. */
  readonly running: boolean
  /** Null: none since the broker started. */
  readonly last: CompactionReportStorage | null
  /** Why the last attempt failed; null: it did not. */
  readonly failure: string | null
}

/** What a partition has on the disk. */
export interface LogStorage {
  readonly logStartOffset: number
  readonly highWatermark: number
  readonly logEndOffset: number
  /** Everything below it was synced. */
  readonly recoveryPoint: number
  /** Of all its log files. */
  readonly bytes: number
  readonly segments: readonly SegmentStorage[]
  /** Files of removed segments that wait for file.delete.delay.ms. */
  readonly deletedFiles: number
  /** Null: nothing was removed since the broker started. */
  readonly lastRemoval: RemovalStorage | null
  /** Null: the topic is not compacted. */
  readonly compaction: CompactionStorage | null
}
