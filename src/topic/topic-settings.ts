import { MyKafkaError } from '../errors.js'
import type { CompactionSettings } from '../log/compaction/cleanable.js'
import { type LogConfig, resolveLogConfig } from '../log/log-config.js'
import type { RecordFormat } from '../log/record-format.js'
import { listParts, readConfigValue } from './config-definition.js'
import { TOPIC_CONFIGS, type TopicConfig } from './topic-configs.js'

/** Longer than this is no string of Kafka's wire. */
const MAX_VALUE_BYTES = 32767

/** What topics have where they do not say otherwise. */
export interface TopicDefaults {
  /** Configurations of topics that the broker's settings give, right and as they are kept. */
  readonly config: TopicConfig
  /** What of a log is not a topic's to say. */
  readonly log: Pick<LogConfig, 'fsync'> & Partial<LogConfig>
  /** `socket.request.max.bytes` */
  readonly maxFrameBytes: number
  /** `offsets.topic.segment.bytes`, where it is not the default. */
  readonly offsetsTopicSegmentBytes?: number
  /** `max.partitions`: of all topics; default: any number. */
  readonly maxPartitions?: number
}

/** What a topic's configurations mean, as far as they have an effect. */
export interface TopicSettings {
  readonly log: LogConfig
  /** `max.message.bytes`: the largest batch that is taken. */
  readonly maxMessageBytes: number
  /** `message.timestamp.type` */
  readonly timestampType: 'CreateTime' | 'LogAppendTime'
  /** `message.timestamp.before.max.ms`, in milliseconds. */
  readonly timestampBeforeMaxMs: number
  /** `message.timestamp.after.max.ms`, in milliseconds. */
  readonly timestampAfterMaxMs: number
  /** `cleanup.policy` has compact. */
  readonly compacted: boolean
  /** How it is compacted, where it is. */
  readonly compaction: CompactionSettings
  /** `cleanup.policy` has delete. */
  readonly deletes: boolean
}

/**
 * The configurations as they are kept.
 *
 * @throws MyKafkaError INVALID_CONFIG for a name that there is not, a value out of range or too long, or values at odds
 */
export function readTopicConfig(given: TopicConfig): TopicConfig {
  const config: Record<string, string> = {}
  for (const [name, text] of Object.entries(given)) {
    const definition = TOPIC_CONFIGS.get(name)
    if (definition === undefined) throw new MyKafkaError('INVALID_CONFIG', `unknown topic configuration: ${name}`)
    const value = readConfigValue(definition, text)
    // Lists grow by what is appended to them.
    if (Buffer.byteLength(value) > MAX_VALUE_BYTES) {
      throw new MyKafkaError('INVALID_CONFIG', `${name}: a value has at most ${MAX_VALUE_BYTES} bytes`)
    }
    if (name === 'remote.storage.enable' && value === 'true') {
      throw new MyKafkaError('INVALID_CONFIG', 'remote.storage.enable: there is no tiered storage')
    }
    config[name] = value
  }
  return config
}

/** The value that a configuration has in a topic; null: none. */
export function effectiveConfig(
  name: string,
  { recordFormat, config }: { recordFormat: RecordFormat; config: TopicConfig },
  defaults: TopicDefaults,
): string | null {
  if (name === 'record.format') return recordFormat
  const own = config[name]
  if (own !== undefined) return own
  // MyKafka's PRODUCE promises no limit below that of a frame.
  if (name === 'max.message.bytes' && recordFormat === 'mykafka') return String(defaults.maxFrameBytes)
  return defaults.config[name] ?? TOPIC_CONFIGS.get(name)?.default ?? null
}

/**
 * What the configurations of a topic mean.
 *
 * @throws MyKafkaError INVALID_CONFIG for values at odds with one another
 */
export function resolveTopicSettings(
  topic: { recordFormat: RecordFormat; config: TopicConfig },
  defaults: TopicDefaults,
): TopicSettings {
  const text = (name: string): string => effectiveConfig(name, topic, defaults) ?? ''
  const number = (name: string): number => Number(text(name))
  const [least, most] = [number('min.compaction.lag.ms'), number('max.compaction.lag.ms')]
  if (least > most) {
    throw new MyKafkaError(
      'INVALID_CONFIG',
      `min.compaction.lag.ms (${least}) must not be above max.compaction.lag.ms (${most})`,
    )
  }
  const policies = listParts(text('cleanup.policy'))
  const compacted = policies.includes('compact')
  const deletes = policies.includes('delete')
  const isSet = (name: string): boolean => text(name) !== TOPIC_CONFIGS.get(name)?.default
  const timestampBound = (name: string): number => number(isSet(name) ? name : 'message.timestamp.difference.max.ms')
  return {
    log: resolveLogConfig({
      ...defaults.log,
      recordFormat: topic.recordFormat,
      segmentBytes: number('segment.bytes'),
      indexIntervalBytes: number('index.interval.bytes'),
      segmentIndexBytes: number('segment.index.bytes'),
      // A record of a compacted topic is compacted in time only if its segment has rolled before that.
      segmentMs: compacted ? Math.min(number('segment.ms'), most) : number('segment.ms'),
      segmentJitterMs: number('segment.jitter.ms'),
      deletes,
      retentionMs: number('retention.ms'),
      retentionBytes: number('retention.bytes'),
      fileDeleteDelayMs: number('file.delete.delay.ms'),
      flushMessages: number('flush.messages'),
      flushMs: number('flush.ms'),
    }),
    maxMessageBytes: number('max.message.bytes'),
    timestampType: text('message.timestamp.type') === 'LogAppendTime' ? 'LogAppendTime' : 'CreateTime',
    timestampBeforeMaxMs: timestampBound('message.timestamp.before.max.ms'),
    timestampAfterMaxMs: timestampBound('message.timestamp.after.max.ms'),
    compacted,
    compaction: {
      minCleanableDirtyRatio: number('min.cleanable.dirty.ratio'),
      minCompactionLagMs: least,
      maxCompactionLagMs: most,
      deleteRetentionMs: number('delete.retention.ms'),
    },
    deletes,
  }
}
