import { MyKafkaError } from '../errors.js'
import { type LogConfig, resolveLogConfig } from '../log/log-config.js'
import type { RecordFormat } from '../log/record-format.js'

/** Configurations of a topic by Kafka's names; values as text, as Kafka has them. */
export type TopicConfig = Readonly<Record<string, string>>

const LOG_SETTINGS = {
  'segment.bytes': 'segmentBytes',
  'index.interval.bytes': 'indexIntervalBytes',
  'segment.index.bytes': 'segmentIndexBytes',
} as const satisfies Record<string, keyof LogConfig>

/**
 * The broker's defaults with a topic's configurations over them.
 *
 * @throws MyKafkaError INVALID_CONFIG for an unknown name or a value out of range
 */
export function topicLogConfig(defaults: LogConfig, config: TopicConfig): LogConfig {
  const settings: Partial<LogConfig> = { ...defaults }
  for (const [name, value] of Object.entries(config)) {
    if (name === 'record.format') {
      settings.recordFormat = value as RecordFormat
      continue
    }
    if (!Object.hasOwn(LOG_SETTINGS, name))
      throw new MyKafkaError('INVALID_CONFIG', `unknown topic configuration: ${name}`)
    settings[LOG_SETTINGS[name as keyof typeof LOG_SETTINGS]] = /^-?\d+$/.test(value) ? Number(value) : Number.NaN
  }
  return resolveLogConfig(settings)
}
