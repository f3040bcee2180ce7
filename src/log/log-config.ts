import { MyKafkaError } from '../errors.js'
import type { NativeSegmentOptions } from '../native/native.js'
import { RECORD_FORMATS, type RecordFormat } from './record-format.js'

/** When an append waits for the disk (README.md, "What an acknowledgement means"). */
export type FsyncPolicy = 'acks' | 'always' | 'never'

/** How a log lays out its segments. Names and defaults are Kafka's. */
export interface LogConfig {
  /** `record.format`: how entries are stored; default mykafka. */
  recordFormat: RecordFormat
  /** `segment.bytes`: a segment rolls before an append that would not fit. 1024 to 2147483647; default 1 GiB. */
  segmentBytes: number
  /** `index.interval.bytes`: log bytes between two index entries. 0 to 2147483647; default 4096. */
  indexIntervalBytes: number
  /** `segment.index.bytes`: the most that an index may take. 8 to 2147483647; default 10 MiB. */
  segmentIndexBytes: number
  /**
   * `acks`: as each append asks; `always`: every append waits for the disk; `never`: none does, and
   * nothing is synced but at a clean close.
   */
  fsync: FsyncPolicy
  /** `segment.ms`: a segment rolls when it is so old, even where it is not full. From 1 on; default 604800000, a week. */
  segmentMs: number
  /** `segment.jitter.ms`: the most that `segmentMs` is shortened by, at random. From 0 on; default 0. */
  segmentJitterMs: number
  /** `cleanup.policy` has delete: retention by age and size applies. Default true. */
  deletes: boolean
  /** `retention.ms`: how long records are kept; -1 for ever, the default of a log for itself. */
  retentionMs: number
  /** `retention.bytes`: the oldest segments go while there are as many bytes without them; default -1, no limit. */
  retentionBytes: number
  /** `file.delete.delay.ms`: how long the files of a removed segment wait for their removal; default 60000. */
  fileDeleteDelayMs: number
  /** `flush.messages`: after so many records an append waits for the disk. From 1 on; default none. */
  flushMessages: number
  /** `flush.ms`: after so long what was appended is synced. From 0 on; default none. */
  flushMs: number
  /** `producer.id.expiration.ms`: an idempotent producer that wrote nothing for so long is forgotten; default 86400000. */
  producerIdExpirationMs: number
}

const MAX_INT32 = 2147483647
/** Kafka's largest long, and its "never". */
const MAX_LONG = 2 ** 63

const DEFAULT_LOG_CONFIG: Readonly<LogConfig> = {
  recordFormat: 'mykafka',
  segmentBytes: 1 << 30,
  indexIntervalBytes: 4096,
  segmentIndexBytes: 10 << 20,
  fsync: 'acks',
  segmentMs: 604_800_000,
  segmentJitterMs: 0,
  deletes: true,
  retentionMs: -1,
  retentionBytes: -1,
  fileDeleteDelayMs: 60_000,
  flushMessages: MAX_LONG,
  flushMs: MAX_LONG,
  producerIdExpirationMs: 86_400_000,
}

/**
 * What a segment of a log is opened with.
 *
 * @param sparse - whether it is what compaction left of others: it has a `.compacted` file
 */
export function segmentOptions(
  directory: string,
  baseOffset: number,
  config: LogConfig,
  sparse = false,
): NativeSegmentOptions {
  const { indexIntervalBytes, segmentIndexBytes, recordFormat } = config
  return { directory, baseOffset, indexIntervalBytes, indexMaxBytes: segmentIndexBytes, recordFormat, sparse }
}

function requireInteger(name: string, value: number, low: number, high: number): void {
  if (Number.isInteger(value) && value >= low && value <= high) return
  throw new MyKafkaError('INVALID_CONFIG', `${name} must be an integer from ${low} to ${high}, not ${value}`)
}

/**
 * The defaults with these settings over them.
 *
 * @throws MyKafkaError INVALID_CONFIG for a value out of range
 */
export function resolveLogConfig(settings: { [K in keyof LogConfig]?: LogConfig[K] | undefined }): LogConfig {
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  const config: LogConfig = { ...DEFAULT_LOG_CONFIG, ...given }
  requireInteger('segment.bytes', config.segmentBytes, 1024, MAX_INT32)
  requireInteger('index.interval.bytes', config.indexIntervalBytes, 0, MAX_INT32)
  requireInteger('segment.index.bytes', config.segmentIndexBytes, 8, MAX_INT32)
  requireInteger('segment.ms', config.segmentMs, 1, MAX_LONG)
  requireInteger('segment.jitter.ms', config.segmentJitterMs, 0, MAX_LONG)
  requireInteger('retention.ms', config.retentionMs, -1, MAX_LONG)
  requireInteger('retention.bytes', config.retentionBytes, -MAX_LONG, MAX_LONG)
  requireInteger('file.delete.delay.ms', config.fileDeleteDelayMs, 0, MAX_LONG)
  requireInteger('flush.messages', config.flushMessages, 1, MAX_LONG)
  requireInteger('flush.ms', config.flushMs, 0, MAX_LONG)
  if (!RECORD_FORMATS.includes(config.recordFormat)) {
    throw new MyKafkaError(
      'INVALID_CONFIG',
      `record.format must be ${RECORD_FORMATS.join(' or ')}, not ${config.recordFormat}`,
    )
  }
  requireInteger('producer.id.expiration.ms', config.producerIdExpirationMs, 1, MAX_INT32)
  if (!['acks', 'always', 'never'].includes(config.fsync)) {
    throw new MyKafkaError('INVALID_CONFIG', `fsync must be acks, always or never, not ${config.fsync}`)
  }
  return config
}
