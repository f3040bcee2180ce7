import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GroupCoordinator } from '../group/group-coordinator.js'
import { type Logger, silentLogger } from '../logger.js'
import { LogManager } from '../topic/log-manager.js'
import { ProducerIdManager } from '../topic/producer-id-manager.js'
import { TopicPartitioners } from '../topic/topic-partitioners.js'
import { type BrokerConfig, DEFAULT_BROKER_CONFIG } from './broker-config.js'
import { dataDirectoryOf, undoneProperties } from './broker-properties.js'
import { BrokerServer } from './broker-server.js'
import { cleanerConfig } from './cleaner-settings.js'
import type { ConnectionOptions } from './connection.js'
import { connectionsWithin, descriptorLimit, slicesWithin } from './descriptor-limit.js'
import { startGroups } from './group-start.js'
import { FetchSessions } from './kafka/fetch/fetch-sessions.js'
import { KAFKA_APIS } from './kafka/kafka-apis.js'
import { KafkaRouter } from './kafka/kafka-router.js'
import { type AdvertisedListener, formatAddress } from './listeners.js'
import { MyKafkaRouter } from './mykafka/mykafka-router.js'
import { RequestFailures } from './request-failures.js'
import { resolveBrokerConfig, topicDefaults } from './resolve-broker-config.js'
import { SharedBudget } from './shared-budget.js'

/** How to start a {@link Broker}. */
export interface BrokerOptions extends Partial<BrokerConfig> {
  /** Where the logs are (`log.dirs`). Default: a temporary directory, which `stop` removes; nothing in it is synced. */
  dataDir?: string
  /** Default: no log. */
  logger?: Logger
}

/** What a broker has in a directory that goes with it, where nothing else is said. */
const FOR_TESTS = { listeners: 'PLAINTEXT://127.0.0.1:0', fsync: 'never' }

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
  readonly #logs: LogManager
  readonly #groups: GroupCoordinator
  readonly #server: BrokerServer
  readonly #config: BrokerConfig
  readonly #temporary: boolean
  #stopping: Promise<void> | null = null

  /**
   * Opens the data directory, recovers what needs it, and listens. Without options: on a free port of 127.0.0.1,
   * in a temporary directory, without a sync (`fsync` is `never`).
   *
   * @throws MyKafkaError INVALID_CONFIG, DATA_DIR_LOCKED, UNSUPPORTED_FORMAT_VERSION, KAFKA_STORAGE_ERROR; Node's
   *   own error where the address cannot be listened on
   */
  static async start(options: BrokerOptions = {}): Promise<Broker> {
    const { dataDir: given, logger = silentLogger, ...settings } = options
    const dataDir = given ?? dataDirectoryOf(settings.properties ?? {})
    const properties = { ...(dataDir === undefined && FOR_TESTS), ...settings.properties }
    const config = resolveBrokerConfig({ ...settings, properties })
    reportUndone(config, logger)
    if (dataDir !== undefined) return await Broker.#open(dataDir, config, logger, false)
    const temporary = await mkdtemp(join(tmpdir(), 'mykafka-'))
    try {
      return await Broker.#open(temporary, config, logger, true)
    } catch (error) {
      await rm(temporary, { recursive: true, force: true })
      throw error
    }
  }

  static async #open(directory: string, config: BrokerConfig, logger: Logger, temporary: boolean): Promise<Broker> {
    const logs = await LogManager.open({
      dataDirectory: directory,
      defaults: topicDefaults(config),
      nodeId: config.nodeId,
      flushIntervalMs: config.flushIntervalMs,
      retentionCheckIntervalMs: config.retentionCheckIntervalMs,
      cleaner: cleanerConfig(config),
      logger,
    })
    reportNodeId(config, logs.identity.nodeId, logger)
    let groups: GroupCoordinator | undefined
    try {
      groups = await startGroups(logs, config, logger)
      const partitioners = new TopicPartitioners(config.partitioner)
      const failures = new RequestFailures(logger)
      const server = createServer(config, logger, {
        mykafka: new MyKafkaRouter({
          logs,
          groups,
          partitioners,
          failures,
          maxFrameBytes: config.maxFrameBytes,
        }),
        kafka: new KafkaRouter(KAFKA_APIS, {
          logs,
          producerIds: new ProducerIdManager(logs.metadata),
          groups,
          config,
          failures,
          fetchSessions: new FetchSessions(config.maxFetchSessions),
          apis: KAFKA_APIS.map(({ range }) => range),
        }),
      })
      const listeners = await server.listen()
      return new Broker({ config, listeners, directory, logs, groups, server, temporary })
    } catch (error) {
      groups?.close()
      await logs.close()
      throw error
    }
  }

  private constructor(parts: {
    config: BrokerConfig
    listeners: readonly AdvertisedListener[]
    directory: string
    logs: LogManager
    groups: GroupCoordinator
    server: BrokerServer
    temporary: boolean
  }) {
    this.#config = parts.config
    const [first] = parts.listeners as [AdvertisedListener]
    this.listeners = parts.listeners
    this.host = first.host
    this.port = first.port
    this.dataDir = parts.directory
    const { clusterId, nodeId } = parts.logs.identity
    this.clusterId = clusterId
    this.nodeId = nodeId
    this.#logs = parts.logs
    this.#groups = parts.groups
    this.#server = parts.server
    this.#temporary = parts.temporary
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
    this.#groups.close()
    await this.#server.stop(this.#config.shutdownTimeoutMs)
    await this.#logs.close()
    if (this.#temporary) await rm(this.dataDir, { recursive: true, force: true })
  }
}

function createServer(config: BrokerConfig, logger: Logger, routers: ConnectionOptions['routers']): BrokerServer {
  const budget = new SharedBudget(config.maxResponseBytes)
  const descriptors = descriptorLimit()
  const affordable = connectionsWithin(descriptors)
  if (affordable < config.maxConnections) {
    logger.debug({ maxConnections: affordable }, 'max.connections is lowered to what the limit on open files allows')
  }
  return new BrokerServer({
    listeners: config.listeners,
    advertisedListeners: config.advertisedListeners,
    maxConnections: Math.min(config.maxConnections, affordable),
    maxIdleMs: config.maxIdleMs,
    logger,
    connection: {
      logger,
      routers,
      maxFrameBytes: config.maxFrameBytes,
      responses: {
        zeroCopy: config.zeroCopy,
        stallTimeoutMs: config.stallTimeoutMs,
        maxBytesHeld: config.maxConnectionBytes,
        maxPending: config.maxInFlight,
        budget,
        files: new SharedBudget(slicesWithin(descriptors)),
      },
    },
  })
}

/** What a configuration asks for and does not get is said, once. */
function reportUndone({ properties }: BrokerConfig, logger: Logger): void {
  const { ignored, waiting } = undoneProperties(properties)
  if (ignored.length > 0) logger.warn({ settings: ignored.join(', ') }, 'settings of Kafka that mean nothing here')
  if (waiting.length > 0) logger.warn({ settings: waiting.join(', ') }, 'settings that have no effect yet')
}

function reportNodeId({ nodeId }: BrokerConfig, kept: number, logger: Logger): void {
  if (nodeId === kept || nodeId === DEFAULT_BROKER_CONFIG.nodeId) return
  logger.warn({ asked: nodeId, kept }, 'node.id stays as the data directory keeps it')
}
