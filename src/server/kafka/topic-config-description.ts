import type { Topic } from '../../topic/topic.js'
import { TOPIC_CONFIGS, type TopicConfigDefinition } from '../../topic/topic-configs.js'
import { effectiveConfig } from '../../topic/topic-settings.js'
import { type BrokerConfig, topicDefaults } from '../broker-config.js'
import { CONFIG_SOURCE, type ConfigDescription, type ConfigSynonym, describeConfig } from './config-description.js'

/** Every configuration of a topic, with the value that it has there. */
export function describeTopicConfigs(
  topic: Pick<Topic, 'recordFormat' | 'config'>,
  brokerConfig: BrokerConfig,
): ConfigDescription[] {
  const defaults = topicDefaults(brokerConfig)
  return [...TOPIC_CONFIGS.values()].map((definition) => {
    const value = effectiveConfig(definition.name, topic, defaults)
    const synonyms = [...ownValue(definition, topic), ...brokerValues(definition, value, topic)]
    return describeConfig(definition, value, synonyms, definition.fixed === true)
  })
}

function ownValue({ name }: TopicConfigDefinition, { config }: Pick<Topic, 'config'>): ConfigSynonym[] {
  const value = config[name]
  return value === undefined ? [] : [{ name, value, source: CONFIG_SOURCE.topic }]
}

function brokerValues(
  { name, default: unset, synonyms }: TopicConfigDefinition,
  value: string | null,
  { config }: Pick<Topic, 'config'>,
): ConfigSynonym[] {
  const [first] = synonyms
  const synonym = typeof first === 'string' ? first : name
  const ofBroker = config[name] === undefined && value !== unset && first !== undefined
  const set = ofBroker ? [{ name: synonym, value, source: CONFIG_SOURCE.staticBroker }] : []
  return [...set, { name: synonym, value: unset, source: CONFIG_SOURCE.default }]
}
