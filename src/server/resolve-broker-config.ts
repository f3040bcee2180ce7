import { MyKafkaError } from '../errors.js'
import { resolveLogConfig } from '../log/log-config.js'
import { PARTITIONERS } from '../topic/partitioner.js'
import { readTopicConfig, type TopicDefaults } from '../topic/topic-settings.js'
import { BOUNDS, type BrokerConfig, DEFAULT_BROKER_CONFIG } from './broker-config.js'
import { readProperties, topicConfigOf } from './broker-properties.js'
import { checkCleanerSettings } from './cleaner-settings.js'
import { readOverrides } from './connection-limits.js'
import { checkListeners } from './listeners.js'

/**
 * The defaults with these settings over them.
 *
 * @throws MyKafkaError INVALID_CONFIG for a name that is not known, a value out of range, or values at odds
 */
export function resolveBrokerConfig(settings: Partial<BrokerConfig>): BrokerConfig {
  const fields = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  const given: Partial<BrokerConfig> = { ...readProperties(settings.properties ?? {}), ...fields }
  const config: BrokerConfig = { ...DEFAULT_BROKER_CONFIG, ...given, ...resolveListeners(given) }
  checkListeners(config.listeners, config.advertisedListeners)
  checkCleanerSettings(config)
  for (const [key, [name, low, high]] of Object.entries(BOUNDS)) {
    const value = config[key as keyof BrokerConfig] as number
    if (Number.isInteger(value) && value >= low && value <= high) continue
    throw new MyKafkaError('INVALID_CONFIG', `${name} must be an integer from ${low} to ${high}, not ${value}`)
  }
  if (!PARTITIONERS.includes(config.partitioner)) {
    throw new MyKafkaError(
      'INVALID_CONFIG',
      `partitioner must be ${PARTITIONERS.join(' or ')}, not ${config.partitioner}`,
    )
  }
  if (config.offsetsCommitRequiredAcks !== 1 && config.offsetsCommitRequiredAcks !== 'all') {
    throw new MyKafkaError('INVALID_CONFIG', 'offsets.commit.required.acks must be 1, or all (-1)')
  }
  readOverrides(config.maxConnectionsPerIpOverrides)
  topicDefaults(config)
  return config
}

/** The listeners, and the address of the first of them. */
function resolveListeners({ host, port, listeners = [] }: Partial<BrokerConfig>): Partial<BrokerConfig> {
  const [first = { host: DEFAULT_BROKER_CONFIG.host, port: DEFAULT_BROKER_CONFIG.port }, ...others] = listeners
  const listener = { ...first, host: host ?? first.host, port: port ?? first.port }
  return { host: listener.host, port: listener.port, listeners: [listener, ...others] }
}

/** What topics have where they do not say otherwise. */
export function topicDefaults(config: BrokerConfig): TopicDefaults {
  const { fsync, producerIdExpirationMs, maxFrameBytes, offsetsTopicSegmentBytes, maxPartitions } = config
  const given = {
    ...topicConfigOf(config.properties),
    'segment.bytes': String(config.segmentBytes),
    'index.interval.bytes': String(config.indexIntervalBytes),
    'segment.index.bytes': String(config.segmentIndexBytes),
    'max.message.bytes': String(config.messageMaxBytes),
  }
  return {
    config: readTopicConfig(given),
    log: resolveLogConfig({ fsync, producerIdExpirationMs }),
    maxFrameBytes,
    offsetsTopicSegmentBytes,
    maxPartitions,
  }
}
