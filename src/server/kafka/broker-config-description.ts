import type { BrokerConfig } from '../broker-config.js'
import { readProperty } from '../broker-properties.js'
import { BROKER_SETTINGS, type BrokerSetting } from '../broker-settings.js'
import { DEFAULT_LISTENER_NAME, formatAddress, type Listener } from '../listeners.js'
import { CONFIG_SOURCE, type ConfigDescription, type ConfigSynonym, describeConfig } from './config-description.js'

/** Every setting of this broker. A running broker's cannot be changed. */
export function describeBrokerConfigs(config: BrokerConfig, dataDirectory: string): ConfigDescription[] {
  return [...BROKER_SETTINGS.values()].map((setting) => {
    const given = givenValue(setting, config, dataDirectory)
    return describeConfig(setting, given ?? setting.default, brokerSynonyms(setting, given), true)
  })
}

/** Where a setting has a value: the configuration, and Kafka's default or ours. */
export function brokerConfigSynonyms(name: string, config: BrokerConfig): ConfigSynonym[] {
  const setting = BROKER_SETTINGS.get(name)
  return setting === undefined ? [] : brokerSynonyms(setting, givenValue(setting, config, null))
}

function brokerSynonyms({ name, default: unset }: BrokerSetting, given: string | null): ConfigSynonym[] {
  const synonyms: ConfigSynonym[] = []
  if (given !== null) synonyms.push({ name, value: given, source: CONFIG_SOURCE.staticBroker })
  if (unset !== null) synonyms.push({ name, value: unset, source: CONFIG_SOURCE.default })
  return synonyms
}

/** What the configuration says; null where that is the default. */
function givenValue(setting: BrokerSetting, config: BrokerConfig, dataDirectory: string | null): string | null {
  const value = currentValue(setting, config, dataDirectory)
  return value === setting.default ? null : value
}

function currentValue(
  { name, field, default: unset }: BrokerSetting,
  config: BrokerConfig,
  dataDirectory: string | null,
): string | null {
  if (name === 'log.dirs') return dataDirectory
  if (name === 'listeners') return shown(config.listeners)
  if (name === 'advertised.listeners') return shown(config.advertisedListeners)
  if (field !== undefined) return config[field] === null ? null : String(config[field])
  const given = config.properties[name]
  return given === undefined ? unset : readProperty(name, given)
}

function shown(listeners: readonly Listener[]): string | null {
  if (listeners.length === 0) return null
  return listeners
    .map(({ name = DEFAULT_LISTENER_NAME, ...address }) => `${name}://${formatAddress(address)}`)
    .join(',')
}
