import { MyKafkaError } from '../errors.js'

/** Kafka's types of configuration values. */
export type ConfigType = 'boolean' | 'string' | 'int' | 'long' | 'double' | 'list' | 'class' | 'password'

/**
 * What a configuration does here. `now`: what Kafka says. `later`: it is kept and described, and waits for a part of
 * MyKafka that is not built yet. `none`: it is kept and described; there is nothing here that it could apply to.
 */
export type ConfigEffect = 'now' | 'later' | 'none'

/** One configuration, by Kafka's name for it. */
export interface ConfigDefinition {
  readonly name: string
  readonly type: ConfigType
  /** As text, as every value. Null: none. */
  readonly default: string | null
  /** Bounds of a number. */
  readonly low?: number
  readonly high?: number
  /** What a string, or each part of a list, may be. */
  readonly values?: readonly string[]
  readonly effect: ConfigEffect
  /** A sentence or two for whoever asks for the documentation. */
  readonly doc: string
}

export const MAX_INT = 2147483647
export const MAX_LONG = '9223372036854775807'
const MIN_LONG = -(2n ** 63n)

/** The parts of a list. */
export function listParts(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/**
 * The value as it is kept: without blanks around it.
 *
 * @throws MyKafkaError INVALID_CONFIG for a text that is no value of this configuration
 */
export function readConfigValue(definition: ConfigDefinition, given: string): string {
  const text = given.trim()
  switch (definition.type) {
    case 'boolean':
      return readBoolean(definition, text)
    case 'int':
      return readInteger(definition, text, BigInt(-MAX_INT - 1), BigInt(MAX_INT))
    case 'long':
      return readInteger(definition, text, MIN_LONG, BigInt(MAX_LONG))
    case 'double':
      return readDouble(definition, text)
    case 'list':
      return readList(definition, text)
    default:
      return readText(definition, text)
  }
}

function refuse({ name }: ConfigDefinition, rule: string, text: string): never {
  throw new MyKafkaError('INVALID_CONFIG', `${name} must be ${rule}, not ${text === '' ? 'empty' : text}`)
}

function readBoolean(definition: ConfigDefinition, text: string): string {
  const lower = text.toLowerCase()
  return lower === 'true' || lower === 'false' ? lower : refuse(definition, 'true or false', text)
}

function readInteger(definition: ConfigDefinition, text: string, least: bigint, most: bigint): string {
  const { low, high } = definition
  const from = low === undefined ? least : BigInt(low)
  const to = high === undefined ? most : BigInt(high)
  const value = /^[+-]?\d{1,19}$/.test(text) ? BigInt(text.replace('+', '')) : null
  if (value !== null && value >= from && value <= to) return String(value)
  return refuse(definition, `an integer from ${from} to ${to}`, text)
}

function readDouble(definition: ConfigDefinition, text: string): string {
  const { low = Number.NEGATIVE_INFINITY, high = Number.POSITIVE_INFINITY } = definition
  const value = text === '' ? Number.NaN : Number(text)
  return value >= low && value <= high ? String(value) : refuse(definition, `a number from ${low} to ${high}`, text)
}

function readList(definition: ConfigDefinition, text: string): string {
  const { values } = definition
  const parts = listParts(text)
  const wrong = values === undefined ? undefined : parts.find((part) => !values.includes(part))
  return wrong === undefined ? parts.join(',') : refuse(definition, `a list of ${values?.join(', ')}`, wrong)
}

function readText(definition: ConfigDefinition, text: string): string {
  const { values } = definition
  if (values === undefined || values.includes(text)) return text
  return refuse(definition, `one of ${values.join(', ')}`, text)
}
