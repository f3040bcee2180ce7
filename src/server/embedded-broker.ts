import type { Wire } from '../wire/wire-detection.js'
import { BrokerEngine, type BrokerOptions } from './broker-engine.js'
import { LocalConnection, type LocalConnectionEvents } from './local-connection.js'

export type { LocalConnection } from './local-connection.js'

/** How to open an {@link EmbeddedBroker}: as a broker, with a data directory. */
export type EmbeddedBrokerOptions = BrokerOptions & { readonly dataDir: string }

/** A broker that listens nowhere: whoever is in its process asks it by frames. */
export class EmbeddedBroker {
  readonly #engine: BrokerEngine
  readonly #connections = new Set<LocalConnection>()
  #closing: Promise<void> | null = null

  /**
   * Opens the data directory and recovers what needs it.
   *
   * @throws MyKafkaError INVALID_CONFIG, DATA_DIR_LOCKED, UNSUPPORTED_FORMAT_VERSION, KAFKA_STORAGE_ERROR
   */
  static async open(options: EmbeddedBrokerOptions): Promise<EmbeddedBroker> {
    return new EmbeddedBroker(await BrokerEngine.open(options))
  }

  private constructor(engine: BrokerEngine) {
    this.#engine = engine
  }

  /** A connection for one client; whoever asks for it closes it. */
  connect(wire: Wire, events: LocalConnectionEvents): LocalConnection {
    for (const other of this.#connections) if (other.gone) this.#connections.delete(other)
    const connection = new LocalConnection(this.#engine.routers[wire], events)
    this.#connections.add(connection)
    return connection
  }

  /** Ends every connection, waits for what is under way, syncs every log and marks the stop as clean. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    // Members that wait for others are not waited for.
    this.#engine.groups.close()
    const connections = [...this.#connections]
    for (const connection of connections) connection.close()
    const idle = Promise.all(connections.map((connection) => connection.idle()))
    let timer: NodeJS.Timeout | undefined
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, this.#engine.config.shutdownTimeoutMs)
    })
    await Promise.race([idle, late])
    clearTimeout(timer)
    await this.#engine.close()
  }
}
