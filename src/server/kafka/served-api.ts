import { MyKafkaError } from '../../errors.js'
import { decodeRequest, encodeResponse, type KafkaFrame } from '../../wire/kafka/request-header.js'
import type { RoutedResponse } from '../request-router.js'
import { areMany, behindTurn } from './in-turns.js'
import type { ApiRange, KafkaCall, KafkaHandler } from './kafka-handler.js'

/** A handler whose types nobody has to know: from frame to response. */
export interface ServedApi {
  readonly name: string
  /** The versions that are served. */
  readonly versions: readonly [min: number, max: number]
  /** What ApiVersions tells. */
  readonly range: ApiRange
  /**
   * Answers a request of one of the versions.
   *
   * @throws MyKafkaError INVALID_REQUEST for one that is malformed
   */
  answer(frame: KafkaFrame, call: KafkaCall): RoutedResponse | Promise<RoutedResponse>
}

/** Makes a handler servable: what it throws becomes the response that its `failed` makes of it. */
export function serve<Request, Response>(handler: KafkaHandler<Request, Response>): ServedApi {
  const { api, versions, advertisedMin } = handler
  const respond = (response: Response | null, frame: KafkaFrame): RoutedResponse =>
    response === null ? null : encodeResponse(api, response, frame.header.apiVersion, frame.header.correlationId)
  return {
    name: api.name,
    versions,
    range: { apiKey: api.key, minVersion: advertisedMin ?? versions[0], maxVersion: versions[1] },
    answer(frame, call) {
      const request = decodeRequest(api, frame)
      const failed = (error: unknown): RoutedResponse => {
        if (error instanceof ConnectionUnusable) throw error
        return respond(handler.failed(request, call.context.failures.report(api.name, error), call), frame)
      }
      try {
        const response = handler.handle(request, call)
        if (!(response instanceof Promise)) return respond(response, frame)
        const { elements } = frame.body
        const handled = areMany(elements) ? response.then(behindTurn) : response
        return handled.then((settled) => respond(settled, frame)).catch(failed)
      } catch (error) {
        return failed(error)
      }
    },
  }
}

/** A handler throws it where the connection cannot go on and nothing can be answered. */
export class ConnectionUnusable extends MyKafkaError {
  override readonly name = 'ConnectionUnusable'
}
