/** A segment as it lies on the disk, and why it does. */
export interface SegmentStorage {
  readonly baseOffset: number
  /** The offset behind its last one. */
  readonly nextOffset: number
  /** Of its log file. */
  readonly bytes: number
  /** Milliseconds since 1970; null while empty or not known. */
  readonly largestTimestamp: number | null
  /** Whether it is appended to. */
  readonly active: boolean
  /** Bytes of it that are damaged. */
  readonly damagedBytes: number
  /** A sentence: what keeps it. */
  readonly reason: string
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
}
