/** What real clients sent to Apache Kafka, and what that answered, is read and written again to the same bytes. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { apiVersionsApi } from '../../../src/wire/kafka/generated/api-versions.js'
import type { ProduceRequest } from '../../../src/wire/kafka/generated/produce.js'
import { type KafkaApi, knowsVersion } from '../../../src/wire/kafka/kafka-api.js'
import {
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  type KafkaFrame,
  readRequestHeader,
} from '../../../src/wire/kafka/request-header.js'

interface Exchange {
  readonly key: number
  readonly version: number
  readonly request: string
  readonly response?: string
}

const LENGTH_PREFIX = 4
const MAGIC = 16
const UNSUPPORTED_VERSION = 35
const generated = new URL('../../../src/wire/kafka/generated/', import.meta.url)
const recorded = new URL('../../vectors/kafka/clients.json', import.meta.url)

const clients = JSON.parse(readFileSync(recorded, 'utf8')) as { client: string; exchanges: Exchange[] }[]
const apis = new Map<number, KafkaApi<object, object>>()
for (const file of readdirSync(generated)) {
  const module = (await import(new URL(file, generated).href)) as Record<string, KafkaApi<object, object>>
  for (const api of Object.values(module)) apis.set(api.key, api)
}

function headerOf(frame: Buffer): KafkaFrame {
  const read = readRequestHeader(frame)
  if (read === null) throw new Error('no header')
  return read
}

/** A message without its length. */
function whole(parts: readonly unknown[]): string {
  return Buffer.concat(parts as Buffer[]).toString('hex', LENGTH_PREFIX)
}

it('six clients were recorded, each with the calls that produce and consume', () => {
  expect(clients.map(({ client }) => client.split(' ')[0])).toEqual([
    'kafkajs',
    '@platformatic/kafka',
    'confluent-kafka',
    'kafka-python',
    'aiokafka',
    'franz-go',
  ])
  for (const { exchanges } of clients) {
    const keys = exchanges.map(({ key }) => key)
    expect(keys).toEqual(expect.arrayContaining([0, 1, 2, 3, 8, 10, 11, 14, 18]))
  }
})

describe.each(clients)('$client', ({ exchanges }) => {
  const known = exchanges.flatMap((exchange) => {
    const api = apis.get(exchange.key)
    return api !== undefined && knowsVersion(api, exchange.version) ? [{ ...exchange, api, name: api.name }] : []
  })

  it.each(exchanges)('the header of request $key, version $version', ({ key, version, request }) => {
    const { header } = headerOf(Buffer.from(request, 'hex'))
    expect(header).toMatchObject({ apiKey: key, apiVersion: version })
    expect(header.clientId).toMatch(/^(recorded|aiokafka-|kafka-python|rdkafka)/)
  })

  it.each(known)('$name $version', ({ api, version, request, response }) => {
    const frame = headerOf(Buffer.from(request, 'hex'))
    const { correlationId, clientId } = frame.header
    expect(whole(encodeRequest(api, decodeRequest(api, frame), version, correlationId, clientId))).toBe(request)
    if (response === undefined) return
    const answer = decodeResponse(api, Buffer.from(response, 'hex'), version)
    expect(answer.correlationId).toBe(correlationId)
    expect(whole(encodeResponse(api, answer.response, version, correlationId))).toBe(response)
  })

  it('produces one batch of records to its topic', () => {
    const produced = exchanges.filter(({ key }) => key === 0)
    expect(produced.length).toBeGreaterThan(0)
    for (const { request } of produced) {
      const frame = headerOf(Buffer.from(request, 'hex'))
      const { topicData } = decodeRequest(apis.get(0) as KafkaApi<object, object>, frame) as ProduceRequest
      expect(topicData.map(({ name }) => name.startsWith('recorded-'))).toEqual([true])
      expect(topicData[0]?.partitionData[0]?.records?.[MAGIC]).toBe(2)
    }
  })
})

it('what has no codec is known: a later API, and versions that Apache Kafka 3.9 has not either', () => {
  const unknown = clients.flatMap(({ client, exchanges }) =>
    exchanges
      .filter(({ key, version }) => !knowsVersion(apis.get(key) ?? { versions: [0, -1] }, version))
      .map((exchange) => ({ ...exchange, call: `${client.split(' ')[0]} ${exchange.key} ${exchange.version}` })),
  )
  expect(unknown.map(({ call }) => call)).toEqual(['confluent-kafka 69 0', 'franz-go 18 5'])
  const { request, response } = unknown[1] as Exchange
  expect(() => decodeRequest(apiVersionsApi, headerOf(Buffer.from(request, 'hex')))).toThrow(/no version 5/)
  // The answer is one of version 0, which every client can read.
  const answer = decodeResponse(apiVersionsApi, Buffer.from(response as string, 'hex'), 0).response
  expect(answer.errorCode).toBe(UNSUPPORTED_VERSION)
  expect(answer.apiKeys).toEqual([{ apiKey: 18, minVersion: 0, maxVersion: 4 }])
})
