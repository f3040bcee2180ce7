import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GroupCoordinator } from '../group/group-coordinator.js'
import { type Logger, silentLogger } from '../logger.js'
import { RepeatedFaults } from '../repeated-faults.js'
import { LogManager } from '../topic/log-manager.js'
import { ProducerIdManager } from '../topic/producer-id-manager.js'
import { TopicPartitioners } from '../topic/topic-partitioners.js'
import type { Wire } from '../wire/wire-detection.js'
import { type BrokerConfig, DEFAULT_BROKER_CONFIG } from './broker-config.js'
import { dataDirectoryOf, undoneProperties } from './broker-properties.js'
import { cleanerConfig } from './cleaner-settings.js'
import { Conversions } from './conversions.js'
import { startGroups } from './group-start.js'
import { FetchSessions } from './kafka/fetch/fetch-sessions.js'
import { KAFKA_APIS } from './kafka/kafka-apis.js'
import { KafkaRouter } from './kafka/kafka-router.js'
import { MyKafkaRouter } from './mykafka/mykafka-router.js'
import { RequestFailures } from './request-failures.js'
import type { RequestRouter } from './request-router.js'
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

/** A broker behind its listeners: the logs, the groups, and whoever answers the requests of each wire. */
export class BrokerEngine {
  readonly directory: string
  readonly config: BrokerConfig
  readonly logger: Logger
  /** Says what goes wrong again and again. */
  readonly faults: RepeatedFaults
  readonly logs: LogManager
  readonly groups: GroupCoordinator
  /** Of the responses of all connections. */
  readonly responseMemory: SharedBudget
  readonly routers: Readonly<Record<Wire, RequestRouter>>
  readonly #temporary: boolean

  /** Opens the data directory and recovers what needs it. */
  static async open(options: BrokerOptions): Promise<BrokerEngine> {
    const { dataDir: given, logger = silentLogger, ...settings } = options
    const dataDir = given ?? dataDirectoryOf(settings.properties ?? {})
    const properties = { ...(dataDir === undefined && FOR_TESTS), ...settings.properties }
    const config = resolveBrokerConfig({ ...settings, properties })
    reportUndone(config, logger)
    if (dataDir !== undefined) return await BrokerEngine.#open(dataDir, config, logger, false)
    const temporary = await mkdtemp(join(tmpdir(), 'mykafka-'))
    try {
      return await BrokerEngine.#open(temporary, config, logger, true)
    } catch (error) {
      await rm(temporary, { recursive: true, force: true })
      throw error
    }
  }

  static async #open(
    directory: string,
    config: BrokerConfig,
    logger: Logger,
    temporary: boolean,
  ): Promise<BrokerEngine> {
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
    try {
      const groups = await startGroups(logs, config, logger)
      return new BrokerEngine({ directory, config, logger, logs, groups, temporary })
    } catch (error) {
      await logs.close()
      throw error
    }
  }

  private constructor(parts: {
    directory: string
    config: BrokerConfig
    logger: Logger
    logs: LogManager
    groups: GroupCoordinator
    temporary: boolean
  }) {
    this.directory = parts.directory
    this.config = parts.config
    this.logger = parts.logger
    this.logs = parts.logs
    this.groups = parts.groups
    this.#temporary = parts.temporary
    this.faults = new RepeatedFaults(parts.logger)
    this.responseMemory = new SharedBudget(parts.config.maxResponseBytes)
    this.routers = routersOf(this)
  }

  /** Syncs every log and marks the stop as clean. Whoever asks the routers has ended before. */
  async close(): Promise<void> {
    this.groups.close()
    await this.logs.close()
    this.faults.close()
    if (this.#temporary) await rm(this.directory, { recursive: true, force: true })
  }
}

function routersOf({
  logs,
  groups,
  config,
  logger,
  faults,
  responseMemory,
}: Pick<BrokerEngine, 'logs' | 'groups' | 'config' | 'logger' | 'faults' | 'responseMemory'>): Record<
  Wire,
  RequestRouter
> {
  const partitioners = new TopicPartitioners(config.partitioner)
  const failures = new RequestFailures(logger, faults)
  const conversions = new Conversions(responseMemory)
  return {
    mykafka: new MyKafkaRouter({
      logs,
      groups,
      partitioners,
      failures,
      conversions,
      maxFrameBytes: config.maxFrameBytes,
    }),
    kafka: new KafkaRouter(KAFKA_APIS, {
      logs,
      producerIds: new ProducerIdManager(logs.metadata),
      groups,
      config,
      failures,
      fetchSessions: new FetchSessions(config.maxFetchSessions),
      conversions,
      apis: KAFKA_APIS.map(({ range }) => range),
    }),
  }
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
