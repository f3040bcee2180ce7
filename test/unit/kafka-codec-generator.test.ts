import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { loadSchemas } from '../../scripts/generate-kafka-codecs.js'
import { modelOf, structsOf } from '../../scripts/kafka-codecs/model.js'
import { chosenExpression, chosenStatement, parseVersions } from '../../scripts/kafka-codecs/versions.js'
import type { ApiSchema, FieldSchema } from '../../src/wire/kafka/schema/schema.js'

const api = (...request: FieldSchema[]): ApiSchema => ({
  key: 99,
  name: 'Sample',
  versions: '2-6',
  flexible: '4+',
  request,
  response: [],
})
const field = (more: Partial<FieldSchema>): FieldSchema => ({ name: 'id', type: 'int32', versions: '0+', ...more })

describe('versions', () => {
  it('are cut to those of the API', () => {
    const within = { from: 2, to: 6 }
    expect(parseVersions('0+', within)).toEqual(within)
    expect(parseVersions('3-4', within)).toEqual({ from: 3, to: 4 })
    expect(parseVersions('5', within)).toEqual({ from: 5, to: 5 })
    expect(parseVersions('0-1', within)).toBeNull()
    expect(parseVersions('7+', within)).toBeNull()
    expect(() => parseVersions('4-3', within)).toThrow('ends before it begins')
    for (const text of ['', 'none', '1-', '-1', '1,2']) expect(() => parseVersions(text, within)).toThrow('no versions')
  })

  it('choose what the code does', () => {
    const range = { from: 2, to: 6 }
    expect(chosenExpression(range, () => 'a')).toBe('a')
    expect(chosenExpression(range, (version) => (version < 4 ? 'old' : 'new'))).toBe('version >= 4 ? new : old')
    expect(chosenStatement(range, () => '')).toBe('')
    expect(chosenStatement(range, (version) => (version < 3 ? 'a' : ''))).toBe('if (version < 3) { a }')
    expect(chosenStatement(range, (version) => (version < 3 ? '' : 'a'))).toBe('if (version >= 3) { a }')
    expect(chosenStatement(range, (version) => ['a', 'a', 'b', '', 'c'][version - 2] as string)).toBe(
      'if (version >= 6) { c } else if (version < 5) { if (version >= 4) { b } else { a } }',
    )
  })
})

describe('a description of an API', () => {
  it.each<[string, ApiSchema]>([
    ['SampleRequest.id: is there twice', api(field({}), field({}))],
    ['SampleRequest.id: is in none of the versions', api(field({ versions: '0-1' }))],
    ['SampleRequest.id: "int31" is no type', api(field({ type: '[]int31' }))],
    ['SampleRequest.id: Thing is not described', api(field({ type: '[]Thing' }))],
    ['SampleRequest.id: int32 has no fields', api(field({ fields: [] }))],
    ['SampleRequest.Id: is no name of a field', api(field({ name: 'Id' }))],
    ['SampleRequest.id: has one of tag and tagged only', api(field({ tag: 0 }))],
    ['SampleRequest.id: is tagged in some versions only', api(field({ versions: '4+', tag: 0, tagged: '5+' }))],
    ['SampleRequest.id: is tagged in versions that are not flexible', api(field({ tag: 0, tagged: '0+' }))],
    ['SampleRequest: its tags are 1', api(field({ versions: '4+', tag: 1, tagged: '4+' }))],
    [
      'SampleRequest: its tags are 0, 0',
      api(
        field({ versions: '4+', tag: 0, tagged: '4+' }),
        field({ name: 'other', versions: '4+', tag: 0, tagged: '4+' }),
      ),
    ],
    [
      'SampleRequest.id: is tagged and holds bytes',
      api(field({ type: 'bytes', versions: '4+', tag: 0, tagged: '4+' })),
    ],
    ['SampleRequest.id: has the default null and cannot be null', api(field({ type: 'string', default: null }))],
    ['SampleRequest.id: is an array of records', api(field({ type: '[]records' }))],
    ['Sample: its versions have no end', { ...api(), versions: '0+' }],
    ['Sample: flexible versions are those from one on', { ...api(), flexible: '3-4' }],
  ])('is refused: %s', (problem, schema) => {
    expect(() => modelOf(schema)).toThrow(problem)
  })

  it('describes a struct once', () => {
    const inner = [field({ name: 'x' })]
    const twice = api(field({ type: 'Thing', fields: inner }), field({ name: 'other', type: 'Thing', fields: inner }))
    expect(() => modelOf(twice)).toThrow('SampleRequest.other: Thing is described twice')
    const { request } = modelOf(api(field({ type: 'Thing', fields: inner }), field({ name: 'other', type: '[]Thing' })))
    expect(structsOf(request).map(({ name }) => name)).toEqual(['SampleRequestThing', 'SampleRequest'])
  })
})

it('there is a generated codec for each schema and no other', async () => {
  const folder = fileURLToPath(new URL('../../src/wire/kafka/generated', import.meta.url))
  expect(readdirSync(folder).sort()).toEqual((await loadSchemas()).map(({ file }) => file))
})
