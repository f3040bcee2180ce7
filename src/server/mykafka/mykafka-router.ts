import { KAFKA_ERRORS } from '../../errors.js'
import { API_KEY, type ApiKey, apiName, isApiKey } from '../../wire/mykafka/api-key.js'
import { encodeErrorResponse } from '../../wire/mykafka/error-response.js'
import { FrameWriter } from '../../wire/mykafka/frame-writer.js'
import type { RequestPeer, RequestRouter } from '../request-router.js'
import type { ResponsePart } from '../response-part.js'
import { handleAwait } from './handlers/await.js'
import { handleCommitOffset } from './handlers/commit-offset.js'
import { handleCreateTopic } from './handlers/create-topic.js'
import { handleDescribeStorage } from './handlers/describe-storage.js'
import { handleFetch } from './handlers/fetch.js'
import { handleFetchOffset } from './handlers/fetch-offset.js'
import { handleMetadata } from './handlers/metadata.js'
import { handleProduce } from './handlers/produce.js'
import type { Handler, HandlerContext } from './mykafka-handler.js'

const HANDLERS: Record<ApiKey, Handler> = {
  [API_KEY.PRODUCE]: handleProduce,
  [API_KEY.FETCH]: handleFetch,
  [API_KEY.CREATE_TOPIC]: handleCreateTopic,
  [API_KEY.COMMIT_OFFSET]: handleCommitOffset,
  [API_KEY.FETCH_OFFSET]: handleFetchOffset,
  [API_KEY.METADATA]: handleMetadata,
  [API_KEY.DESCRIBE_STORAGE]: handleDescribeStorage,
  [API_KEY.AWAIT]: handleAwait,
}

/** Hands each request frame of MyKafka's wire to its handler; what a handler throws becomes an error response. */
export class MyKafkaRouter implements RequestRouter {
  readonly produceKind = API_KEY.PRODUCE
  readonly fetchKind = API_KEY.FETCH
  readonly #context: HandlerContext

  constructor(context: HandlerContext) {
    this.#context = context
  }

  kindOf(frame: Buffer): number {
    return frame[0] as number
  }

  /** Answers one frame (without its length prefix). Never throws, never rejects. */
  route(frame: Buffer, peer: RequestPeer): ResponsePart[] | Promise<ResponsePart[]> {
    const apiKey = frame[0] as number
    if (!isApiKey(apiKey)) return [unknownCall(apiKey)]
    try {
      const response = HANDLERS[apiKey](frame, this.#context, peer)
      if (!(response instanceof Promise)) return response
      return response.catch((error: unknown) => this.#failed(apiKey, error))
    } catch (error) {
      return this.#failed(apiKey, error)
    }
  }

  #failed(apiKey: ApiKey, error: unknown): ResponsePart[] {
    return [encodeErrorResponse(apiKey, this.#context.failures.report(apiName(apiKey), error))]
  }
}

/** The connection survives a call that nobody knows: its frame was whole. */
function unknownCall(apiKey: number): Buffer {
  return new FrameWriter(apiKey, 1).int8(KAFKA_ERRORS.INVALID_REQUEST.wire).buffer
}
