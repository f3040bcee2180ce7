import type { Logger } from '../logger.js'
import type { Client } from './client.js'
import type { KafkaConnection } from './kafka-connection.js'

export {
  abortable,
  abortError,
  backoffMs,
  handled,
  isRetriable,
  onAbort,
  type RetryOptions,
  retrying,
  sleep,
  UNKNOWN_TOPIC,
  underSignals,
  within,
} from './retrying.js'

/** What a call may be given beside what it asks. */
export interface CallOptions {
  /** Ends the waiting: the call is rejected with ABORTED. What the broker was asked already it does all the same. */
  readonly signal?: AbortSignal | undefined
}

/** Settings that all of a client's parts share, with everything decided. Kafka's name of each is given. */
export interface TransportOptions {
  /** `client.id` */
  readonly clientId: string
  /** `request.timeout.ms`: how long a request may go unanswered, and how long a connection is sought. */
  readonly requestTimeoutMs: number
  /** `retry.backoff.ms`: before the first repetition of a request; each one waits twice as long as the one before. */
  readonly retryBackoffMs: number
  /** `retry.backoff.max.ms` */
  readonly retryBackoffMaxMs: number
  /** `metadata.max.age.ms` */
  readonly metadataMaxAgeMs: number
  /** `check.crcs` */
  readonly checkCrcs: boolean
  readonly logger: Logger
}

/**
 * The way to a broker: over connections that are made anew where they are gone, or to an engine in this process.
 * Behind `close` every call is rejected with CLIENT_CLOSED, which is not retriable.
 */
export interface Transport {
  readonly options: TransportOptions
  readonly closed: boolean
  /**
   * MyKafka's calls; the same connection for all who ask, until it is gone. Where there is none, the bootstrap
   * addresses are tried in turn, with backoff.
   *
   * @throws MyKafkaError NETWORK_EXCEPTION behind requestTimeoutMs, ABORTED, CLIENT_CLOSED
   */
  client(options?: CallOptions): Promise<Client>
  /** A connection of its own, for calls that wait at the broker: answers come in order. Whoever asks for it closes it. */
  ownClient(options?: CallOptions): Promise<Client>
  /** Kafka's messages; the same connection for all who ask. */
  kafka(options?: CallOptions): Promise<KafkaConnection>
  /** Rejects what is under way, and ends every connection, or closes the engine. */
  close(): Promise<void>
}
