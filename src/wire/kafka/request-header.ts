import { MyKafkaError } from '../../errors.js'
import { type KafkaApi, knowsVersion } from './kafka-api.js'
import { KafkaReader, MAX_RESPONSE_ELEMENTS } from './kafka-reader.js'
import { KafkaWriter, type MessagePart } from './kafka-writer.js'

const API_VERSIONS = 18
/** Api key, version, correlation id. */
const FIXED_BYTES = 8

/** What headers and frames need to know of an API. */
type HeaderApi = Pick<KafkaApi<unknown, unknown>, 'key' | 'flexibleFrom'>

/** What stands in front of every request, alike in headers 1 and 2 of Kafka. */
export interface RequestHeader {
  readonly apiKey: number
  readonly apiVersion: number
  readonly correlationId: number
  readonly clientId: string | null
}

/** A frame whose header is read. The reader stands behind the client id, and holds it against a malformed one. */
export interface KafkaFrame {
  readonly header: RequestHeader
  readonly body: KafkaReader
}

/**
 * Reads the header of a request, whatever API and version it is of.
 *
 * @param frame - without its length prefix
 * @returns null where it is too short to be answered
 */
export function readRequestHeader(frame: Buffer): KafkaFrame | null {
  if (frame.length < FIXED_BYTES) return null
  const body = new KafkaReader(frame)
  const apiKey = body.int16('apiKey')
  const apiVersion = body.int16('apiVersion')
  const correlationId = body.int32('correlationId')
  const clientId = body.nullableString('clientId')
  return { header: { apiKey, apiVersion, correlationId, clientId }, body }
}

/**
 * Reads the request behind its header.
 *
 * @throws MyKafkaError UNSUPPORTED_VERSION, INVALID_REQUEST
 */
export function decodeRequest<Req, Res>(api: KafkaApi<Req, Res>, { header, body }: KafkaFrame): Req {
  const version = header.apiVersion
  if (!knowsVersion(api, version)) {
    throw new MyKafkaError('UNSUPPORTED_VERSION', `${api.name} has no version ${version}`)
  }
  if (version >= api.flexibleFrom) body.skipTags()
  return api.decodeRequest(body, version)
}

/** A whole response, its length in front. */
export function encodeResponse<Req, Res>(
  api: KafkaApi<Req, Res>,
  response: Res,
  version: number,
  correlationId: number,
): MessagePart[] {
  const writer = new KafkaWriter(true)
  writer.int32(correlationId)
  if (responseHeaderHasTags(api, version)) writer.noTags()
  api.encodeResponse(writer, response, version)
  return writer.finish()
}

/** A whole request, its length in front. */
export function encodeRequest<Req, Res>(
  api: KafkaApi<Req, Res>,
  request: Req,
  version: number,
  correlationId: number,
  clientId: string | null,
): MessagePart[] {
  const writer = new KafkaWriter(true)
  writer.int16(api.key)
  writer.int16(version)
  writer.int32(correlationId)
  writer.nullableString(clientId)
  if (version >= api.flexibleFrom) writer.noTags()
  api.encodeRequest(writer, request, version)
  return writer.finish()
}

/**
 * Reads a response to a request of that version.
 *
 * @param frame - without its length prefix
 * @throws MyKafkaError INVALID_RESPONSE
 */
export function decodeResponse<Req, Res>(
  api: KafkaApi<Req, Res>,
  frame: Buffer,
  version: number,
): { readonly correlationId: number; readonly response: Res } {
  const reader = new KafkaReader(frame, MAX_RESPONSE_ELEMENTS)
  const correlationId = reader.int32('correlationId')
  if (responseHeaderHasTags(api, version)) reader.skipTags()
  return { correlationId, response: api.decodeResponse(reader, version) }
}

/** A client that asks for versions knows none yet, so the header of that answer never changes. */
function responseHeaderHasTags(api: HeaderApi, version: number): boolean {
  return version >= api.flexibleFrom && api.key !== API_VERSIONS
}
