import type { BrokerConfig } from './broker-config.js'
import { BrokerEngine, type BrokerOptions } from './broker-engine.js'
import { BrokerServer } from './broker-server.js'
import { connectionsWithin, descriptorLimit, slicesWithin } from './descriptor-limit.js'
import { reportExposure } from './exposure.js'
import { type AdvertisedListener, formatAddress } from './listeners.js'
import { LoopShares } from './loop-shares.js'
import { RequestMemory } from './request-memory.js'
import { SharedBudget } from './shared-budget.js'

export type { BrokerOptions } from './broker-engine.js'

/**
 * A broker in this process.
 *
 * @example
 * ```ts
 * const broker = await Broker.start()
 * console.log(broker.bootstrapServers)
 * await broker.stop()
 * ```
 */
export class Broker {
  /** Of the first listener. */
  readonly host: string
  /** Of the first listener. */
  readonly port: number
  /** The addresses that are listened on. */
  readonly listeners: readonly AdvertisedListener[]
  readonly dataDir: string
  /** 22 characters; the data directory keeps it. */
  readonly clusterId: string
  /** `node.id`, which the data directory keeps from the first start on. */
  readonly nodeId: number
  readonly #engine: BrokerEngine
  readonly #server: BrokerServer
  #stopping: Promise<void> | null = null

  /**
   * Opens the data directory, recovers what needs it, and listens. Without options: on a free port of 127.0.0.1,
   * in a temporary directory, without a sync (`fsync` is `never`).
   *
   * @throws MyKafkaError INVALID_CONFIG, DATA_DIR_LOCKED, UNSUPPORTED_FORMAT_VERSION, KAFKA_STORAGE_ERROR; Node's
   *   own error where the address cannot be listened on
   */
  static async start(options: BrokerOptions = {}): Promise<Broker> {
    const engine = await BrokerEngine.open(options)
    try {
      const server = createServer(engine)
      const listeners = await server.listen()
      reportExposure(listeners, engine.logger)
      return new Broker(engine, server, listeners)
    } catch (error) {
      await engine.close()
      throw error
    }
  }

  private constructor(engine: BrokerEngine, server: BrokerServer, listeners: readonly AdvertisedListener[]) {
    const [first] = listeners as [AdvertisedListener]
    this.listeners = listeners
    this.host = first.host
    this.port = first.port
    this.dataDir = engine.directory
    const { clusterId, nodeId } = engine.logs.identity
    this.clusterId = clusterId
    this.nodeId = nodeId
    this.#engine = engine
    this.#server = server
  }

  /** `host:port` of the first listener, for clients. */
  get bootstrapServers(): string {
    return formatAddress(this)
  }

  /** Connections that are open. */
  get connectionCount(): number {
    return this.#server.connectionCount
  }

  /**
   * Accepts no more, answers what was asked, syncs every log and marks the stop as clean. A second call waits for
   * the first.
   */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  async #stop(): Promise<void> {
    // Members that wait for others are not waited for.
    this.#engine.groups.close()
    await this.#server.stop(this.#engine.config.shutdownTimeoutMs)
    await this.#engine.close()
  }
}

function createServer({ config, logger, faults, responseMemory, routers }: BrokerEngine): BrokerServer {
  const descriptors = descriptorLimit()
  const affordable = connectionsWithin(descriptors)
  if (affordable < config.maxConnections) {
    logger.debug({ maxConnections: affordable }, 'max.connections is lowered to what the limit on open files allows')
  }
  return new BrokerServer({
    listeners: config.listeners,
    advertisedListeners: config.advertisedListeners,
    limits: {
      most: Math.min(config.maxConnections, affordable),
      mostPerAddress: config.maxConnectionsPerIp,
      overrides: config.maxConnectionsPerIpOverrides,
    },
    responseMemory,
    maxIdleMs: config.maxIdleMs,
    logger,
    connection: {
      logger,
      faults,
      routers,
      requests: new RequestMemory(requestLimit(config)),
      shares: new LoopShares(),
      maxFrameBytes: config.maxFrameBytes,
      responses: {
        zeroCopy: config.zeroCopy,
        stallTimeoutMs: config.stallTimeoutMs,
        maxBytesHeld: config.maxConnectionBytes,
        maxPending: config.maxInFlight,
        budget: responseMemory,
        files: new SharedBudget(slicesWithin(descriptors)),
      },
    },
  })
}

/** A request of the largest size always has room. */
function requestLimit({ queuedMaxRequestBytes, maxFrameBytes }: BrokerConfig): number {
  return queuedMaxRequestBytes > 0 ? Math.max(queuedMaxRequestBytes, maxFrameBytes) : Number.POSITIVE_INFINITY
}
