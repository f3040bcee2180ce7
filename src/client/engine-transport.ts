import { MyKafkaError } from '../errors.js'
import type { EmbeddedBroker, EmbeddedBrokerOptions } from '../server/embedded-broker.js'
import type { Wire } from '../wire/wire-detection.js'
import type { LinkEvents } from './channel.js'
import { Client, MYKAFKA_RESPONSES } from './client.js'
import { ClientConnection, type ResponseKeys } from './connection.js'
import { EngineLink } from './engine-link.js'
import { KAFKA_RESPONSES, KafkaConnection } from './kafka-connection.js'
import { abortable, abortError, handled } from './retrying.js'
import type { CallOptions, Transport, TransportOptions } from './transport.js'

/** How an engine is opened. */
export interface EngineTransportOptions extends TransportOptions {
  readonly engine: EmbeddedBrokerOptions
}

/** The way to an engine in this process: opened for the first who asks, without a socket. */
export class EngineTransport implements Transport {
  readonly options: EngineTransportOptions
  readonly #closing = new AbortController()
  readonly #own = new Set<Client>()
  #opening: Promise<EmbeddedBroker> | null = null
  #client: Client | null = null
  #kafka: KafkaConnection | null = null
  #ended: Promise<void> | null = null

  constructor(options: EngineTransportOptions) {
    this.options = options
  }

  get closed(): boolean {
    return this.#closing.signal.aborted
  }

  client(options?: CallOptions): Promise<Client> {
    return this.#with(options, (engine) => {
      if (this.#client === null || this.#client.closed) this.#client = this.#clientOf(engine)
      return this.#client
    })
  }

  ownClient(options?: CallOptions): Promise<Client> {
    return this.#with(options, (engine) => {
      const client = this.#clientOf(engine)
      for (const other of this.#own) if (other.closed) this.#own.delete(other)
      this.#own.add(client)
      return client
    })
  }

  kafka(options?: CallOptions): Promise<KafkaConnection> {
    return this.#with(options, (engine) => {
      if (this.#kafka === null || this.#kafka.closed) this.#kafka = this.#kafkaOf(engine)
      return this.#kafka
    })
  }

  close(): Promise<void> {
    this.#ended ??= this.#close()
    return this.#ended
  }

  async #close(): Promise<void> {
    const reason = new MyKafkaError('CLIENT_CLOSED')
    this.#closing.abort(reason)
    await Promise.all([this.#client, this.#kafka, ...this.#own].map((connection) => connection?.close(reason)))
    const engine = await this.#opening?.catch(() => null)
    await engine?.close()
  }

  #with<T>(options: CallOptions | undefined, use: (engine: EmbeddedBroker) => T): Promise<T> {
    return handled(this.#use(options?.signal, use))
  }

  async #use<T>(signal: AbortSignal | undefined, use: (engine: EmbeddedBroker) => T): Promise<T> {
    if (signal?.aborted === true) throw abortError(signal)
    const closing = this.#closing.signal
    if (closing.aborted) throw abortError(closing)
    this.#opening ??= this.#open()
    const engine = await abortable(abortable(this.#opening, closing), signal)
    if (closing.aborted) throw abortError(closing)
    return use(engine)
  }

  /** What fails is tried again by the next who asks. */
  async #open(): Promise<EmbeddedBroker> {
    try {
      // A client of brokers loads neither the engine nor its addon.
      const { EmbeddedBroker } = await import('../server/embedded-broker.js')
      return await EmbeddedBroker.open(this.options.engine)
    } catch (error) {
      this.#opening = null
      throw error
    }
  }

  #clientOf(engine: EmbeddedBroker): Client {
    const { checkCrcs } = this.options
    return Client.over(this.#connection(engine, 'mykafka', MYKAFKA_RESPONSES), {
      checkCrcs,
      askKafka: async (ask) => ask(await this.kafka()),
    })
  }

  #kafkaOf(engine: EmbeddedBroker): KafkaConnection {
    return new KafkaConnection(this.#connection(engine, 'kafka', KAFKA_RESPONSES), this.options.clientId)
  }

  #connection(engine: EmbeddedBroker, wire: Wire, keys: ResponseKeys): ClientConnection {
    const link = (events: LinkEvents): EngineLink => new EngineLink(engine.connect(wire, events))
    return new ClientConnection(link, this.options.requestTimeoutMs, keys)
  }
}
