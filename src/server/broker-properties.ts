import { MyKafkaError } from '../errors.js'
import { readConfigValue } from '../topic/config-definition.js'
import { TOPIC_CONFIGS } from '../topic/topic-configs.js'
import type { BrokerConfig } from './broker-config.js'
import { BROKER_SETTINGS, type BrokerSetting } from './broker-settings.js'
import { isImpossible, whyIgnored } from './ignored-properties.js'
import { parseListeners, readListeners } from './listener-properties.js'

/** Settings by Kafka's names. */
export type Properties = BrokerConfig['properties']

const YES_NO: Readonly<Record<string, string>> = { on: 'true', off: 'false' }

/**
 * Checks one setting for itself. Returns its value as it is kept; null where it has no meaning here.
 *
 * @throws MyKafkaError INVALID_CONFIG for a name that is not known, a value that is none, or a value that asks for
 *   what a broker must not pretend to have
 */
export function readProperty(name: string, given: string | number | boolean): string | null {
  const text = String(given).trim()
  if (isImpossible(name, text)) throw new MyKafkaError('INVALID_CONFIG', `${name}: there is no ${text} here`)
  const definition = BROKER_SETTINGS.get(name)
  if (definition !== undefined) return readKnown(definition, text)
  if (whyIgnored(name) !== null) return null
  throw new MyKafkaError('INVALID_CONFIG', `${name} is not known`)
}

function readKnown(definition: BrokerSetting, text: string): string {
  const { name } = definition
  if (name === 'zero.copy') return readConfigValue(definition, YES_NO[text] ?? text)
  const value = readConfigValue(definition, text)
  if (name === 'listeners' || name === 'advertised.listeners') parseListeners(name, value)
  if (name === 'log.dirs' || name === 'log.dir') checkDirectory(name, value)
  return value
}

function checkDirectory(name: string, value: string): void {
  if (value === '') throw new MyKafkaError('INVALID_CONFIG', `${name} must name a directory`)
  if (value.includes(',')) throw new MyKafkaError('INVALID_CONFIG', `${name}: one directory is supported, not a list`)
}

function valuesOf(properties: Properties): Map<string, string> {
  const values = new Map<string, string>()
  for (const [name, given] of Object.entries(properties)) {
    const value = readProperty(name, given)
    if (value !== null) values.set(name, value)
  }
  return values
}

/**
 * The fields of the configuration that the settings give.
 *
 * @throws MyKafkaError INVALID_CONFIG
 */
export function readProperties(properties: Properties): Partial<BrokerConfig> {
  const values = valuesOf(properties)
  const fields: Record<string, unknown> = {}
  for (const [name, value] of values) {
    const definition = BROKER_SETTINGS.get(name)
    if (definition?.field !== undefined) fields[definition.field] = fieldOf(definition, value)
  }
  const brokerId = values.get('broker.id')
  if (brokerId !== undefined && brokerId !== '-1' && !values.has('node.id')) fields.nodeId = Number(brokerId)
  return {
    ...(fields as Partial<BrokerConfig>),
    ...readListeners({
      listeners: values.get('listeners'),
      advertised: values.get('advertised.listeners'),
      protocolMap: values.get('listener.security.protocol.map'),
      controllers: values.get('controller.listener.names'),
    }),
  }
}

function fieldOf({ type, field }: BrokerSetting, value: string): unknown {
  if (type === 'boolean') return value === 'true'
  if (field === 'offsetsCommitRequiredAcks') return value === '1' ? 1 : 'all'
  return type === 'int' || type === 'long' || type === 'double' ? Number(value) : value
}

/** The data directory that the settings name. */
export function dataDirectoryOf(properties: Properties): string | undefined {
  const named = properties['log.dirs'] ?? properties['log.dir']
  return named === undefined ? undefined : String(named).trim()
}

/** The configurations that topics have by the settings, by their names in topics. */
export function topicConfigOf(properties: Properties): Record<string, string> {
  const values = valuesOf(properties)
  const config: Record<string, string> = {}
  for (const { name, synonyms } of TOPIC_CONFIGS.values()) {
    for (const synonym of synonyms) {
      const [setting, scale] = typeof synonym === 'string' ? [synonym, 1] : synonym
      const value = values.get(setting)
      if (value === undefined) continue
      // -1 stands for no limit in every unit.
      config[name] = scale === 1 || value === '-1' ? value : String(BigInt(value) * BigInt(scale))
      break
    }
  }
  return config
}

/** What of the settings is not done: those that have no meaning, by why, and those that wait. */
export function undoneProperties(properties: Properties): { ignored: string[]; waiting: string[] } {
  const ignored = new Map<string, string[]>()
  const waiting: string[] = []
  for (const [name, given] of Object.entries(properties)) {
    const definition = BROKER_SETTINGS.get(name)
    if (definition?.effect === 'now' || (definition && readProperty(name, given) === definition.default)) continue
    if (definition?.effect === 'later') {
      waiting.push(name)
      continue
    }
    const reason = definition?.doc ?? whyIgnored(name) ?? ''
    ignored.set(reason, [...(ignored.get(reason) ?? []), name])
  }
  return { ignored: [...ignored].map(([reason, names]) => `${names.join(', ')} (${reason})`), waiting }
}
