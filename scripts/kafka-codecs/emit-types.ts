import type { ScalarType } from '../../src/wire/kafka/schema/schema.js'
import type { FieldModel, StructModel, ValueModel } from './model.js'

const NUMBER_TYPES: ReadonlySet<ScalarType> = new Set([
  ...(['int8', 'int16', 'uint16', 'int32', 'uint32', 'float64', 'offset', 'timestamp', 'producerId'] as const),
])

/** The interface of a struct. */
export function emitInterface(struct: StructModel): string {
  const fields = struct.fields.map((field) => `  ${property(field, struct)}`)
  return [`export interface ${struct.name} {`, ...fields, '}'].join('\n')
}

/** Whether a field can be left out where a response is made. */
export function isOptional(field: FieldModel, struct: StructModel): boolean {
  return struct.direction === 'response' && (field.default !== undefined || field.tag !== undefined)
}

/** Whether a field can be null in code. */
export function canBeNull(field: FieldModel, struct: StructModel): boolean {
  if (field.nullable !== null) return true
  if (field.isArray) return false
  if (field.value.kind === 'scalar') return field.value.scalar === 'records'
  const { from, to } = field.versions
  return field.tag !== undefined || from > struct.versions.from || to < struct.versions.to
}

/** What a field is in a version that lacks it, as code. */
export function defaultOf(field: FieldModel, struct: StructModel): string {
  const value = field.default
  if (value === null || (value === undefined && canBeNull(field, struct))) return 'null'
  if (field.isArray) return '[]'
  if (field.value.kind === 'struct') throw new Error(`${struct.name}.${field.name} has no default`)
  const { scalar } = field.value
  if (scalar === 'string') return JSON.stringify(value ?? '')
  if (scalar === 'uuid') return value === undefined ? 'ZERO_UUID' : JSON.stringify(value)
  if (scalar === 'bytes') return 'Buffer.alloc(0)'
  if (scalar === 'bool') return String(value ?? false)
  return scalar === 'int64' ? `${value ?? 0}n` : String(value ?? 0)
}

function property(field: FieldModel, struct: StructModel): string {
  const element = elementType(field.value, struct)
  // A request is as it came; a response may be filled step by step.
  const type = field.isArray ? `readonly ${element}[]` : element
  const whole = canBeNull(field, struct) ? `${type} | null` : type
  if (struct.direction === 'request') return `readonly ${field.name}: ${whole}`
  return isOptional(field, struct) ? `${field.name}?: ${whole} | undefined` : `${field.name}: ${whole}`
}

/** The type of a value, or of an element of an array. */
export function elementType(value: ValueModel, struct: StructModel): string {
  if (value.kind === 'struct') return value.struct.name
  const { scalar } = value
  if (NUMBER_TYPES.has(scalar)) return 'number'
  if (scalar === 'bool') return 'boolean'
  if (scalar === 'int64') return 'bigint'
  if (scalar === 'bytes') return 'Buffer'
  if (scalar === 'records') return struct.direction === 'request' ? 'Buffer' : 'Records'
  return 'string'
}
