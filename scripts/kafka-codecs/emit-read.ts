import type { ScalarType } from '../../src/wire/kafka/schema/schema.js'
import { defaultOf, elementType } from './emit-types.js'
import { type ApiModel, type FieldModel, type StructModel, structsOf, type ValueModel } from './model.js'
import { chosenExpression, includes } from './versions.js'

/** Those that are read alike in every version. */
const PLAIN: Partial<Record<ScalarType, { readonly method: string; readonly bytes: number }>> = {
  bool: { method: 'bool', bytes: 1 },
  int8: { method: 'int8', bytes: 1 },
  int16: { method: 'int16', bytes: 2 },
  uint16: { method: 'uint16', bytes: 2 },
  int32: { method: 'int32', bytes: 4 },
  uint32: { method: 'uint32', bytes: 4 },
  int64: { method: 'bigInt64', bytes: 8 },
  float64: { method: 'float64', bytes: 8 },
  uuid: { method: 'uuid', bytes: 16 },
  offset: { method: 'boundedInt64', bytes: 8 },
  timestamp: { method: 'boundedInt64', bytes: 8 },
  producerId: { method: 'int64', bytes: 8 },
}

/** The functions that read a message. */
export function emitReaders(api: ApiModel, root: StructModel): string {
  const texts: string[] = []
  for (const struct of structsOf(root)) {
    for (const field of struct.fields) {
      if (field.isArray) texts.push(arrayReader(api, struct, field))
    }
    texts.push(structReader(api, struct))
  }
  return texts.join('\n\n')
}

function structReader(api: ApiModel, struct: StructModel): string {
  const plain = struct.fields.filter((field) => field.tag === undefined)
  const tagged = struct.fields.filter((field) => field.tag !== undefined)
  const lines = [
    ...plain.map((field) => `const ${local(field)} = ${fieldExpression(api, struct, field)}`),
    ...tagged.map((field) => `let ${local(field)}: ${struct.name}['${field.name}'] = ${defaultOf(field, struct)}`),
  ]
  const tags = tagReader(api, struct, tagged)
  if (tags !== '') lines.push(tags)
  const members = struct.fields.map((field) =>
    local(field) === field.name ? field.name : `${field.name}: ${local(field)}`,
  )
  return `function read${struct.name}(${parameters(lines)}): ${struct.name} {
    ${lines.join('\n')}
    return { ${members.join(', ')} }
  }`
}

function tagReader(api: ApiModel, struct: StructModel, tagged: readonly FieldModel[]): string {
  if (struct.versions.to < api.flexibleFrom) return ''
  const condition = struct.versions.from < api.flexibleFrom ? `if (version >= ${api.flexibleFrom}) ` : ''
  if (tagged.length === 0) return `${condition}reader.skipTags()`
  const cases = tagged.map((field) => {
    const test = [`tag === ${field.tag}`]
    if (field.versions.from > Math.max(struct.versions.from, api.flexibleFrom)) {
      test.unshift(`version >= ${field.versions.from}`)
    }
    if (field.versions.to < struct.versions.to) test.unshift(`version <= ${field.versions.to}`)
    return `if (${test.join(' && ')}) {
      ${local(field)} = ${readExpression(api, struct, field, field.versions.to)}
      reader.endTag(end, '${field.name}')
    }`
  })
  return `${condition}{
    let tag = -1
    for (let left = reader.tagCount(); left > 0 && !reader.failed; left--) {
      tag = reader.tag(tag)
      const end = reader.tagEnd()
      ${cases.join(' else ')} else reader.skipTag(end)
    }
  }`
}

function fieldExpression(api: ApiModel, struct: StructModel, field: FieldModel): string {
  return chosenExpression(struct.versions, (version) =>
    includes(field.versions, version) ? readExpression(api, struct, field, version) : defaultOf(field, struct),
  )
}

/** How a field that is there is read in a version. */
function readExpression(api: ApiModel, struct: StructModel, field: FieldModel, version: number): string {
  if (field.isArray) return `${arrayReaderName(struct, field)}(reader, version)`
  const nullable = includes(field.nullable, version)
  if (field.value.kind === 'struct') {
    const read = `read${field.value.struct.name}(reader, version)`
    return nullable ? `reader.present('${field.name}') ? ${read} : null` : read
  }
  return scalarExpression(api, field.value.scalar, field.name, version, nullable)
}

function scalarExpression(api: ApiModel, scalar: ScalarType, name: string, version: number, nullable: boolean): string {
  const plain = PLAIN[scalar]
  if (plain !== undefined) return `reader.${plain.method}('${name}')`
  const compact = version >= api.flexibleFrom ? 'compact' : ''
  const method =
    compact + (nullable || scalar === 'records' ? 'Nullable' : '') + (scalar === 'string' ? 'String' : 'Bytes')
  return `reader.${method.charAt(0).toLowerCase() + method.slice(1)}('${name}')`
}

function arrayReader(api: ApiModel, struct: StructModel, field: FieldModel): string {
  const { name, value, versions, nullable } = field
  const element = chosenExpression(versions, (version) =>
    value.kind === 'struct'
      ? `read${value.struct.name}(reader, version)`
      : scalarExpression(api, value.scalar, name, version, false),
  )
  const length = chosenExpression(versions, (version) => {
    const method = `${version >= api.flexibleFrom ? 'compact' : ''}${includes(nullable, version) ? 'Nullable' : ''}ArrayLength`
    return `reader.${method.charAt(0).toLowerCase() + method.slice(1)}('${name}', ${elementLength(api, value, version)})`
  })
  const type = `${elementType(value, struct)}[]`
  const body = `const length = ${length}
    ${nullable === null ? '' : 'if (length < 0) return null'}
    const array: ${type} = []
    for (let i = 0; i < length && !reader.failed; i++) array.push(${element})
    return array`
  return `function ${arrayReaderName(struct, field)}(${parameters([body])}): ${type}${nullable === null ? '' : ' | null'} {
    ${body}
  }`
}

/** The bytes that a value has at least. */
function elementLength(api: ApiModel, value: ValueModel, version: number): number {
  const isFlexible = version >= api.flexibleFrom
  if (value.kind === 'scalar') {
    if (value.scalar === 'string') return isFlexible ? 1 : 2
    return PLAIN[value.scalar]?.bytes ?? (isFlexible ? 1 : 4)
  }
  let length = isFlexible ? 1 : 0
  for (const field of value.struct.fields) {
    if (field.tag !== undefined || !includes(field.versions, version)) continue
    if (field.isArray) length += isFlexible ? 1 : 4
    else if (field.value.kind === 'struct' && includes(field.nullable, version)) length += 1
    else length += elementLength(api, field.value, version)
  }
  // An element without bytes would make any length believable.
  return Math.max(length, 1)
}

function arrayReaderName(struct: StructModel, field: FieldModel): string {
  return `read${struct.name}_${field.name}`
}

/** Parameters of a function, those unused marked. */
export function parameters(lines: readonly string[]): string {
  const uses = (name: string) => lines.some((line) => new RegExp(`\\b${name}\\b`).test(line))
  return `${uses('reader') ? '' : '_'}reader: KafkaReader, ${uses('version') ? '' : '_'}version: number`
}

const TAKEN: ReadonlySet<string> = new Set(['reader', 'version', 'tag', 'left', 'end', 'default', 'delete', 'new'])

/** The name of the variable that holds a field. */
function local(field: FieldModel): string {
  return TAKEN.has(field.name) ? `${field.name}Field` : field.name
}
