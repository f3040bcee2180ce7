import type { Logger } from '../logger.js'
import type { LogDamage } from './damage-reports.js'
import type { LogConfig } from './log-config.js'

/** 1: acknowledged when written (survives the process); `all`: when on the disk. */
export type Acks = 1 | 'all'

/** What a log's files cannot say about it; kept by whoever opens it. */
export interface PartitionLogState {
  /** Offset below which everything was on the disk; 0 where unknown. */
  recoveryPoint: number
  /** Offset below which records count as deleted. */
  logStartOffset: number
  /** False: it is not known to be on the disk, and no file goes by it. Default true. */
  isLogStartSynced?: boolean
  /** Offset below which the log has been compacted; default: where it begins. */
  firstDirtyOffset?: number
  /** Whether the last stop was clean. */
  clean: boolean
}

export interface PartitionLogOptions extends PartitionLogState {
  config: LogConfig
  logger: Logger
  /** Other files that belong into the directory. */
  knownFiles?: ReadonlySet<string>
  /** Brings the recovery point to the disk: behind a roll's sync, and when it was lowered, before anything is cut. */
  checkpoint?: () => Promise<void>
  /** Brings it to the disk how far the log has been compacted: when that was lowered, before anything is cut. */
  checkpointCleaned?: () => Promise<void>
  /** The clock, in milliseconds since 1970; default that of the system. */
  now?: () => number
  /** Makes other logs let go of open files: called where none is left for a write. */
  relieve?: () => Promise<void>
}

/** Figures of a log. */
export interface PartitionLogStats {
  segments: number
  /** Of all the segments' log files. */
  bytes: number
  logStartOffset: number
  highWatermark: number
  logEndOffset: number
  recoveryPoint: number
  /** Milliseconds since 1970; -1 while unknown or empty. */
  largestTimestamp: number
  damages: LogDamage[]
}
