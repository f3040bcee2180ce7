import { join, resolve } from 'node:path'
import pMap from 'p-map'
import { asStorageError, MyKafkaError } from '../errors.js'
import { runWithFiles } from '../log/file-relief.js'
import type { PartitionLog } from '../log/partition-log.js'
import type { RecordFormat } from '../log/record-format.js'
import type { TimeSource } from '../log/retention-clock.js'
import { StateDirectory } from '../log/state-directory.js'
import type { Logger } from '../logger.js'
import { LogCheckpoints } from './log-checkpoints.js'
import { type CleanerConfig, DEFAULT_CLEANER_CONFIG, LogCleaner } from './log-cleaner.js'
import { LogFlushing } from './log-flushing.js'
import { LOG_CONCURRENCY, LogOpener, PROGRESS_INTERVAL_MS } from './log-opener.js'
import { LogRetention } from './log-retention.js'
import { type BrokerIdentity, loadIdentity } from './meta-properties.js'
import { LogMetadataStore, type MetadataStore } from './metadata-store.js'
import { StoredConfigs } from './stored-configs.js'
import { isInternalTopic, METADATA_TOPIC, type Topic } from './topic.js'
import { type ChangeOptions, TopicChanges, type TopicListener } from './topic-changes.js'
import type { TopicConfig } from './topic-configs.js'
import { TopicDirectory } from './topic-directory.js'
import { TopicRegistry } from './topic-registry.js'
import { readTopicConfig, type TopicDefaults, type TopicSettings } from './topic-settings.js'
import { BROKER_DIRECTORY, type FoundTopic } from './topic-tree.js'

export interface LogManagerOptions {
  dataDirectory: string
  /** What a topic has where it does not say otherwise. */
  defaults: TopicDefaults
  nodeId: number
  /** Milliseconds between two syncs of what nobody waited for. */
  flushIntervalMs: number
  /** Milliseconds between two checks of what retention removes; default five minutes. */
  retentionCheckIntervalMs?: number
  /** Where the time comes from; default the system. */
  time?: TimeSource
  /** How logs are compacted; default: as Kafka does it by default. */
  cleaner?: CleanerConfig
  logger: Logger
}

/** `log.retention.check.interval.ms` */
const RETENTION_CHECK_INTERVAL_MS = 300_000

/** All topics and partition logs of a data directory. One process holds it at a time. */
export class LogManager {
  readonly identity: BrokerIdentity
  /** Removes what is too old or too much, now and then. */
  readonly retention: LogRetention
  /** Whether the last stop was clean. */
  readonly clean: boolean
  readonly #options: LogManagerOptions
  readonly #state: StateDirectory
  readonly #topics: TopicRegistry
  readonly #checkpoints: LogCheckpoints
  readonly #directory: TopicDirectory
  readonly #opener: LogOpener
  readonly #flushing: LogFlushing
  readonly #cleaner: LogCleaner
  readonly #changes: TopicChanges
  #metadata: MetadataStore | null = null
  #configs: StoredConfigs | null = null
  #closing: Promise<void> | null = null
  #recoversNextTime = false

  /**
   * Opens every log of the directory, which is made where it is missing; recovers them behind an unclean stop.
   *
   * @throws MyKafkaError DATA_DIR_LOCKED, UNSUPPORTED_FORMAT_VERSION, KAFKA_STORAGE_ERROR
   */
  static async open(given: LogManagerOptions): Promise<LogManager> {
    // The process may change its working directory later.
    const options = { ...given, dataDirectory: resolve(given.dataDirectory) }
    try {
      return await LogManager.#openNow(options)
    } catch (error) {
      throw asStorageError(error, `${options.dataDirectory} could not be opened`)
    }
  }

  static async #openNow(options: LogManagerOptions): Promise<LogManager> {
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
    const directory = new TopicDirectory(options.dataDirectory, logger, defaults.log.fsync !== 'never')
    this.#directory = directory
    this.#flushing = new LogFlushing({
      topics,
      checkpoints,
      fsync: defaults.log.fsync,
      intervalMs: flushIntervalMs,
      reopenOffline: () => this.#changes.reopenOffline(),
      logger,
    })
    const relieveFiles = (): Promise<void> => this.#flushing.relieveFiles()
    const { time, retentionCheckIntervalMs: intervalMs = RETENTION_CHECK_INTERVAL_MS } = options
    this.retention = new LogRetention({ topics, checkpoints, relieveFiles, intervalMs, time, logger })
    this.#cleaner = new LogCleaner({
      topics,
      config: options.cleaner ?? DEFAULT_CLEANER_CONFIG,
      maxPlainBytes: defaults.maxFrameBytes,
      checkpoint: () => checkpoints.writeCleanerOffsets(),
      now: () => this.retention.now(),
      logger,
    })
    const common = { directory, checkpoints, relieveFiles, logger, now: time?.now }
    this.#opener = new LogOpener({ ...common, clean })
    this.#changes = new TopicChanges({ ...common, topics, opener: this.#opener, defaults })
  }

  /** Absolute. */
  get dataDirectory(): string {
    return this.#options.dataDirectory
  }

  /** What topics have where they do not say otherwise. */
  get defaults(): TopicDefaults {
    return this.#options.defaults
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

  /** @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION */
  existingTopic(name: string): Topic {
    return this.#topics.existing(name)
  }

  /**
   * A topic that clients may write.
   *
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION for one of the broker's own
   */
  writableTopic(name: string): Topic {
    return this.#topics.writable(name)
  }

  /** @param id - in Kafka's base64 form, as {@link Topic.id} */
  topicById(id: string): Topic | undefined {
    return this.#topics.byId(id)
  }

  /** Something that behind an unclean stop has to be done could not be: no stop of this process counts as a clean one. */
  recoverNextTime(): void {
    this.#recoversNextTime = true
  }

  /** Whether there is such a partition. Requests name thousands that are not: an error for each would take longer. */
  hasPartition(topic: string, partition: number): boolean {
    return this.#topics.get(topic)?.partitions[partition] !== undefined
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
   * Refuses a partition that there is not. One that is offline is there: groups keep their place in it.
   *
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION
   */
  requirePartition(topic: string, partition: number): void {
    if (this.hasPartition(topic, partition)) return
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
  createTopic(
    name: string,
    partitionCount: number,
    config: TopicConfig = {},
    recordFormat: RecordFormat = 'mykafka',
  ): Promise<Topic> {
    return this.#changes.create(name, partitionCount, config, recordFormat)
  }

  /**
   * Refuses what `createTopic` would refuse, and makes nothing.
   *
   * @returns what the topic would be
   */
  checkCreation(
    name: string,
    partitionCount: number,
    config: TopicConfig,
    recordFormat: RecordFormat,
  ): Pick<Topic, 'recordFormat' | 'config' | 'settings'> {
    return this.#changes.checkCreation(name, partitionCount, config, recordFormat)
  }

  /**
   * Removes a topic; after a crash in the middle it is there whole or not at all. Its records that are being sent are
   * sent to their end.
   *
   * @param id - where it is not a topic of the same name that is meant
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION for one of the broker's own,
   *   KAFKA_STORAGE_ERROR
   */
  deleteTopic(name: string, id?: string): Promise<void> {
    return this.#changes.delete(name, id)
  }

  /**
   * Adds partitions to a topic, all or none. Keys change their partition by it.
   *
   * @param partitionCount - how many it is to have
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION for one of the broker's own,
   *   INVALID_PARTITIONS where it would not grow, KAFKA_STORAGE_ERROR
   */
  createPartitions(name: string, partitionCount: number, options: ChangeOptions = {}): Promise<Topic> {
    return this.#changes.grow(name, partitionCount, options)
  }

  /**
   * Changes the configurations of a topic. They are on the disk and in effect when this resolves.
   *
   * @param change - from the configurations that it has to those that it is to have
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION for one of the broker's own,
   *   INVALID_CONFIG, KAFKA_STORAGE_ERROR
   */
  alterConfig(name: string, change: (config: TopicConfig) => TopicConfig, options: ChangeOptions = {}): Promise<void> {
    return this.#changes.alterConfig(name, change, options)
  }

  /**
   * Deletes the records of a partition below an offset. It is on the disk when this resolves. Files go later.
   *
   * @param offset - -1: the high watermark
   * @returns the log start offset
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION for a topic of the broker's own,
   *   POLICY_VIOLATION where cleanup.policy does not delete, OFFSET_OUT_OF_RANGE, KAFKA_STORAGE_ERROR
   */
  async deleteRecords(topic: string, partition: number, offset: number): Promise<number> {
    const { settings } = this.#topics.writable(topic)
    const log = this.partition(topic, partition)
    if (!settings.deletes) {
      throw new MyKafkaError('POLICY_VIOLATION', `cleanup.policy of the topic ${topic} does not delete records`)
    }
    const start = offset === -1 ? log.highWatermark : offset
    if (!Number.isSafeInteger(start) || start < 0) {
      throw new MyKafkaError('OFFSET_OUT_OF_RANGE', `records are deleted below an offset from 0 on, not ${offset}`)
    }
    // Behind power loss a log must not end below its start: what is appended then would count as deleted.
    if (this.#options.defaults.log.fsync !== 'never' && start > log.recoveryPoint) await log.flush()
    log.raiseLogStart(start)
    await runWithFiles(
      () => this.#flushing.relieveFiles(),
      () => this.#checkpoints.writeLogStartOffsets(),
    )
    return log.logStartOffset
  }

  /** Where topics come and go, the listener has its part in it. */
  onTopics(listener: TopicListener): void {
    this.#changes.listen(listener)
  }

  /** `log.cleaner.enable`: whether logs are compacted by themselves. */
  get isCleanerEnabled(): boolean {
    return (this.#options.cleaner ?? DEFAULT_CLEANER_CONFIG).enabled
  }

  /**
   * Compacts the log that needs it most, now.
   *
   * @returns whether there was one
   */
  compactDirtiest(): Promise<boolean> {
    return this.#cleaner.cleanDirtiest()
  }

  /** Syncs and closes every log, then marks the stop as clean. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #open(): Promise<void> {
    await this.#directory.prepare()
    const found = await this.#directory.list()
    if (this.identity.isNew && found.length > 0) {
      const { clusterId } = this.identity
      this.#options.logger.warn({ clusterId }, 'meta.properties was missing: the data directory has a new cluster.id')
    }
    this.#checkpoints.unopened(found.map(({ name }) => name))
    const metadata = found.find(({ name }) => name === METADATA_TOPIC)
    if (metadata) await this.#openFound([metadata])
    else {
      await this.#checkpoints.forget(METADATA_TOPIC)
      const config = this.#changes.internalConfig(METADATA_TOPIC) ?? {}
      await this.#changes.createNow(METADATA_TOPIC, 1, config, this.#changes.settingsOf('mykafka', config))
    }
    this.#metadata = await LogMetadataStore.load(this.partition(METADATA_TOPIC, 0), this.#options.logger)
    this.#configs = new StoredConfigs(this.#metadata)
    this.#changes.keepConfigsIn(this.#configs)
    await this.#openFound(found.filter(({ name }) => name !== METADATA_TOPIC))
    this.#checkpoints.unopened([])
    await this.#checkpoints.correct()
    await this.#flushing.checkpoint()
    this.#flushing.start()
    this.retention.start()
    this.#cleaner.start()
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
    try {
      const config = this.#changes.internalConfig(name) ?? this.#configs?.get(name, metadata.topicId) ?? {}
      return { topic, config, settings: this.#changes.settingsOf(metadata.recordFormat, readTopicConfig(config)) }
    } catch (err) {
      this.#options.logger.error({ topic: name, err }, 'the configuration of a topic is not right: it has the defaults')
      return { topic, config: {}, settings: this.#changes.settingsOf(metadata.recordFormat, {}) }
    }
  }

  /** Returns of each log whether all of it is on the disk. */
  async #closeLogs(): Promise<boolean[]> {
    const logs = this.#topics.logs()
    let closed = 0
    const report = (): void => {
      const fields = { closed, total: logs.length }
      this.#options.logger.info(fields, `closing logs: ${closed} of ${logs.length} are on the disk`)
    }
    const close = async (log: PartitionLog): Promise<boolean> => {
      const done = await log.close(false).then(
        () => true,
        () => false,
      )
      closed++
      return done
    }
    const progress = setInterval(report, PROGRESS_INTERVAL_MS)
    try {
      return await pMap(logs, close, { concurrency: LOG_CONCURRENCY })
    } finally {
      clearInterval(progress)
    }
  }

  async #close(): Promise<void> {
    this.#flushing.stop()
    await this.retention.stop()
    try {
      await this.#cleaner.stop()
      await this.#changes.close()
      const closed = await this.#closeLogs()
      await this.#checkpoints.write()
      const whole = closed.every(Boolean) && this.topics().every(({ partitions }) => !partitions.includes(null))
      if (whole && !this.#recoversNextTime) await this.#state.markCleanShutdown()
      else this.#options.logger.warn({}, 'something failed: the next start will recover')
    } finally {
      this.#state.unlock()
    }
  }
}
