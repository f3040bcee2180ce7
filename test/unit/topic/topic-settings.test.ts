import { describe, expect, it } from 'vitest'
import { MAX_LONG } from '../../../src/topic/config-definition.js'
import { TOPIC_CONFIGS, type TopicConfig } from '../../../src/topic/topic-configs.js'
import {
  effectiveConfig,
  readTopicConfig,
  resolveTopicSettings,
  type TopicDefaults,
} from '../../../src/topic/topic-settings.js'

const DEFAULTS: TopicDefaults = { config: {}, log: { fsync: 'never' }, maxFrameBytes: 104_857_600 }
const kafka = (config: TopicConfig) => ({ recordFormat: 'kafka' as const, config })

// Written down from the documentation of Apache Kafka 3.9.
const KAFKAS_DEFAULTS: Record<string, string> = {
  'cleanup.policy': 'delete',
  'compression.gzip.level': '-1',
  'compression.lz4.level': '9',
  'compression.type': 'producer',
  'compression.zstd.level': '3',
  'delete.retention.ms': '86400000',
  'file.delete.delay.ms': '60000',
  'flush.messages': '9223372036854775807',
  'flush.ms': '9223372036854775807',
  'follower.replication.throttled.replicas': '',
  'index.interval.bytes': '4096',
  'leader.replication.throttled.replicas': '',
  'local.retention.bytes': '-2',
  'local.retention.ms': '-2',
  'max.compaction.lag.ms': '9223372036854775807',
  'max.message.bytes': '1048588',
  'message.downconversion.enable': 'true',
  'message.format.version': '3.0-IV1',
  'message.timestamp.after.max.ms': '9223372036854775807',
  'message.timestamp.before.max.ms': '9223372036854775807',
  'message.timestamp.difference.max.ms': '9223372036854775807',
  'message.timestamp.type': 'CreateTime',
  'min.cleanable.dirty.ratio': '0.5',
  'min.compaction.lag.ms': '0',
  'min.insync.replicas': '1',
  preallocate: 'false',
  'remote.log.copy.disable': 'false',
  'remote.log.delete.on.disable': 'false',
  'remote.storage.enable': 'false',
  'retention.bytes': '-1',
  'retention.ms': '604800000',
  'segment.bytes': '1073741824',
  'segment.index.bytes': '10485760',
  'segment.jitter.ms': '0',
  'segment.ms': '604800000',
  'unclean.leader.election.enable': 'false',
}

it("knows every configuration of Kafka's topics with Kafka's default, and takes each default", () => {
  const { 'record.format': _, ...defaults } = Object.fromEntries(
    [...TOPIC_CONFIGS].map(([name, definition]) => [name, definition.default]),
  )
  expect(defaults).toEqual(KAFKAS_DEFAULTS)
  expect(readTopicConfig(KAFKAS_DEFAULTS)).toEqual(KAFKAS_DEFAULTS)
})

it('keeps values without blanks, in one form', () => {
  const given = {
    'segment.bytes': ' 2048 ',
    preallocate: 'TRUE',
    'cleanup.policy': ' compact , delete ',
    'retention.ms': '-1',
    'min.cleanable.dirty.ratio': '0.50',
    'flush.ms': MAX_LONG,
  }
  expect(readTopicConfig(given)).toEqual({
    'segment.bytes': '2048',
    preallocate: 'true',
    'cleanup.policy': 'compact,delete',
    'retention.ms': '-1',
    'min.cleanable.dirty.ratio': '0.5',
    'flush.ms': MAX_LONG,
  })
})

describe('refuses', () => {
  it.each([
    [{ 'no.such': '1' }, 'unknown topic configuration: no.such'],
    [{ 'segment.bytes': 'many' }, 'segment.bytes must be an integer from 1024 to 2147483647, not many'],
    [{ 'segment.bytes': '' }, 'segment.bytes must be an integer from 1024 to 2147483647, not empty'],
    [{ 'segment.bytes': '1023' }, 'segment.bytes must be an integer from 1024 to 2147483647, not 1023'],
    [{ 'segment.bytes': '2147483648' }, 'segment.bytes must be an integer from 1024 to 2147483647, not 2147483648'],
    [{ 'retention.ms': '-2' }, 'retention.ms must be an integer from -1 to 9223372036854775807, not -2'],
    [
      { 'retention.ms': '9223372036854775808' },
      'retention.ms must be an integer from -1 to 9223372036854775807, not 9223372036854775808',
    ],
    [{ preallocate: 'yes' }, 'preallocate must be true or false, not yes'],
    [{ 'cleanup.policy': 'compact,burn' }, 'cleanup.policy must be a list of compact, delete, not burn'],
    [
      { 'compression.type': 'brotli' },
      'compression.type must be one of uncompressed, zstd, lz4, snappy, gzip, producer, not brotli',
    ],
    [{ 'min.cleanable.dirty.ratio': '1.1' }, 'min.cleanable.dirty.ratio must be a number from 0 to 1, not 1.1'],
    [{ 'remote.storage.enable': 'true' }, 'remote.storage.enable: there is no tiered storage'],
  ])('%j', (config, message) => {
    expect(() => readTopicConfig(config as unknown as TopicConfig)).toThrow(message)
  })

  it('values at odds with one another', () => {
    expect(() =>
      resolveTopicSettings(kafka({ 'min.compaction.lag.ms': '10', 'max.compaction.lag.ms': '5' }), DEFAULTS),
    ).toThrow('min.compaction.lag.ms (10) must not be above max.compaction.lag.ms (5)')
  })
})

it("a topic's own configuration goes before the broker's, that before the default", () => {
  const defaults = { ...DEFAULTS, config: { 'segment.bytes': '5000', 'retention.ms': '1' } }
  const topic = kafka({ 'segment.bytes': '6000' })
  const effective = (name: string) => effectiveConfig(name, topic, defaults)
  expect(['segment.bytes', 'retention.ms', 'index.interval.bytes', 'record.format'].map(effective)).toEqual([
    '6000',
    '1',
    '4096',
    'kafka',
  ])
  expect(resolveTopicSettings(topic, defaults)).toMatchObject({
    log: { segmentBytes: 6000, indexIntervalBytes: 4096, recordFormat: 'kafka', fsync: 'never' },
    maxMessageBytes: 1_048_588,
    timestampType: 'CreateTime',
    compacted: false,
  })
})

it('topics of our own format take what a frame holds unless they say otherwise', () => {
  const ours = (config: TopicConfig) => ({ recordFormat: 'mykafka' as const, config })
  const defaults = { ...DEFAULTS, config: { 'max.message.bytes': '500' } }
  expect(resolveTopicSettings(ours({}), defaults).maxMessageBytes).toBe(104_857_600)
  expect(resolveTopicSettings(kafka({}), defaults).maxMessageBytes).toBe(500)
  expect(resolveTopicSettings(ours({ 'max.message.bytes': '9' }), defaults).maxMessageBytes).toBe(9)
})

it('the deprecated bound of timestamps counts where the newer ones are not set', () => {
  const bounds = (config: TopicConfig) => {
    const { timestampBeforeMaxMs, timestampAfterMaxMs } = resolveTopicSettings(kafka(config), DEFAULTS)
    return [timestampBeforeMaxMs, timestampAfterMaxMs]
  }
  expect(bounds({})).toEqual([Number(MAX_LONG), Number(MAX_LONG)])
  expect(bounds({ 'message.timestamp.difference.max.ms': '7' })).toEqual([7, 7])
  expect(bounds({ 'message.timestamp.difference.max.ms': '7', 'message.timestamp.after.max.ms': '9' })).toEqual([7, 9])
})
