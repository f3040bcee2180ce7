/** Settings of the coordinator; Kafka's names are given. */
export interface GroupConfig {
  /** `group.initial.rebalance.delay.ms`: how long an empty group waits for more members before it begins. */
  readonly initialRebalanceDelayMs: number
  /** `group.min.session.timeout.ms` */
  readonly minSessionTimeoutMs: number
  /** `group.max.session.timeout.ms` */
  readonly maxSessionTimeoutMs: number
  /** `group.max.size`: members of one group. */
  readonly maxSize: number
  /** `group.max.total.bytes`: of all groups and what their members say, about. */
  readonly maxTotalBytes: number
  /** `offset.metadata.max.bytes` */
  readonly offsetMetadataMaxBytes: number
  /** `offsets.retention.minutes`, in milliseconds. */
  readonly offsetsRetentionMs: number
  /** `offsets.retention.check.interval.ms` */
  readonly offsetsRetentionCheckIntervalMs: number
}
