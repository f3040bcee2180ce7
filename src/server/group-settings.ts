import type { GroupConfig } from '../group/group-config.js'
import type { Acks } from '../log/partition-log.js'

/** Settings of a broker that concern consumer groups and what they commit, by Kafka's names. */
export interface GroupSettings {
  /** `group.initial.rebalance.delay.ms`: how long an empty group waits for more members; default 0 (Kafka: 3000). */
  groupInitialRebalanceDelayMs: number
  /** `group.min.session.timeout.ms`: default 6000. */
  groupMinSessionTimeoutMs: number
  /** `group.max.session.timeout.ms`: default 1800000. */
  groupMaxSessionTimeoutMs: number
  /** `group.max.size`: members of one group; default 2147483647. */
  groupMaxSize: number
  /** `group.max.total.bytes`: ours, the memory of all groups and of what their members say; default 256 MiB. */
  groupMaxTotalBytes: number
  /** `offset.metadata.max.bytes`: of the text that comes with a commit; 0 to 32767, default 4096. */
  offsetMetadataMaxBytes: number
  /** `offsets.retention.minutes`: how long a group without members keeps its offsets; default 10080, seven days. */
  offsetsRetentionMinutes: number
  /** `offsets.retention.check.interval.ms`: default 600000. */
  offsetsRetentionCheckIntervalMs: number
  /** `offsets.commit.required.acks`: what a commit waits for; 1, or `all` (Kafka's -1). Default 1. */
  offsetsCommitRequiredAcks: Acks
}

export const DEFAULT_GROUP_SETTINGS: Readonly<GroupSettings> = {
  groupInitialRebalanceDelayMs: 0,
  groupMinSessionTimeoutMs: 6_000,
  groupMaxSessionTimeoutMs: 1_800_000,
  groupMaxSize: 2147483647,
  groupMaxTotalBytes: 256 << 20,
  offsetMetadataMaxBytes: 4096,
  offsetsRetentionMinutes: 7 * 24 * 60,
  offsetsRetentionCheckIntervalMs: 600_000,
  offsetsCommitRequiredAcks: 1,
}

const MAX_INT32 = 2147483647

/** Bounds of those that are whole numbers. */
export const GROUP_BOUNDS: Partial<Record<keyof GroupSettings, readonly [name: string, low: number, high: number]>> = {
  groupInitialRebalanceDelayMs: ['group.initial.rebalance.delay.ms', 0, MAX_INT32],
  groupMinSessionTimeoutMs: ['group.min.session.timeout.ms', 1, MAX_INT32],
  groupMaxSessionTimeoutMs: ['group.max.session.timeout.ms', 1, MAX_INT32],
  groupMaxSize: ['group.max.size', 1, MAX_INT32],
  groupMaxTotalBytes: ['group.max.total.bytes', 1 << 20, Number.MAX_SAFE_INTEGER],
  offsetMetadataMaxBytes: ['offset.metadata.max.bytes', 0, 32767],
  offsetsRetentionMinutes: ['offsets.retention.minutes', 1, MAX_INT32],
  offsetsRetentionCheckIntervalMs: ['offsets.retention.check.interval.ms', 1, MAX_INT32],
}

const MINUTE_MS = 60_000

/** As the coordinator wants them. */
export function groupConfig(settings: GroupSettings): GroupConfig {
  return {
    initialRebalanceDelayMs: settings.groupInitialRebalanceDelayMs,
    minSessionTimeoutMs: settings.groupMinSessionTimeoutMs,
    maxSessionTimeoutMs: settings.groupMaxSessionTimeoutMs,
    maxSize: settings.groupMaxSize,
    maxTotalBytes: settings.groupMaxTotalBytes,
    offsetMetadataMaxBytes: settings.offsetMetadataMaxBytes,
    offsetsRetentionMs: settings.offsetsRetentionMinutes * MINUTE_MS,
    offsetsRetentionCheckIntervalMs: settings.offsetsRetentionCheckIntervalMs,
  }
}
