import { MyKafkaError } from '../../errors.js'
import { apiVersionsApi } from '../../wire/kafka/generated/api-versions.js'
import { fetchApi } from '../../wire/kafka/generated/fetch.js'
import { produceApi } from '../../wire/kafka/generated/produce.js'
import { type KafkaFrame, readRequestHeader } from '../../wire/kafka/request-header.js'
import type { RequestPeer, RequestRouter, RoutedResponse } from '../request-router.js'
import { refuseApiVersions } from './handlers/api-versions.js'
import type { KafkaContext } from './kafka-handler.js'
import type { ServedApi } from './served-api.js'

/**
 * Hands each request of Kafka's wire to the handler of its API. As Kafka does, it ends a connection behind a request
 * that is malformed, or of an API or a version that is not served; but for ApiVersions, which is answered in version 0.
 */
export class KafkaRouter implements RequestRouter {
  readonly produceKind = produceApi.key
  readonly fetchKind = fetchApi.key
  readonly #apis: ReadonlyMap<number, ServedApi>
  readonly #context: KafkaContext

  constructor(apis: readonly ServedApi[], context: KafkaContext) {
    this.#apis = new Map(apis.map((api) => [api.range.apiKey, api]))
    this.#context = context
  }

  kindOf(frame: Buffer): number {
    return frame.length < 2 ? -1 : frame.readInt16BE(0)
  }

  route(frame: Buffer, peer: RequestPeer): RoutedResponse | Promise<RoutedResponse> {
    const request = readRequestHeader(frame)
    if (request === null) throw new MyKafkaError('INVALID_REQUEST', 'a request is too short for its header')
    const { apiKey, apiVersion, clientId } = request.header
    const api = this.#apis.get(apiKey)
    if (api === undefined) {
      throw new MyKafkaError('INVALID_REQUEST', `the API with key ${apiKey} is not served ${askedBy(request)}`)
    }
    if (apiVersion < api.versions[0] || apiVersion > api.versions[1]) {
      if (apiKey === apiVersionsApi.key) return refuseApiVersions(request.header, this.#context.apis)
      const served = `${api.versions[0]} to ${api.versions[1]} are`
      throw new MyKafkaError(
        'UNSUPPORTED_VERSION',
        `${api.name} ${apiVersion} is not served, ${served} ${askedBy(request)}`,
      )
    }
    return api.answer(request, {
      version: apiVersion,
      clientId: clientId ?? '',
      clientHost: peer.host,
      signal: peer.signal,
      listener: peer.listener,
      context: this.#context,
      peer,
    })
  }
}

function askedBy({ header: { clientId } }: KafkaFrame): string {
  return `(client ${JSON.stringify(clientId)})`
}
