import fc from 'fast-check'
import { canBeNull, isOptional } from '../../scripts/kafka-codecs/emit-types.js'
import type { FieldModel, StructModel, ValueModel } from '../../scripts/kafka-codecs/model.js'
import { includes } from '../../scripts/kafka-codecs/versions.js'
import type { ScalarType } from '../../src/wire/kafka/schema/schema.js'
import type { AnyMessage } from './kafka-codecs.js'

const ZERO_UUID = 'AAAAAAAAAAAAAAAAAAAAAA'
const byte = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array))
const text = fc.oneof(fc.string({ maxLength: 20 }), fc.string({ unit: 'grapheme', maxLength: 90 }))

const SCALARS: Record<ScalarType, fc.Arbitrary<unknown>> = {
  bool: fc.boolean(),
  int8: fc.integer({ min: -0x80, max: 0x7f }),
  int16: fc.integer({ min: -0x8000, max: 0x7fff }),
  uint16: fc.integer({ min: 0, max: 0xffff }),
  int32: fc.integer({ min: -0x80000000, max: 0x7fffffff }),
  uint32: fc.integer({ min: 0, max: 0xffffffff }),
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  float64: fc.double({ noNaN: true }),
  string: text,
  uuid: fc.uint8Array({ minLength: 16, maxLength: 16 }).map((array) => Buffer.from(array).toString('base64url')),
  bytes: byte(60),
  records: byte(200),
  offset: fc.maxSafeInteger(),
  timestamp: fc.maxSafeInteger(),
  producerId: fc.maxSafeInteger(),
}

/** Any message or struct that a version can say, as decoding gives it: fields that it lacks have their defaults. */
export function anyStruct(struct: StructModel, version: number): fc.Arbitrary<AnyMessage> {
  const fields = struct.fields.map((field) => [field.name, anyField(struct, field, version)] as const)
  return fc.record(Object.fromEntries(fields), { noNullPrototype: true })
}

/** The same message with every field left out that may be and has its default. */
export function withoutDefaults(struct: StructModel, message: AnyMessage): AnyMessage {
  const shorter: AnyMessage = {}
  for (const field of struct.fields) {
    const value = message[field.name]
    const otherwise = defaultOf(struct, field)
    const isDefault = value === otherwise || (Array.isArray(value) && Array.isArray(otherwise) && value.length === 0)
    if (isOptional(field, struct) && isDefault) continue
    shorter[field.name] = field.value.kind === 'struct' ? eachStruct(field.value.struct, value) : value
  }
  return shorter
}

function eachStruct(struct: StructModel, value: unknown): unknown {
  if (value === null) return null
  if (Array.isArray(value)) return value.map((element) => withoutDefaults(struct, element))
  return withoutDefaults(struct, value as AnyMessage)
}

function anyField(struct: StructModel, field: FieldModel, version: number): fc.Arbitrary<unknown> {
  const otherwise = defaultOf(struct, field)
  if (!includes(field.versions, version)) return fc.constant(otherwise)
  const one = anyValue(field.value, version)
  const some = field.isArray ? fc.array(one, { maxLength: 3 }) : one
  const isRecords = field.value.kind === 'scalar' && field.value.scalar === 'records'
  const isLeftOut = field.tag !== undefined && otherwise === null
  if (includes(field.nullable, version) || isRecords || isLeftOut) return fc.option(some, { nil: null, freq: 3 })
  return field.default === undefined ? some : fc.oneof({ weight: 3, arbitrary: some }, fc.constant(otherwise))
}

function anyValue(value: ValueModel, version: number): fc.Arbitrary<unknown> {
  return value.kind === 'struct' ? anyStruct(value.struct, version) : SCALARS[value.scalar]
}

/** As schema.ts says it, told apart from what the generator makes of it. */
function defaultOf(struct: StructModel, field: FieldModel): unknown {
  const isInt64 = field.value.kind === 'scalar' && field.value.scalar === 'int64' && !field.isArray
  if (field.default !== undefined) return isInt64 ? BigInt(field.default as bigint) : field.default
  if (canBeNull(field, struct)) return null
  if (field.isArray) return []
  if (field.value.kind === 'struct') throw new Error(`${struct.name}.${field.name} has no default`)
  switch (field.value.scalar) {
    case 'bool':
      return false
    case 'string':
      return ''
    case 'uuid':
      return ZERO_UUID
    case 'bytes':
      return Buffer.alloc(0)
    case 'int64':
      return 0n
    default:
      return 0
  }
}
