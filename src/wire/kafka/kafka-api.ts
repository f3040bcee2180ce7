import type { KafkaReader } from './kafka-reader.js'
import type { KafkaWriter } from './kafka-writer.js'

/** The codec of one API, both messages in both directions. Those in generated/ are made from schema/. */
export interface KafkaApi<Req, Res> {
  readonly key: number
  readonly name: string
  /** Those that the codec knows. What a broker serves can be fewer. */
  readonly versions: readonly [min: number, max: number]
  /** The first version with compact lengths and tagged fields, also in the headers; Infinity where none has. */
  readonly flexibleFrom: number
  /**
   * Reads a whole message behind its header.
   *
   * @param version - one of `versions`
   * @throws MyKafkaError INVALID_REQUEST
   */
  decodeRequest(reader: KafkaReader, version: number): Req
  /** @throws MyKafkaError INVALID_ARGUMENT where the version cannot say it */
  encodeRequest(writer: KafkaWriter, request: Req, version: number): void
  /** @throws MyKafkaError INVALID_RESPONSE */
  decodeResponse(reader: KafkaReader, version: number): Res
  /** @throws MyKafkaError INVALID_ARGUMENT where the version cannot say it */
  encodeResponse(writer: KafkaWriter, response: Res, version: number): void
}

/** Whether the codec knows the version. */
export function knowsVersion(api: Pick<KafkaApi<unknown, unknown>, 'versions'>, version: number): boolean {
  return version >= api.versions[0] && version <= api.versions[1]
}
