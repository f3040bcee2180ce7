import type { Socket } from 'node:net'
import { MyKafkaError } from '../errors.js'
import type { BrokerAddress } from './bootstrap.js'
import type { LinkEvents } from './channel.js'
import { Client, MYKAFKA_RESPONSES } from './client.js'
import { ClientConnection, type ResponseKeys } from './connection.js'
import { KAFKA_RESPONSES, KafkaConnection } from './kafka-connection.js'
import { openSocket } from './open-socket.js'
import { abortError, backoffMs, handled, sleep, within } from './retrying.js'
import { SharedConnection } from './shared-connection.js'
import { SocketLink } from './socket-link.js'
import type { CallOptions, Transport, TransportOptions } from './transport.js'

/** How a broker is reached. */
export interface BrokerTransportOptions extends TransportOptions {
  /** `bootstrap.servers` */
  readonly brokers: readonly BrokerAddress[]
  /** `socket.connection.setup.timeout.ms` */
  readonly connectTimeoutMs: number
  /** `reconnect.backoff.ms` */
  readonly reconnectBackoffMs: number
  /** `reconnect.backoff.max.ms` */
  readonly reconnectBackoffMaxMs: number
}

/** The way to a broker over sockets. */
export class BrokerTransport implements Transport {
  readonly options: BrokerTransportOptions
  readonly #closing = new AbortController()
  readonly #client = new SharedConnection((signal) => this.#reach(signal, (socket) => this.#clientOver(socket)))
  readonly #kafka = new SharedConnection((signal) => this.#reach(signal, (socket) => this.#kafkaOver(socket)))
  readonly #own = new Set<Client>()
  /** Which of the addresses answered last. */
  #preferred = 0
  #failure: MyKafkaError | null = null

  constructor(options: BrokerTransportOptions) {
    this.options = options
  }

  get closed(): boolean {
    return this.#closing.signal.aborted
  }

  client(options?: CallOptions): Promise<Client> {
    return this.#shared(this.#client, options)
  }

  kafka(options?: CallOptions): Promise<KafkaConnection> {
    return this.#shared(this.#kafka, options)
  }

  ownClient(options?: CallOptions): Promise<Client> {
    return this.#seek(options, async (signal) => {
      const client = await this.#reach(signal, (socket) => this.#clientOver(socket))
      if (signal.aborted) {
        await client.close()
        throw abortError(signal)
      }
      for (const other of this.#own) if (other.closed) this.#own.delete(other)
      this.#own.add(client)
      return client
    })
  }

  async close(): Promise<void> {
    const reason = new MyKafkaError('CLIENT_CLOSED')
    this.#closing.abort(reason)
    const open = [this.#client.current, this.#kafka.current, ...this.#own]
    this.#own.clear()
    await Promise.all(open.map((connection) => connection?.close(reason)))
  }

  #shared<T extends Client | KafkaConnection>(shared: SharedConnection<T>, options?: CallOptions): Promise<T> {
    const { current } = shared
    if (current !== null && !this.closed && options?.signal?.aborted !== true) return Promise.resolve(current)
    return this.#seek(options, (signal) => shared.get(signal))
  }

  #seek<T>(options: CallOptions | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const timeoutMs = this.options.requestTimeoutMs
    const late = (): MyKafkaError => {
      const cause = this.#failure ?? undefined
      const reason = `no broker was reached in ${timeoutMs} ms${cause === undefined ? '' : `: ${cause.message}`}`
      return new MyKafkaError('NETWORK_EXCEPTION', reason, { cause, errno: cause?.errno, syscall: cause?.syscall })
    }
    return handled(within({ timeoutMs, late, signals: [this.#closing.signal, options?.signal] }, work))
  }

  /** Tries the addresses in turn, from the one on that answered last, until one answers or the signal aborts. */
  async #reach<T>(signal: AbortSignal, over: (socket: Socket) => T): Promise<T> {
    const { brokers, connectTimeoutMs, reconnectBackoffMs, reconnectBackoffMaxMs, logger } = this.options
    const backoff = { retryBackoffMs: reconnectBackoffMs, retryBackoffMaxMs: reconnectBackoffMaxMs }
    for (let failures = 0; ; failures++) {
      const first = this.#preferred
      for (let i = 0; i < brokers.length; i++) {
        const turn = (first + i) % brokers.length
        const { host, port } = brokers[turn] as BrokerAddress
        try {
          const socket = await openSocket({ host, port, connectTimeoutMs, signal })
          this.#preferred = turn
          logger.debug({ host, port }, 'connected')
          return over(socket)
        } catch (error) {
          if (signal.aborted) throw abortError(signal)
          this.#failure = error as MyKafkaError
          logger.debug({ host, port, err: error }, 'no connection')
        }
      }
      if (failures === 0) logger.warn({ err: this.#failure }, 'no broker can be reached: trying on')
      await sleep(backoffMs(backoff, failures), signal)
    }
  }

  #clientOver(socket: Socket): Client {
    const { checkCrcs } = this.options
    return Client.over(this.#connection(socket, MYKAFKA_RESPONSES), {
      checkCrcs,
      askKafka: async (ask) => ask(await this.kafka()),
    })
  }

  #kafkaOver(socket: Socket): KafkaConnection {
    return new KafkaConnection(this.#connection(socket, KAFKA_RESPONSES), this.options.clientId)
  }

  #connection(socket: Socket, keys: ResponseKeys): ClientConnection {
    const link = (events: LinkEvents): SocketLink => new SocketLink(socket, events)
    return new ClientConnection(link, this.options.requestTimeoutMs, keys)
  }
}
