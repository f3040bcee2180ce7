import type { Topic } from '../../topic/topic.js'
import { TOPIC_CONFIGS, type TopicConfigDefinition } from '../../topic/topic-configs.js'
import { effectiveConfig } from '../../topic/topic-settings.js'
import type { BrokerConfig } from '../broker-config.js'
import { brokerConfigSynonyms } from './broker-config-description.js'
import { CONFIG_SOURCE, type ConfigDescription, type ConfigSynonym, describeConfig } from './config-description.js'
import type { KafkaContext } from './kafka-handler.js'

/** Every configuration of a topic, with the value that it has there. */
export function describeTopicConfigs(
  topic: Pick<Topic, 'recordFormat' | 'config'>,
  { logs, config: brokerConfig }: KafkaContext,
): ConfigDescription[] {
  return [...TOPIC_CONFIGS.values()].map((definition) => {
    const value = effectiveConfig(definition.name, topic, logs.defaults)
    const synonyms = [...ownValue(definition, topic), ...brokerValues(definition, value, topic, brokerConfig)]
    return describeConfig(definition, value, synonyms, definition.fixed === true)
  })
}

function ownValue({ name }: TopicConfigDefinition, { config }: Pick<Topic, 'config'>): ConfigSynonym[] {
  const value = config[name]
  return value === undefined ? [] : [{ name, value, source: CONFIG_SOURCE.topic }]
}

/** The broker's settings of the same. MyKafka's own topics take what a frame holds, whatever message.max.bytes is. */
function brokerValues(
  { name, default: unset, synonyms }: TopicConfigDefinition,
  value: string | null,
  { recordFormat }: Pick<Topic, 'recordFormat'>,
  brokerConfig: BrokerConfig,
): ConfigSynonym[] {
  if (name === 'max.message.bytes' && recordFormat === 'mykafka') {
    return brokerConfigSynonyms('socket.request.max.bytes', brokerConfig)
  }
  if (synonyms.length === 0)
    return [{ name, value: name === 'record.format' ? value : unset, source: CONFIG_SOURCE.default }]
  return synonyms.flatMap((synonym) =>
    brokerConfigSynonyms(typeof synonym === 'string' ? synonym : synonym[0], brokerConfig),
  )
}
