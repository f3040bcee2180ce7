/** Every message of every version, held against what Kafka's Java client makes of it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { KafkaApi } from '../../../src/wire/kafka/kafka-api.js'
import {
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  readRequestHeader,
} from '../../../src/wire/kafka/request-header.js'
import type { ApiSchema } from '../../../src/wire/kafka/schema/schema.js'
import { expectedMessage, type JsonObject } from '../../support/kafka-message.js'

interface Vector {
  readonly version: number
  readonly direction: 'request' | 'response'
  readonly case: string
  readonly header: string
  readonly message: JsonObject
  readonly bytes: string
}

const CORRELATION_ID = 0x01020304
const LENGTH_PREFIX = 4
const generated = new URL('../../../src/wire/kafka/generated/', import.meta.url)
const schemas = new URL('../../../src/wire/kafka/schema/', import.meta.url)
const vectorFiles = new URL('../../vectors/kafka/', import.meta.url)

/** What a module exports by the one name that ends so, or that is the only one. */
async function exported<T>(file: URL, isIt: (name: string) => boolean): Promise<T> {
  const module = (await import(file.href)) as Record<string, T>
  const name = Object.keys(module).find(isIt)
  if (name === undefined) throw new Error(`${file.pathname} does not export it`)
  return module[name] as T
}

const files = readdirSync(generated).filter((file) => file.endsWith('.ts'))
const apis = await Promise.all(
  files.map(async (file) => {
    const api = await exported<KafkaApi<object, object>>(new URL(file, generated), (name) => name.endsWith('Api'))
    const schema = await exported<ApiSchema>(new URL(file, schemas), () => true)
    const vectorFile = new URL(`${api.name}.json`, vectorFiles)
    if (!existsSync(vectorFile)) throw new Error(`${api.name} has no vectors`)
    const vectors = (JSON.parse(readFileSync(vectorFile, 'utf8')) as { vectors: Vector[] }).vectors
    return { api, schema, vectors: vectors.map((vector) => ({ ...vector, name: nameOf(vector) })) }
  }),
)

function nameOf({ version, direction, case: kind }: Vector): string {
  return `version ${version} ${direction}, ${kind}`
}

function expectedOf(schema: ApiSchema, vector: Vector): Record<string, unknown> {
  return expectedMessage(vector.direction === 'request' ? schema.request : schema.response, vector)
}

/** Without what an expectation makes of each of many thousand errors. */
function codeOf(decoding: () => unknown): unknown {
  try {
    decoding()
    return undefined
  } catch (error) {
    return (error as { code?: unknown }).code
  }
}

/** The frame without its length, as the Java client sends it. */
function frameOf(vector: Vector): Buffer {
  return Buffer.from(vector.header + vector.bytes, 'hex')
}

function decode(api: KafkaApi<object, object>, vector: Vector, frame: Buffer): unknown {
  if (vector.direction === 'response') {
    const { correlationId, response } = decodeResponse(api, frame, vector.version)
    expect(correlationId).toBe(CORRELATION_ID)
    return response
  }
  const read = readRequestHeader(frame)
  if (read === null) throw new Error('a request without a header')
  const clientId = vector.version % 2 === 0 ? 'client-é' : null
  const header = { apiKey: api.key, apiVersion: vector.version, correlationId: CORRELATION_ID, clientId }
  expect(read.header).toEqual(header)
  return decodeRequest(api, read)
}

function encode(api: KafkaApi<object, object>, vector: Vector, message: object): Buffer {
  const clientId = vector.version % 2 === 0 ? 'client-é' : null
  const parts =
    vector.direction === 'request'
      ? encodeRequest(api, message, vector.version, CORRELATION_ID, clientId)
      : encodeResponse(api, message, vector.version, CORRELATION_ID)
  return Buffer.concat(parts as Buffer[])
}

it('there is a codec for each file of vectors', () => {
  const described = readdirSync(vectorFiles).filter((file) => /^[A-Z]\w+\.json$/.test(file))
  expect(apis.map(({ api }) => `${api.name}.json`).sort()).toEqual(described.sort())
})

describe.each(apis)('$api.name', ({ api, schema, vectors }) => {
  it('has vectors of every version in both directions', () => {
    const [min, max] = api.versions
    const missing: string[] = []
    for (let version = min; version <= max; version++) {
      const cases = version >= api.flexibleFrom ? ['full', 'defaults', 'unknown-tags'] : ['full', 'defaults']
      for (const kind of version === max ? [...cases, 'extreme'] : cases) {
        for (const direction of ['request', 'response'] as const) {
          const name = nameOf({ version, direction, case: kind } as Vector)
          if (!vectors.some((vector) => vector.name === name)) missing.push(name)
        }
      }
    }
    expect(missing).toEqual([])
  })

  it.each(vectors)('reads $name', (vector) => {
    expect(decode(api, vector, frameOf(vector))).toEqual(expectedOf(schema, vector))
  })

  it.each(vectors.filter((vector) => vector.case !== 'unknown-tags'))('writes $name', (vector) => {
    const written = encode(api, vector, expectedOf(schema, vector))
    const frame = frameOf(vector)
    expect(written.readInt32BE(0)).toBe(frame.length)
    expect(written.toString('hex', LENGTH_PREFIX)).toBe(frame.toString('hex'))
  })

  it('refuses each message that is cut anywhere, and a response that is longer than it says', () => {
    for (const vector of vectors.filter((each) => each.case === 'full')) {
      const frame = frameOf(vector)
      const code = vector.direction === 'request' ? 'INVALID_REQUEST' : 'INVALID_RESPONSE'
      for (let length = vector.header.length / 2; length < frame.length; length++) {
        if (codeOf(() => decode(api, vector, frame.subarray(0, length))) === code) continue
        throw new Error(`${vector.name}: ${length} bytes of it are not refused`)
      }
      const longer = () => decode(api, vector, Buffer.concat([frame, Buffer.from([0])]))
      // Kafka looks at nothing behind a request, and clients send such.
      if (vector.direction === 'request') expect(longer(), `${vector.name}, longer`).toEqual(expectedOf(schema, vector))
      else expect(longer, `${vector.name}, longer`).toThrow(expect.objectContaining({ code }))
    }
  })
})
