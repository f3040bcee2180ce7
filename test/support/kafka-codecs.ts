import { fileURLToPath } from 'node:url'
import { loadSchemas } from '../../scripts/generate-kafka-codecs.js'
import { type ApiModel, modelOf } from '../../scripts/kafka-codecs/model.js'
import type { KafkaApi } from '../../src/wire/kafka/kafka-api.js'
import { KafkaReader } from '../../src/wire/kafka/kafka-reader.js'
import { KafkaWriter } from '../../src/wire/kafka/kafka-writer.js'

/** A message of any API: what it holds is known by its schema only. */
export type AnyMessage = Record<string, unknown>
export type Direction = 'request' | 'response'

export interface Codec {
  readonly model: ApiModel
  readonly api: KafkaApi<AnyMessage, AnyMessage>
}

/** Every codec that there is, with its schema. */
export async function loadCodecs(): Promise<Codec[]> {
  const schemas = await loadSchemas()
  return Promise.all(
    schemas.map(async ({ file, schema }) => {
      const url = new URL(`../../src/wire/kafka/generated/${file}`, import.meta.url)
      const module: Record<string, unknown> = await import(fileURLToPath(url))
      const name = `${schema.name.charAt(0).toLowerCase()}${schema.name.slice(1)}Api`
      return { model: modelOf(schema), api: module[name] as Codec['api'] }
    }),
  )
}

/** Every version of every API in both directions. */
export function casesOf(codecs: readonly Codec[]): { codec: Codec; direction: Direction; version: number }[] {
  return codecs.flatMap((codec) => {
    const [min, max] = codec.api.versions
    const versions = Array.from({ length: max - min + 1 }, (_, i) => min + i)
    const directions: Direction[] = ['request', 'response']
    return directions.flatMap((direction) => versions.map((version) => ({ codec, direction, version })))
  })
}

export function encode({ api }: Codec, direction: Direction, message: AnyMessage, version: number): Buffer {
  const writer = new KafkaWriter()
  if (direction === 'request') api.encodeRequest(writer, message, version)
  else api.encodeResponse(writer, message, version)
  return Buffer.concat(writer.finish() as Buffer[])
}

export function decode({ api }: Codec, direction: Direction, bytes: Buffer, version: number): AnyMessage {
  const reader = new KafkaReader(bytes)
  return direction === 'request' ? api.decodeRequest(reader, version) : api.decodeResponse(reader, version)
}
