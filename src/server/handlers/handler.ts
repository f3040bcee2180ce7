import type { FileSlice } from '../../log/file-slice.js'
import type { LogManager } from '../../topic/log-manager.js'
import type { OffsetStore } from '../../topic/offset-store.js'
import type { TopicPartitioners } from '../../topic/topic-partitioners.js'
import type { RequestFailures } from '../request-failures.js'

/** What handlers work on. */
export interface HandlerContext {
  readonly logs: LogManager
  readonly offsets: OffsetStore
  readonly failures: RequestFailures
  readonly partitioners: TopicPartitioners
  /** `socket.request.max.bytes`: no frame, response or request, is longer. */
  readonly maxFrameBytes: number
}

/** A piece of a response: bytes, or bytes of a segment file, which whoever sends them releases. */
export type ResponsePart = Buffer | FileSlice

/**
 * Answers one request frame (without its length prefix), at once where it can. Throws where the router's error
 * response says all there is to say.
 */
export type Handler = (frame: Buffer, context: HandlerContext) => ResponsePart[] | Promise<ResponsePart[]>
