import type { ScalarType } from '../../src/wire/kafka/schema/schema.js'
import { canBeNull, defaultOf, elementType, isOptional } from './emit-types.js'
import { type ApiModel, type FieldModel, type StructModel, structsOf } from './model.js'
import { chosenExpression, chosenStatement, includes } from './versions.js'

/** Those that are written alike in every version. */
const PLAIN: Partial<Record<ScalarType, string>> = {
  bool: 'bool',
  int8: 'int8',
  int16: 'int16',
  uint16: 'uint16',
  int32: 'int32',
  uint32: 'uint32',
  int64: 'bigInt64',
  float64: 'float64',
  uuid: 'uuid',
  offset: 'int64',
  timestamp: 'int64',
  producerId: 'int64',
}

/** The functions that write a message. */
export function emitWriters(api: ApiModel, root: StructModel): string {
  const texts: string[] = []
  for (const struct of structsOf(root)) {
    for (const field of struct.fields) {
      if (field.isArray) texts.push(arrayWriter(api, struct, field))
      else if (field.value.kind === 'struct' && field.nullable !== null) {
        texts.push(nullableWriter(struct, field, field.value.struct.name))
      }
    }
    texts.push(structWriter(api, struct))
  }
  return texts.join('\n\n')
}

function structWriter(api: ApiModel, struct: StructModel): string {
  const plain = struct.fields.filter((field) => field.tag === undefined)
  const tagged = struct.fields.filter((field) => field.tag !== undefined)
  const lines = plain.map((field) =>
    chosenStatement(struct.versions, (version) =>
      includes(field.versions, version) ? writeStatement(api, struct, field, version, given(struct, field)) : '',
    ),
  )
  lines.push(tagWriter(api, struct, tagged))
  const body = lines.filter((line) => line !== '').join('\n')
  return `function write${struct.name}(${parameters(body, struct.name)}): void {
    ${body}
  }`
}

function tagWriter(api: ApiModel, struct: StructModel, tagged: readonly FieldModel[]): string {
  if (struct.versions.to < api.flexibleFrom) return ''
  const within = (text: string) =>
    struct.versions.from < api.flexibleFrom ? `if (version >= ${api.flexibleFrom}) { ${text} }` : text
  if (tagged.length === 0) return within('writer.noTags()')
  const first = Math.max(struct.versions.from, api.flexibleFrom)
  const fields = [...tagged]
    .sort((a, b) => (a.tag as number) - (b.tag as number))
    .map((field) => {
      const conditions = [differsFromDefault(struct, field)]
      if (field.versions.from > first) conditions.unshift(`version >= ${field.versions.from}`)
      if (field.versions.to < struct.versions.to) conditions.unshift(`version <= ${field.versions.to}`)
      return { field, has: `has${field.name.charAt(0).toUpperCase()}${field.name.slice(1)}`, conditions }
    })
  const values = tagged.map((field) => `const ${field.name} = ${given(struct, field)}`)
  const tests = fields.map(({ has, conditions }) => `const ${has} = ${conditions.join(' && ')}`)
  const count = fields.map(({ has }) => `(${has} ? 1 : 0)`).join(' + ')
  const writes = fields.map(({ field, has }) => {
    const write = writeStatement(api, struct, field, field.versions.to, field.name)
    return `if (${has}) {
      const begun = writer.tag(${field.tag})
      ${write}
      writer.endTag(begun)
    }`
  })
  return within([...values, ...tests, `writer.unsignedVarint(${count})`, ...writes].join('\n'))
}

function differsFromDefault(struct: StructModel, field: FieldModel): string {
  const otherwise = defaultOf(field, struct)
  if (otherwise === '[]') {
    return canBeNull(field, struct)
      ? `(${field.name} === null || ${field.name}.length > 0)`
      : `${field.name}.length > 0`
  }
  if (otherwise === 'true' || otherwise === 'false') return otherwise === 'true' ? `!${field.name}` : field.name
  return `${field.name} !== ${otherwise}`
}

/** The value of a field, its default where it was left out. */
function given(struct: StructModel, field: FieldModel): string {
  const value = `value.${field.name}`
  if (!isOptional(field, struct)) return value
  const otherwise = defaultOf(field, struct)
  if (!canBeNull(field, struct) || otherwise === 'null') return `(${value} ?? ${otherwise})`
  return `(${value} === undefined ? ${otherwise} : ${value})`
}

function writeStatement(api: ApiModel, struct: StructModel, field: FieldModel, version: number, value: string): string {
  const nullable = includes(field.nullable, version)
  const holdsNull = canBeNull(field, struct) && !(field.value.kind === 'scalar' && field.value.scalar === 'records')
  // Behind its tag a field that is null was left out already.
  const isChecked = field.tag !== undefined && defaultOf(field, struct) === 'null'
  const sure = holdsNull && !nullable && !isChecked ? `nonNull(${value}, '${field.name}', version)` : value
  if (field.isArray) return `${fieldWriterName(struct, field)}(writer, ${sure}, version)`
  if (field.value.kind === 'scalar') return scalarStatement(api, field.value.scalar, version, nullable, sure)
  const write = `write${field.value.struct.name}(writer, ${sure}, version)`
  if (!nullable) return write
  return `${fieldWriterName(struct, field)}(writer, ${value}, version)`
}

function scalarStatement(api: ApiModel, scalar: ScalarType, version: number, nullable: boolean, value: string): string {
  const plain = PLAIN[scalar]
  if (plain !== undefined) return `writer.${plain}(${value})`
  const kind = scalar === 'string' ? 'String' : scalar === 'bytes' ? 'Bytes' : 'Records'
  const method = `${version >= api.flexibleFrom ? 'compact' : ''}${nullable && kind !== 'Records' ? 'Nullable' : ''}${kind}`
  return `writer.${method.charAt(0).toLowerCase() + method.slice(1)}(${value})`
}

function arrayWriter(api: ApiModel, struct: StructModel, field: FieldModel): string {
  const { value, versions, nullable } = field
  const elements = chosenStatement(versions, (version) =>
    value.kind === 'struct'
      ? `write${value.struct.name}(writer, element, version)`
      : scalarStatement(api, value.scalar, version, false, 'element'),
  )
  const length = (text: string) =>
    chosenExpression(
      versions,
      (version) => `writer.${version >= api.flexibleFrom ? 'compactA' : 'a'}rrayLength(${text})`,
    )
  const statement = (text: string) => {
    const chosen = length(text)
    return chosen.includes('?')
      ? chosenStatement(
          versions,
          (version) => `writer.${version >= api.flexibleFrom ? 'compactA' : 'a'}rrayLength(${text})`,
        )
      : chosen
  }
  const nullCase = nullable === null ? '' : `if (array === null) { ${statement('-1')}\nreturn }`
  const body = `${nullCase}
    ${statement('array.length')}
    for (const element of array) { ${elements} }`
  const type = `readonly ${elementType(value, struct)}[]${nullable === null ? '' : ' | null'}`
  const used = /\bversion\b/.test(body) ? '' : '_'
  return `function ${fieldWriterName(struct, field)}(writer: KafkaWriter, array: ${type}, ${used}version: number): void {
    ${body}
  }`
}

function nullableWriter(struct: StructModel, field: FieldModel, type: string): string {
  return `function ${fieldWriterName(struct, field)}(writer: KafkaWriter, value: ${type} | null, version: number): void {
    writer.present(value !== null)
    if (value !== null) write${type}(writer, value, version)
  }`
}

function fieldWriterName(struct: StructModel, field: FieldModel): string {
  return `write${struct.name}_${field.name}`
}

function parameters(body: string, type: string): string {
  const mark = (name: string) => (new RegExp(`\\b${name}\\b`).test(body) ? '' : '_')
  return `${mark('writer')}writer: KafkaWriter, ${mark('value')}value: ${type}, ${mark('version')}version: number`
}
