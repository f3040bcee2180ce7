import type { GroupCoordinator } from '../../group/group-coordinator.js'
import type { LogManager } from '../../topic/log-manager.js'
import type { ProducerIdManager } from '../../topic/producer-id-manager.js'
import type { KafkaApi } from '../../wire/kafka/kafka-api.js'
import type { BrokerConfig } from '../broker-config.js'
import type { Conversions } from '../conversions.js'
import type { AdvertisedListener } from '../listeners.js'
import type { RequestFailures } from '../request-failures.js'
import type { RequestPeer } from '../request-router.js'
import type { FetchSessions } from './fetch/fetch-sessions.js'

/** What the handlers of Kafka's APIs work on. */
export interface KafkaContext {
  readonly logs: LogManager
  readonly producerIds: ProducerIdManager
  readonly groups: GroupCoordinator
  readonly config: BrokerConfig
  readonly failures: RequestFailures
  readonly fetchSessions: FetchSessions
  readonly conversions: Conversions
  /** What this broker serves. */
  readonly apis: readonly ApiRange[]
}

/** What ApiVersions tells of one API. */
export interface ApiRange {
  readonly apiKey: number
  readonly minVersion: number
  readonly maxVersion: number
}

/** One request: how and by whom it was made. */
export interface KafkaCall {
  readonly version: number
  /** Empty where the client gives none. */
  readonly clientId: string
  /** The client's address, without the port. */
  readonly clientHost: string
  /** Aborts when the client is gone or the broker stops: who waits then answers at once, with what there is. */
  readonly signal: AbortSignal
  /** How a client that came this way reaches the broker. */
  readonly listener: AdvertisedListener
  readonly context: KafkaContext
  readonly peer: RequestPeer
}

/**
 * One of Kafka's APIs. Errors of a topic, a partition and the like are the handler's own matter, by way of
 * `context.failures.report`; what it throws is an error of the whole request.
 */
export interface KafkaHandler<Request, Response> {
  readonly api: KafkaApi<Request, Response>
  /** The versions that are served, and told by ApiVersions. */
  readonly versions: readonly [min: number, max: number]
  /** What ApiVersions tells as the lowest version, where that is another. */
  readonly advertisedMin?: number
  /** Null: there is no response. */
  handle(request: Request, call: KafkaCall): Response | null | Promise<Response | null>
  /** The response that tells of an error of the whole request. */
  failed(request: Request, errorCode: number, call: KafkaCall): Response
}
