import { join, resolve } from 'node:path'
import pMap from 'p-map'
import { MyKafkaError } from '../errors.js'
import type { PartitionLog } from '../log/partition-log.js'
import type { RecordFormat } from '../log/record-format.js'
import { StateDirectory } from '../log/state-directory.js'
import type { Logger } from '../logger.js'
import { KeyedQueue } from './keyed-queue.js'
import { LogCheckpoints } from './log-checkpoints.js'
import { LogFlushing } from './log-flushing.js'
import { LOG_CONCURRENCY, LogOpener } from './log-opener.js'
import { type BrokerIdentity, loadIdentity } from './meta-properties.js'
import { LogMetadataStore, type MetadataStore } from './metadata-store.js'
import { StoredConfigs } from './stored-configs.js'
import { isInternalTopic, METADATA_TOPIC, type Topic } from './topic.js'
import type { TopicConfig } from './topic-configs.js'
import { createTopicOnDisk } from './topic-creation.js'
import { BROKER_DIRECTORY, type FoundTopic, TopicDirectory } from './topic-directory.js'
import { checkTopicName } from './topic-name.js'
import { TopicRegistry } from './topic-registry.js'
import { readTopicConfig, resolveTopicSettings, type TopicDefaults, type TopicSettings } from './topic-settings.js'

export interface LogManagerOptions {
  dataDirectory: string
  /** What a topic has where it does not say otherwise. */
  defaults: TopicDefaults
  nodeId: number
  /** Milliseconds between two syncs of what nobody waited for. */
  flushIntervalMs: number
  logger: Logger
}

/** More partitions at once are refused, as Kafka does. */
export const MAX_PARTITIONS = 10_000

/** All topics and partition logs of a data directory. One process holds it at a time. */
export class LogManager {
  readonly identity: BrokerIdentity
  /** Whether the last stop was clean. */
  readonly clean: boolean
  readonly #options: LogManagerOptions
  readonly #state: StateDirectory
  readonly #topics: TopicRegistry
  readonly #checkpoints: LogCheckpoints
  readonly #directory: TopicDirectory
  readonly #opener: LogOpener
  readonly #flushing: LogFlushing
  /** The changes of each topic, one after another. */
  readonly #changes = new KeyedQueue()
  #beforeCreation: (topic: string) => Promise<void> = async () => {}
  #metadata: MetadataStore | null = null
  #configs: StoredConfigs | null = null
  #closing: Promise<void> | null = null

  /**
   * Opens every log of the directory, which is made where it is missing; recovers them behind an unclean stop.
   *
   * @throws MyKafkaError DATA_DIR_LOCKED, UNSUPPORTED_FORMAT_VERSION, KAFKA_STORAGE_ERROR
   */
  static async open(given: LogManagerOptions): Promise<LogManager> {
    // The process may change its working directory later.
    const options = { ...given, dataDirectory: resolve(given.dataDirectory) }
    const state = await StateDirectory.lock(join(options.dataDirectory, BROKER_DIRECTORY), options.logger)
    try {
      const topics = new TopicRegistry()
      const identity = await loadIdentity(state, options.nodeId)
      const checkpoints = await LogCheckpoints.read(state, topics)
      const clean = await state.takeCleanShutdown()
      const manager = new LogManager(options, { state, topics, identity, checkpoints, clean })
      await manager.#open().catch(async (error: unknown) => {
        await Promise.allSettled(topics.logs().map((log) => log.close()))
        throw error
      })
      return manager
    } catch (error) {
      state.unlock()
      throw error
    }
  }

  private constructor(
    options: LogManagerOptions,
    parts: {
      state: StateDirectory
      topics: TopicRegistry
      identity: BrokerIdentity
      checkpoints: LogCheckpoints
      clean: boolean
    },
  ) {
    const { logger, defaults, flushIntervalMs } = options
    const { topics, checkpoints, clean } = parts
    this.#options = options
    this.#state = parts.state
    this.identity = parts.identity
    this.clean = clean
    this.#topics = topics
    this.#checkpoints = checkpoints
    this.#directory = new TopicDirectory(options.dataDirectory, logger, defaults.log.fsync !== 'never')
    this.#flushing = new LogFlushing({
      topics,
      checkpoints,
      fsync: defaults.log.fsync,
      intervalMs: flushIntervalMs,
      logger,
    })
    this.#opener = new LogOpener({
      directory: this.#directory,
      checkpoints,
      clean,
      relieveFiles: () => this.#flushing.relieveFiles(),
      logger,
    })
  }

  /** What the directory tree cannot say. */
  get metadata(): MetadataStore {
    if (this.#metadata === null) throw new Error('the metadata is loaded first of all')
    return this.#metadata
  }

  topics(): Topic[] {
    return this.#topics.all()
  }

  topic(name: string): Topic | undefined {
    return this.#topics.get(name)
  }

  /** @param id - in Kafka's base64 form, as {@link Topic.id} */
  topicById(id: string): Topic | undefined {
    return this.#topics.byId(id)
  }

  /**
   * The log of a partition.
   *
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION, KAFKA_STORAGE_ERROR where it is offline
   */
  partition(topic: string, partition: number): PartitionLog {
    const log = this.#topics.get(topic)?.partitions[partition]
    if (log) return log
    if (log === null) throw new MyKafkaError('KAFKA_STORAGE_ERROR', `${topic}/${partition} is offline`)
    throw new MyKafkaError('UNKNOWN_TOPIC_OR_PARTITION', `there is no partition ${topic}/${partition}`)
  }

  /**
   * Makes a topic; after a crash in the middle it is there whole or not at all.
   *
   * @param partitionCount - 1 to 10000
   * @param recordFormat - where the configuration does not name one (`record.format`)
   * @throws MyKafkaError INVALID_TOPIC_EXCEPTION, INVALID_PARTITIONS, INVALID_CONFIG, TOPIC_ALREADY_EXISTS,
   *   KAFKA_STORAGE_ERROR
   */
  async createTopic(
    name: string,
    partitionCount: number,
    given: TopicConfig = {},
    recordFormat: RecordFormat = 'mykafka',
  ): Promise<Topic> {
    checkTopicName(name)
    if (!Number.isInteger(partitionCount) || partitionCount < 1 || partitionCount > MAX_PARTITIONS) {
      throw new MyKafkaError(
        'INVALID_PARTITIONS',
        `a topic has 1 to ${MAX_PARTITIONS} partitions, not ${partitionCount}`,
      )
    }
    const config = readTopicConfig(given)
    const format = (config['record.format'] as RecordFormat | undefined) ?? recordFormat
    const settings = this.#settingsOf(format, config)
    return await this.#changes.run(name, async () => {
      if (this.#topics.get(name)) throw new MyKafkaError('TOPIC_ALREADY_EXISTS', `the topic ${name} exists`)
      if (this.#closing !== null) throw new MyKafkaError('LOG_CLOSED', 'the broker is stopping')
      await this.#beforeCreation(name)
      return await this.#create(name, partitionCount, config, settings)
    })
  }

  /** What has to be done before a topic is made; where it fails, the topic is not made. */
  beforeCreation(prepare: (topic: string) => Promise<void>): void {
    this.#beforeCreation = prepare
  }

  /** Syncs and closes every log, then marks the stop as clean. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #open(): Promise<void> {
    await this.#directory.prepare()
    const found = await this.#directory.list()
    const metadata = found.find(({ name }) => name === METADATA_TOPIC)
    if (metadata) await this.#openFound([metadata])
    else await this.#create(METADATA_TOPIC, 1, {}, this.#settingsOf('mykafka', {}))
    this.#metadata = await LogMetadataStore.load(this.partition(METADATA_TOPIC, 0), this.#options.logger)
    this.#configs = new StoredConfigs(this.#metadata)
    await this.#openFound(found.filter(({ name }) => name !== METADATA_TOPIC))
    await this.#flushing.checkpoint()
    this.#flushing.start()
  }

  async #openFound(found: FoundTopic[]): Promise<void> {
    const known = found.map((topic) => this.#describe(topic))
    const logs = await this.#opener.openAll(known.map(({ topic, settings }) => ({ topic, config: settings.log })))
    for (const [index, { topic, config, settings }] of known.entries()) {
      const { name, metadata } = topic
      this.#topics.put({
        name,
        id: metadata.topicId,
        internal: isInternalTopic(name),
        recordFormat: metadata.recordFormat,
        config,
        settings,
        partitions: logs[index] ?? [],
      })
    }
  }

  /** A topic as its directories and the metadata show it. */
  #describe(topic: FoundTopic): { topic: FoundTopic; config: TopicConfig; settings: TopicSettings } {
    const { name, metadata } = topic
    const config = this.#configs?.get(name, metadata.topicId) ?? {}
    try {
      return { topic, config, settings: this.#settingsOf(metadata.recordFormat, readTopicConfig(config)) }
    } catch (err) {
      this.#options.logger.error({ topic: name, err }, 'the configuration of a topic is not right: it has the defaults')
      return { topic, config: {}, settings: this.#settingsOf(metadata.recordFormat, {}) }
    }
  }

  #settingsOf(recordFormat: RecordFormat, config: TopicConfig): TopicSettings {
    return resolveTopicSettings({ recordFormat, config }, this.#options.defaults)
  }

  async #create(name: string, partitionCount: number, config: TopicConfig, settings: TopicSettings): Promise<Topic> {
    const topic = await createTopicOnDisk(
      { name, partitionCount, config, settings },
      { directory: this.#directory, opener: this.#opener, configs: this.#configs, logger: this.#options.logger },
    )
    this.#topics.put(topic)
    return topic
  }

  async #close(): Promise<void> {
    this.#flushing.stop()
    try {
      await this.#changes.idle()
      const closed = await pMap(
        this.#topics.logs(),
        (log) =>
          log.close().then(
            () => true,
            () => false,
          ),
        { concurrency: LOG_CONCURRENCY },
      )
      await this.#checkpoints.write()
      const whole = closed.every(Boolean) && this.topics().every(({ partitions }) => !partitions.includes(null))
      if (whole) await this.#state.markCleanShutdown()
      else this.#options.logger.warn({}, 'a log failed: the next start will recover')
    } finally {
      this.#state.unlock()
    }
  }
}
