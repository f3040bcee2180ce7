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
  /** `producer.id.expiration.ms`: an idempotent producer that wrote nothing for so long is forgotten; default 86400000. */
  producerIdExpirationMs: number
}

const DEFAULT_LOG_CONFIG: Readonly<LogConfig> = {
  recordFormat: 'mykafka',
  segmentBytes: 1 << 30,
  indexIntervalBytes: 4096,
  segmentIndexBytes: 10 << 20,
  fsync: 'acks',
  producerIdExpirationMs: 86_400_000,
}

/** What a segment of a log is opened with. */
export function segmentOptions(directory: string, baseOffset: number, config: LogConfig): NativeSegmentOptions {
  const { indexIntervalBytes, segmentIndexBytes, recordFormat } = config
  return { directory, baseOffset, indexIntervalBytes, indexMaxBytes: segmentIndexBytes, recordFormat }
}

const MAX_INT32 = 2147483647

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
