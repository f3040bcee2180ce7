/** What a cleaning did. */
export interface CleaningReport {
  /** Milliseconds since 1970: when it began. */
  readonly at: number
  /** The first offset whose keys were looked at. */
  readonly firstDirtyOffset: number
  /** Everything below it is clean now. */
  readonly endOffset: number
  /** Of the keys in between. */
  readonly keys: number
  /** Of the log below the end. */
  readonly segmentsBefore: number
  readonly segmentsAfter: number
  readonly bytesBefore: number
  readonly bytesAfter: number
  /** By both passes. */
  readonly bytesRead: number
  readonly bytesWritten: number
  readonly recordsKept: number
  readonly recordsDropped: number
  readonly tombstonesKept: number
  readonly durationMs: number
  /** Of those, how long it waited for `log.cleaner.io.max.bytes.per.second`. */
  readonly throttledMs: number
}
