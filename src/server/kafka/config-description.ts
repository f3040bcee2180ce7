import type { ConfigDefinition, ConfigType } from '../../topic/config-definition.js'

/** Where a value comes from, by Kafka's numbers. */
export const CONFIG_SOURCE = { topic: 1, staticBroker: 4, default: 5 } as const

/** Kafka's numbers of the types. */
const TYPE_NUMBERS: Readonly<Record<ConfigType, number>> = {
  boolean: 1,
  string: 2,
  int: 3,
  long: 5,
  double: 6,
  list: 7,
  class: 8,
  password: 9,
}

/** A value that a configuration has in one of the places where it can be set. */
export interface ConfigSynonym {
  readonly name: string
  readonly value: string | null
  readonly source: number
}

/** A configuration as CreateTopics and DescribeConfigs tell of it. */
export interface ConfigDescription {
  readonly name: string
  readonly value: string | null
  readonly readOnly: boolean
  readonly isDefault: boolean
  readonly configSource: number
  readonly isSensitive: boolean
  readonly synonyms: readonly ConfigSynonym[]
  readonly configType: number
  readonly documentation: string
}

/**
 * Describes one configuration.
 *
 * @param synonyms - where it is set, the one that counts first; the value of a password is not told
 */
export function describeConfig(
  definition: ConfigDefinition,
  value: string | null,
  synonyms: readonly ConfigSynonym[],
  readOnly: boolean,
): ConfigDescription {
  const isSensitive = definition.type === 'password'
  const configSource = synonyms[0]?.source ?? CONFIG_SOURCE.default
  return {
    name: definition.name,
    value: isSensitive ? null : value,
    readOnly,
    isDefault: configSource === CONFIG_SOURCE.default,
    configSource,
    isSensitive,
    synonyms: isSensitive ? synonyms.map((synonym) => ({ ...synonym, value: null })) : synonyms,
    configType: TYPE_NUMBERS[definition.type],
    documentation: definition.doc,
  }
}
