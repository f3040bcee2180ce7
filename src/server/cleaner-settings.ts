import { MyKafkaError } from '../errors.js'
import type { CleanerConfig } from '../topic/log-cleaner.js'

/** Settings of a broker that concern the compaction of logs, by Kafka's names. */
export interface CleanerSettings {
  /** `log.cleaner.enable`: whether logs are compacted; default true. */
  logCleanerEnable: boolean
  /** `log.cleaner.backoff.ms`: how long the cleaner waits where no log needs it; default 15000. */
  logCleanerBackoffMs: number
  /** `log.cleaner.dedupe.buffer.size`: the most memory that the keys of one cleaning take; default 128 MiB. */
  logCleanerDedupeBufferSize: number
  /** `log.cleaner.io.buffer.load.factor`: how full that memory gets; above 0, at most 1; default 0.9. */
  logCleanerIoBufferLoadFactor: number
  /**
   * `log.cleaner.io.buffer.size`: so many bytes of compressed batches are opened at once, or one; default 512 KiB.
   * Decompressed, they take some four times that.
   */
  logCleanerIoBufferSize: number
  /** `log.cleaner.io.max.bytes.per.second`: what the cleaner reads and writes; default: no limit. */
  logCleanerIoMaxBytesPerSecond: number
  /** `offsets.topic.segment.bytes`: segment.bytes of `__consumer_offsets`; default 100 MiB. */
  offsetsTopicSegmentBytes: number
}

export const DEFAULT_CLEANER_SETTINGS: Readonly<CleanerSettings> = {
  logCleanerEnable: true,
  logCleanerBackoffMs: 15_000,
  logCleanerDedupeBufferSize: 134_217_728,
  logCleanerIoBufferLoadFactor: 0.9,
  logCleanerIoBufferSize: 524_288,
  logCleanerIoMaxBytesPerSecond: Number.MAX_VALUE,
  offsetsTopicSegmentBytes: 104_857_600,
}

const MAX_INT32 = 2147483647

/** Bounds of those that are whole numbers. */
export const CLEANER_BOUNDS: Partial<
  Record<keyof CleanerSettings, readonly [name: string, low: number, high: number]>
> = {
  logCleanerBackoffMs: ['log.cleaner.backoff.ms', 0, MAX_INT32],
  logCleanerDedupeBufferSize: ['log.cleaner.dedupe.buffer.size', 1 << 20, 2 ** 40],
  logCleanerIoBufferSize: ['log.cleaner.io.buffer.size', 0, MAX_INT32],
  offsetsTopicSegmentBytes: ['offsets.topic.segment.bytes', 1024, MAX_INT32],
}

/** @throws MyKafkaError INVALID_CONFIG for a number out of range that need not be whole */
export function checkCleanerSettings(settings: CleanerSettings): void {
  const { logCleanerIoBufferLoadFactor: factor, logCleanerIoMaxBytesPerSecond: rate } = settings
  if (!(factor > 0 && factor <= 1)) {
    throw new MyKafkaError(
      'INVALID_CONFIG',
      `log.cleaner.io.buffer.load.factor must be above 0 and at most 1: ${factor}`,
    )
  }
  if (!(rate > 0)) {
    throw new MyKafkaError('INVALID_CONFIG', `log.cleaner.io.max.bytes.per.second must be above 0, not ${rate}`)
  }
}

/** As the cleaner wants them. */
export function cleanerConfig(settings: CleanerSettings): CleanerConfig {
  const rate = settings.logCleanerIoMaxBytesPerSecond
  return {
    enabled: settings.logCleanerEnable,
    backoffMs: settings.logCleanerBackoffMs,
    bufferBytes: settings.logCleanerDedupeBufferSize,
    loadFactor: settings.logCleanerIoBufferLoadFactor,
    ioBufferBytes: settings.logCleanerIoBufferSize,
    bytesPerSecond: rate === Number.MAX_VALUE ? Number.POSITIVE_INFINITY : rate,
  }
}
