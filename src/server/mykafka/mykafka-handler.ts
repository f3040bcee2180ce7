import type { GroupCoordinator } from '../../group/group-coordinator.js'
import type { LogManager } from '../../topic/log-manager.js'
import type { TopicPartitioners } from '../../topic/topic-partitioners.js'
import type { Conversions } from '../conversions.js'
import type { RequestFailures } from '../request-failures.js'
import type { RequestPeer } from '../request-router.js'
import type { ResponsePart } from '../response-part.js'

/** What the handlers of MyKafka's calls work on. */
export interface HandlerContext {
  readonly logs: LogManager
  readonly groups: GroupCoordinator
  readonly failures: RequestFailures
  readonly partitioners: TopicPartitioners
  readonly conversions: Conversions
  /** `socket.request.max.bytes`: no frame, response or request, is longer. */
  readonly maxFrameBytes: number
}

/**
 * Answers one request frame (without its length prefix), at once where it can. Throws where the router's error
 * response says all there is to say.
 */
export type Handler = (
  frame: Buffer,
  context: HandlerContext,
  peer: RequestPeer,
) => ResponsePart[] | Promise<ResponsePart[]>
