import type { ApiSchema, FieldSchema } from '../../src/wire/kafka/schema/schema.js'

type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  readonly [name: string]: Json
}

/** What our code holds for a message that the Java client wrote as JSON. */
export function expectedMessage(
  fields: ApiSchema['request'],
  { message, version }: { message: JsonObject; version: number },
): Record<string, unknown> {
  const structs = new Map<string, readonly FieldSchema[]>()

  const struct = (fieldsOf: readonly FieldSchema[], json: JsonObject): Record<string, unknown> => {
    for (const field of fieldsOf) if (field.fields !== undefined) structs.set(elementOf(field.type), field.fields)
    return Object.fromEntries(fieldsOf.map((field) => [field.name, value(field, json[field.name])]))
  }
  const value = (field: FieldSchema, json: Json | undefined): unknown => {
    // The Java client leaves out of its JSON what is not in the version, and tagged fields that have their default.
    if (json === undefined) return absent(field, version)
    if (json === null) return null
    if (!field.type.startsWith('[]')) return single(field.type, json)
    return (json as Json[]).map((element) => single(elementOf(field.type), element))
  }
  const single = (type: string, json: Json): unknown => {
    if (isStruct(type)) return struct(structs.get(type) ?? [], json as JsonObject)
    if (type === 'int64') return BigInt(json as string | number)
    if (type === 'bytes' || type === 'records') return Buffer.from(json as string, 'base64')
    return json
  }
  return struct(fields, message)
}

function absent(field: FieldSchema, version: number): unknown {
  if (field.tag === undefined && includes(field.versions, version)) throw new Error(`no ${field.name} in the vector`)
  if (field.default !== undefined) return field.default
  if (field.nullable !== undefined) return null
  if (field.type.startsWith('[]')) return []
  if (isStruct(field.type)) return null
  const zeros: Record<string, unknown> = { bool: false, string: '', int64: 0n, uuid: 'AAAAAAAAAAAAAAAAAAAAAA' }
  if (field.type === 'bytes' || field.type === 'records') return Buffer.alloc(0)
  return zeros[field.type] ?? 0
}

function elementOf(type: string): string {
  return type.startsWith('[]') ? type.slice(2) : type
}

function isStruct(type: string): boolean {
  return /^[A-Z]/.test(type)
}

/** Whether `n`, `n-m` or `n+` includes the version. */
function includes(versions: string, version: number): boolean {
  const [first, last = first] = versions.replace('+', '-Infinity').split('-')
  return version >= Number(first) && version <= Number(last)
}
