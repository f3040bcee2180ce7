import type { ApiSchema, FieldSchema, ScalarType } from '../../src/wire/kafka/schema/schema.js'
import { parseVersions, type VersionRange } from './versions.js'

/** A schema that was checked, with everything it leaves to be inferred. */
export interface ApiModel {
  readonly key: number
  readonly name: string
  readonly versions: VersionRange
  /** Infinity where none is. */
  readonly flexibleFrom: number
  readonly request: StructModel
  readonly response: StructModel
}

export interface StructModel {
  /** Its name in code. */
  readonly name: string
  readonly direction: 'request' | 'response'
  /** Those in which it can occur. */
  versions: VersionRange
  readonly fields: FieldModel[]
}

export type ValueModel =
  | { readonly kind: 'scalar'; readonly scalar: ScalarType }
  | { readonly kind: 'struct'; readonly struct: StructModel }

export interface FieldModel {
  readonly name: string
  readonly isArray: boolean
  /** What it holds, or what each element is. */
  readonly value: ValueModel
  readonly versions: VersionRange
  readonly nullable: VersionRange | null
  readonly default: FieldSchema['default']
  readonly tag: number | undefined
}

const SCALARS: ReadonlySet<string> = new Set<ScalarType>([
  ...(['bool', 'int8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'float64'] as const),
  ...(['string', 'uuid', 'bytes', 'records', 'offset', 'timestamp', 'producerId'] as const),
])
const EVER: VersionRange = { from: 0, to: 0x7fff }

/** Checks a schema. What is wrong with it is an error that names the field. */
export function modelOf(schema: ApiSchema): ApiModel {
  const versions = parseVersions(schema.versions, EVER)
  if (versions === null || versions.to === EVER.to) fail(schema.name, 'its versions have no end')
  if (!/^[A-Z]\w+$/.test(schema.name)) fail(schema.name, 'is no name of an API')
  const flexible = schema.flexible === 'none' ? null : parseVersions(schema.flexible, versions)
  if (flexible !== null && flexible.to !== versions.to) fail(schema.name, 'flexible versions are those from one on')
  const flexibleFrom = flexible?.from ?? Number.POSITIVE_INFINITY
  const message = (direction: 'request' | 'response', fields: readonly FieldSchema[]): StructModel => {
    const name = schema.name + (direction === 'request' ? 'Request' : 'Response')
    const root: StructModel = { name, direction, versions, fields: [] }
    fillStruct(root, fields, { root, flexibleFrom, structs: new Map() })
    return root
  }
  const { key, name } = schema
  const request = message('request', schema.request)
  const response = message('response', schema.response)
  return { key, name, versions, flexibleFrom, request, response }
}

/** All structs of a message, each once, those that are used before those that use them. */
export function structsOf(root: StructModel, found: StructModel[] = []): StructModel[] {
  for (const { value } of root.fields) {
    if (value.kind === 'struct' && !found.includes(value.struct)) structsOf(value.struct, found)
  }
  if (!found.includes(root)) found.push(root)
  return found
}

interface Message {
  readonly root: StructModel
  readonly flexibleFrom: number
  readonly structs: Map<string, StructModel>
}

function fillStruct(struct: StructModel, fields: readonly FieldSchema[], message: Message): void {
  const names = new Set<string>()
  const tags: number[] = []
  for (const schema of fields) {
    const path = `${struct.name}.${schema.name}`
    if (!/^[a-z]\w*$/.test(schema.name)) fail(path, 'is no name of a field')
    if (names.has(schema.name)) fail(path, 'is there twice')
    names.add(schema.name)
    if (schema.tag !== undefined) tags.push(schema.tag)
    const field = fieldOf(schema, path, struct.versions, message)
    if (field !== null) struct.fields.push(field)
  }
  tags.sort((a, b) => a - b)
  tags.forEach((tag, i) => {
    if (tag !== i) fail(struct.name, `its tags are ${tags.join(', ')}`)
  })
}

function fieldOf(schema: FieldSchema, path: string, within: VersionRange, message: Message): FieldModel | null {
  const versions = parseVersions(schema.versions, within)
  if (versions === null) fail(path, 'is in none of the versions')
  const isArray = schema.type.startsWith('[]')
  const value = valueModelOf(isArray ? schema.type.slice(2) : schema.type, schema, path, versions, message)
  const nullable = schema.nullable === undefined ? null : parseVersions(schema.nullable, versions)
  if ((schema.tag === undefined) !== (schema.tagged === undefined)) fail(path, 'has one of tag and tagged only')
  if (schema.tagged !== undefined) {
    const tagged = parseVersions(schema.tagged, within)
    if (tagged?.from !== versions.from || tagged.to !== versions.to) fail(path, 'is tagged in some versions only')
    if (versions.from < message.flexibleFrom) fail(path, 'is tagged in versions that are not flexible')
    if (holdsBytes(value)) fail(path, 'is tagged and holds bytes')
  }
  if (isArray && value.kind === 'scalar' && value.scalar === 'records') fail(path, 'is an array of records')
  if (schema.default === null && nullable === null && !(value.kind === 'struct' && !isArray)) {
    fail(path, 'has the default null and cannot be null')
  }
  if (schema.default !== undefined && schema.default !== null && (isArray || value.kind === 'struct')) {
    fail(path, 'has a default that is a scalar')
  }
  return { name: schema.name, isArray, value, versions, nullable, default: schema.default, tag: schema.tag }
}

function valueModelOf(
  type: string,
  schema: FieldSchema,
  path: string,
  versions: VersionRange,
  message: Message,
): ValueModel {
  if (SCALARS.has(type)) {
    if (schema.fields !== undefined) fail(path, `${type} has no fields`)
    return { kind: 'scalar', scalar: type as ScalarType }
  }
  if (!/^[A-Z]\w*$/.test(type)) fail(path, `"${type}" is no type`)
  const known = message.structs.get(type)
  if (known !== undefined) {
    if (schema.fields !== undefined) fail(path, `${type} is described twice`)
    if (versions.from < known.versions.from || versions.to > known.versions.to) {
      fail(path, `${type} was described for other versions`)
    }
    return { kind: 'struct', struct: known }
  }
  if (schema.fields === undefined) fail(path, `${type} is not described`)
  const { direction, name } = message.root
  const struct: StructModel = { name: name + type, direction, versions, fields: [] }
  message.structs.set(type, struct)
  fillStruct(struct, schema.fields, message)
  return { kind: 'struct', struct }
}

function holdsBytes(value: ValueModel): boolean {
  if (value.kind === 'scalar') return value.scalar === 'bytes' || value.scalar === 'records'
  return value.struct.fields.some((field) => holdsBytes(field.value))
}

function fail(path: string, problem: string): never {
  throw new Error(`${path}: ${problem}`)
}
