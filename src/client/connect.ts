import { MyKafkaError } from '../errors.js'
import { type Logger, silentLogger } from '../logger.js'
import type { EmbeddedBrokerOptions } from '../server/embedded-broker.js'
import { Admin } from './admin/admin.js'
import type { AdminOptions } from './admin/calls.js'
import { bootstrapAddresses } from './bootstrap.js'
import { BrokerTransport } from './broker-transport.js'
import { Consumer } from './consumer/consumer.js'
import type { ConsumerOptions } from './consumer/consumer-options.js'
import { EngineTransport } from './engine-transport.js'
import { DEFAULT_CLIENT_ID } from './kafka-connection.js'
import { checkInteger, MAX_INT32 } from './options.js'
import type { ProducerOptions } from './producer/options.js'
import { type CloseOptions, Producer } from './producer/producer.js'
import { handled, onAbort } from './retrying.js'
import type { CallOptions, Transport, TransportOptions } from './transport.js'

/** What both ways of connecting can be told. Kafka's name of each is given. */
export interface CommonConnectOptions {
  /** `client.id`; default mykafka. */
  readonly clientId?: string | undefined
  /** `request.timeout.ms`: how long a request may go unanswered, and how long a broker is sought; default 30000. */
  readonly requestTimeoutMs?: number | undefined
  /** `retry.backoff.ms`: the wait before a request is repeated, doubled each time, with jitter; default 100. */
  readonly retryBackoffMs?: number | undefined
  /** `retry.backoff.max.ms`; default 1000. */
  readonly retryBackoffMaxMs?: number | undefined
  /** `metadata.max.age.ms`: how old what is known of topics may get; default 300000. */
  readonly metadataMaxAgeMs?: number | undefined
  /** `check.crcs`: whether the CRC of each record is checked; default true. */
  readonly checkCrcs?: boolean | undefined
  /** Default: no log. */
  readonly logger?: Logger | undefined
}

/** How to connect to a broker. */
export interface BrokersConnectOptions extends CommonConnectOptions {
  /** `bootstrap.servers`: `host:port`, several in a list or parted by commas; default 127.0.0.1:9092. */
  readonly brokers?: string | readonly string[] | undefined
  /** `socket.connection.setup.timeout.ms`; default 10000. */
  readonly connectTimeoutMs?: number | undefined
  /** `reconnect.backoff.ms`: the wait before the addresses are tried again, doubled each time; default 50. */
  readonly reconnectBackoffMs?: number | undefined
  /** `reconnect.backoff.max.ms`; default 1000. */
  readonly reconnectBackoffMaxMs?: number | undefined
  readonly dataDir?: undefined
}

/** How to use an engine in this process. */
export interface EngineConnectOptions extends CommonConnectOptions {
  /** Where its logs are. No other process may use the directory meanwhile. */
  readonly dataDir: string
  /** Its settings, as of a broker. */
  readonly broker?: Omit<EmbeddedBrokerOptions, 'dataDir' | 'logger'> | undefined
  readonly brokers?: undefined
}

/** How to {@link connect}. */
export type ConnectOptions = BrokersConnectOptions | EngineConnectOptions

/** What is closed with its {@link Kafka}. */
interface Part {
  /** Whether `close` was called. */
  readonly closed: boolean
  close(options?: CallOptions): Promise<void>
}

/**
 * What producers, consumers and administration share: connections to a broker, which are made when they are first
 * needed and anew where they are lost, or an engine in this process. See {@link connect}.
 */
export class Kafka {
  readonly #transport: Transport
  readonly #parts = new Set<Part>()
  readonly #givingUp = new AbortController()
  #closing: Promise<void> | null = null

  /** Use {@link connect}. */
  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** A producer; it opens what it needs when it sends. @throws MyKafkaError INVALID_ARGUMENT, CLIENT_CLOSED */
  producer(options?: ProducerOptions): Producer {
    return this.#part(new Producer(this.#transport, options))
  }

  /** Administration of topics, configurations and groups. */
  admin(options?: AdminOptions): Admin {
    return this.#part(new Admin(this.#transport, options))
  }

  /** A consumer; closed with this, unless it is closed before. */
  consumer(options: ConsumerOptions = {}): Consumer {
    return this.#part(new Consumer(this.#transport, options))
  }

  /**
   * Closes the producers, which send what they hold, the consumers and the administration, then the connections or the
   * engine. What has not come to its end by the time of `timeoutMs`, or when the signal aborts, is given up. A second call
   * waits for the first.
   *
   * @throws what the first of them that failed throws; all are closed then too. Not what one throws that was closed before:
   *   who closed it is told
   */
  close(options: CloseOptions = {}): Promise<void> {
    const giveUp = (): void => this.#givingUp.abort()
    this.#closing ??= handled(this.#close())
    const { timeoutMs, signal } = options
    const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs)
    const stopListening = signal && onAbort(signal, giveUp)
    return handled(
      this.#closing.finally(() => {
        clearTimeout(timer)
        stopListening?.()
      }),
    )
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    const { signal } = this.#givingUp
    const closing = [...this.#parts].map((part) => {
      const isTold = part.closed
      return part.close({ signal }).then(
        () => null,
        (reason: unknown) => (isTold ? null : { reason }),
      )
    })
    const failures = await Promise.all(closing)
    this.#parts.clear()
    await this.#transport.close()
    for (const failure of failures) if (failure !== null) throw failure.reason
  }

  /** What is being closed is waited for, all the same. */
  #forget(part: Part): void {
    const gone = (): boolean => this.#parts.delete(part)
    part.close().then(gone, gone)
  }

  /** Takes what it makes into its own closing. */
  #part<T extends Part>(part: T): T {
    if (this.#closing !== null) throw new MyKafkaError('CLIENT_CLOSED')
    for (const other of this.#parts) if (other.closed) this.#forget(other)
    this.#parts.add(part)
    return part
  }
}

/**
 * A client of a broker, or of an engine in this process, without a socket. It opens at the first call what that needs.
 *
 * @example
 * ```ts
 * const kafka = connect({ brokers: '127.0.0.1:9092' }) // or connect({ dataDir: './data' })
 * const producer = kafka.producer()
 * await producer.send({ topic: 'seats', key: 'A-1', value: 'reserved' })
 * await kafka.close()
 * ```
 * @throws MyKafkaError INVALID_ARGUMENT
 */
export function connect(options: ConnectOptions = {}): Kafka {
  return new Kafka(openTransport(options))
}

/** The transport that {@link connect} uses. */
export function openTransport(options: ConnectOptions): Transport {
  const common = commonOptions(options)
  if (options.dataDir === undefined) return new BrokerTransport({ ...common, ...brokersOptions(options) })
  if (options.brokers !== undefined) {
    throw new MyKafkaError('INVALID_ARGUMENT', 'connect needs brokers or a dataDir, not both')
  }
  return new EngineTransport({
    ...common,
    engine: { ...options.broker, dataDir: options.dataDir, logger: common.logger },
  })
}

function commonOptions(options: CommonConnectOptions): TransportOptions {
  return {
    clientId: options.clientId ?? DEFAULT_CLIENT_ID,
    requestTimeoutMs: milliseconds('requestTimeoutMs', options.requestTimeoutMs ?? 30_000, 1),
    retryBackoffMs: milliseconds('retryBackoffMs', options.retryBackoffMs ?? 100, 0),
    retryBackoffMaxMs: milliseconds('retryBackoffMaxMs', options.retryBackoffMaxMs ?? 1000, 0),
    metadataMaxAgeMs: milliseconds('metadataMaxAgeMs', options.metadataMaxAgeMs ?? 300_000, 0),
    checkCrcs: options.checkCrcs ?? true,
    logger: options.logger ?? silentLogger,
  }
}

function brokersOptions(options: BrokersConnectOptions) {
  return {
    brokers: bootstrapAddresses(options.brokers ?? '127.0.0.1:9092'),
    connectTimeoutMs: milliseconds('connectTimeoutMs', options.connectTimeoutMs ?? 10_000, 1),
    reconnectBackoffMs: milliseconds('reconnectBackoffMs', options.reconnectBackoffMs ?? 50, 0),
    reconnectBackoffMaxMs: milliseconds('reconnectBackoffMaxMs', options.reconnectBackoffMaxMs ?? 1000, 0),
  }
}

function milliseconds(name: string, value: number, least: number): number {
  return checkInteger(name, value, least, MAX_INT32)
}
