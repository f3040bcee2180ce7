import { join, resolve } from 'node:path'
import pMap from 'p-map'
import { MyKafkaError } from '../errors.js'
import type { LogConfig } from '../log/log-config.js'
import { PartitionLog } from '../log/partition-log.js'
import { type Checkpoint, STATE_FILES, StateDirectory } from '../log/state-directory.js'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import { type BrokerIdentity, loadIdentity, newKafkaId } from './meta-properties.js'
import { LogMetadataStore, type MetadataStore } from './metadata-store.js'
import { PARTITION_METADATA } from './partition-metadata.js'
import { isInternalTopic, METADATA_TOPIC, type Topic } from './topic.js'
import { type TopicConfig, topicLogConfig } from './topic-config.js'
import { BROKER_DIRECTORY, type FoundTopic, TopicDirectory } from './topic-directory.js'
import { checkTopicName } from './topic-name.js'

export interface LogManagerOptions {
  dataDirectory: string
  /** What a topic has where it does not say otherwise. */
  defaults: LogConfig
  nodeId: number
  /** Milliseconds between two syncs of what nobody waited for. */
  flushIntervalMs: number
  logger: Logger
}

/** More partitions at once are refused, as Kafka does. */
export const MAX_PARTITIONS = 10_000

/** So many logs are opened, flushed or closed side by side. */
const LOG_CONCURRENCY = 8
/** So many segments may keep their files open, however few descriptors there are. */
const LEAST_OPEN_FILES = 16
const PROGRESS_INTERVAL_MS = 2_000
const KNOWN_FILES: ReadonlySet<string> = new Set([PARTITION_METADATA])
const CONFIG_KEY = 'topic-config/'

/** All topics and partition logs of a data directory. One process holds it at a time. */
export class LogManager {
  readonly identity: BrokerIdentity
  /** Whether the last stop was clean. */
  readonly clean: boolean
  readonly #options: LogManagerOptions
  readonly #state: StateDirectory
  readonly #directory: TopicDirectory
  readonly #checkpoints: { recoveryPoints: Checkpoint; logStartOffsets: Checkpoint }
  readonly #topics = new Map<string, Topic>()
  readonly #creating = new Map<string, Promise<unknown>>()
  #metadata: MetadataStore | null = null
  #flushTimer: NodeJS.Timeout | undefined
  #relieving: Promise<void> | null = null
  #checkpointing: Promise<void> | null = null
  #writingCheckpoint: Promise<void> = Promise.resolve()
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
      const identity = await loadIdentity(state, options.nodeId)
      const checkpoints = {
        recoveryPoints: await state.readCheckpoint(STATE_FILES.recoveryPoints),
        logStartOffsets: await state.readCheckpoint(STATE_FILES.logStartOffsets),
      }
      const clean = await state.takeCleanShutdown()
      const manager = new LogManager(options, state, identity, checkpoints, clean)
      await manager.#open().catch(async (error: unknown) => {
        await Promise.allSettled(manager.#logs().map((log) => log.close()))
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
    state: StateDirectory,
    identity: BrokerIdentity,
    checkpoints: { recoveryPoints: Checkpoint; logStartOffsets: Checkpoint },
    clean: boolean,
  ) {
    this.#options = options
    this.#state = state
    this.identity = identity
    this.#checkpoints = checkpoints
    this.clean = clean
    this.#directory = new TopicDirectory(options.dataDirectory, options.logger, options.defaults.fsync !== 'never')
  }

  /** What the directory tree cannot say. */
  get metadata(): MetadataStore {
    if (this.#metadata === null) throw new Error('the metadata is loaded first of all')
    return this.#metadata
  }

  topics(): Topic[] {
    return [...this.#topics.values()]
  }

  topic(name: string): Topic | undefined {
    return this.#topics.get(name)
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
   * @throws MyKafkaError INVALID_TOPIC_EXCEPTION, INVALID_PARTITIONS, INVALID_CONFIG, TOPIC_ALREADY_EXISTS,
   *   KAFKA_STORAGE_ERROR
   */
  async createTopic(name: string, partitionCount: number, config: TopicConfig = {}): Promise<Topic> {
    checkTopicName(name)
    if (!Number.isInteger(partitionCount) || partitionCount < 1 || partitionCount > MAX_PARTITIONS) {
      throw new MyKafkaError(
        'INVALID_PARTITIONS',
        `a topic has 1 to ${MAX_PARTITIONS} partitions, not ${partitionCount}`,
      )
    }
    topicLogConfig(this.#options.defaults, config)
    while (this.#creating.has(name)) await this.#creating.get(name)
    if (this.#topics.has(name)) throw new MyKafkaError('TOPIC_ALREADY_EXISTS', `the topic ${name} exists`)
    if (this.#closing !== null) throw new MyKafkaError('LOG_CLOSED', 'the broker is stopping')
    const creation = this.#create(name, partitionCount, config)
    this.#creating.set(
      name,
      creation.catch(() => {}),
    )
    try {
      return await creation
    } finally {
      this.#creating.delete(name)
    }
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
    if (metadata) await this.#openTopics([metadata])
    else await this.#create(METADATA_TOPIC, 1, {})
    this.#metadata = await LogMetadataStore.load(this.partition(METADATA_TOPIC, 0), this.#options.logger)
    await this.#openTopics(found.filter(({ name }) => name !== METADATA_TOPIC))
    // On a full disk the broker serves all the same: the recovery points that are there are older, not wrong.
    await this.#writeCheckpoint().catch((err: unknown) => this.#reportCheckpoint(err))
    this.#flushTimer = setInterval(() => this.#flushInBackground(), this.#options.flushIntervalMs)
    this.#flushTimer.unref()
  }

  async #openTopics(topics: FoundTopic[]): Promise<void> {
    const { logger } = this.#options
    const total = topics.reduce((sum, { present }) => sum + present.length, 0)
    let opened = 0
    const progress = setInterval(
      () => logger.info({ opened, total }, `opening logs: ${opened} of ${total} partitions`),
      PROGRESS_INTERVAL_MS,
    )
    try {
      const partitions = topics.flatMap((topic) =>
        topic.present.map((present, partition) => ({ topic, present, partition })),
      )
      const logs = await pMap(
        partitions,
        async ({ topic, present, partition }) => {
          const log = await this.#openPartition(topic, present, partition)
          opened++
          return log
        },
        { concurrency: LOG_CONCURRENCY },
      )
      let first = 0
      for (const topic of topics) {
        const own = logs.slice(first, first + topic.present.length)
        this.#add(topic.name, topic.metadata.topicId, own, this.#storedConfig(topic))
        first += topic.present.length
      }
    } finally {
      clearInterval(progress)
    }
  }

  /** A partition that cannot be opened is offline; the others serve. */
  async #openPartition(topic: FoundTopic, present: boolean, partition: number): Promise<PartitionLog | null> {
    const { logger, defaults } = this.#options
    const directory = this.#directory.partitionPath(topic.name, partition)
    if (!present) {
      logger.error({ directory }, 'a partition is offline: its directory is missing')
      return null
    }
    try {
      const config = topicLogConfig(defaults, this.#storedConfig(topic))
      return await this.#openLog(directory, topic.name, partition, config)
    } catch (err) {
      logger.error({ directory, err }, 'a partition is offline: it could not be opened')
      return null
    }
  }

  #openLog(directory: string, topic: string, partition: number, config: LogConfig): Promise<PartitionLog> {
    const key = `${topic} ${partition}`
    return PartitionLog.open(directory, {
      config,
      logger: this.#options.logger,
      knownFiles: KNOWN_FILES,
      checkpoint: () => this.#writeCheckpoint(),
      relieve: () => this.#relieveFiles(),
      clean: this.clean,
      recoveryPoint: this.#checkpoints.recoveryPoints.get(key) ?? 0,
      logStartOffset: this.#checkpoints.logStartOffsets.get(key) ?? 0,
    })
  }

  #storedConfig({ name, metadata }: FoundTopic): TopicConfig {
    const text = this.#metadata?.get(CONFIG_KEY + name)
    if (text === undefined) return {}
    const stored = JSON.parse(text) as { topicId: string; config: TopicConfig }
    return stored.topicId === metadata.topicId ? stored.config : {}
  }

  #add(name: string, id: string, partitions: (PartitionLog | null)[], config: TopicConfig): Topic {
    const topic: Topic = { name, id, internal: isInternalTopic(name), config, partitions }
    this.#topics.set(name, topic)
    return topic
  }

  async #create(name: string, partitionCount: number, config: TopicConfig): Promise<Topic> {
    const topicId = newKafkaId()
    // Before the topic: without its directory, under this id, a configuration means nothing.
    if (Object.keys(config).length > 0) {
      await this.metadata.set(CONFIG_KEY + name, JSON.stringify({ topicId, config }))
    }
    try {
      await this.#directory.create(name, { topicId, partitionCount, recordFormat: 'mykafka' })
    } catch (cause) {
      throw new MyKafkaError('KAFKA_STORAGE_ERROR', `the topic ${name} could not be made`, { cause })
    }
    const logs: PartitionLog[] = []
    try {
      const logConfig = topicLogConfig(this.#options.defaults, config)
      const numbers = Array.from({ length: partitionCount }, (_, partition) => partition)
      await pMap(
        numbers,
        async (partition) => {
          const directory = this.#directory.partitionPath(name, partition)
          logs[partition] = await this.#openLog(directory, name, partition, logConfig)
        },
        // To its end even where one fails: all that were opened are closed below.
        { concurrency: LOG_CONCURRENCY, stopOnError: false },
      )
    } catch (cause) {
      await Promise.allSettled(logs.map((log) => log.close()))
      await this.#directory
        .remove(name)
        .catch((err: unknown) => this.#options.logger.error({ err }, 'a topic is left over'))
      throw new MyKafkaError('KAFKA_STORAGE_ERROR', `the topic ${name} could not be made`, { cause })
    }
    return this.#add(name, topicId, logs, config)
  }

  #logs(): PartitionLog[] {
    return this.topics().flatMap(({ partitions }) => partitions.filter((log) => log !== null))
  }

  /** All that ask while one is being written share the one behind it. */
  async #writeCheckpoint(): Promise<void> {
    // One that failed has told those who asked for it; the next is another.
    const before = this.#writingCheckpoint.catch(() => {})
    this.#checkpointing ??= before.then(() => {
      this.#checkpointing = null
      this.#writingCheckpoint = this.#writeCheckpointNow()
      return this.#writingCheckpoint
    })
    return this.#checkpointing
  }

  async #writeCheckpointNow(): Promise<void> {
    const offsets = new Map<string, number>()
    for (const { name, partitions } of this.topics()) {
      for (const [partition, log] of partitions.entries()) {
        const key = `${name} ${partition}`
        // What is offline keeps what was known of it.
        const offset = log ? log.recoveryPoint : this.#checkpoints.recoveryPoints.get(key)
        if (offset !== undefined) offsets.set(key, offset)
      }
    }
    await this.#state.writeCheckpoint(STATE_FILES.recoveryPoints, offsets)
  }

  /**
   * Lets go of files where the system has none left. What is synced can be closed, and so many were too many: half of
   * them is the limit from now on.
   */
  #relieveFiles(): Promise<void> {
    this.#relieving ??= this.#flushLogs()
      .then(() => native.setOpenFileLimit(Math.max(LEAST_OPEN_FILES, native.openFileCount() >> 1)))
      .finally(() => {
        this.#relieving = null
      })
    return this.#relieving
  }

  #flushInBackground(): void {
    this.#flush().catch((err: unknown) => this.#reportCheckpoint(err))
  }

  #reportCheckpoint(err: unknown): void {
    this.#options.logger.error({ err }, 'the recovery points could not be written')
  }

  async #flush(): Promise<void> {
    if (this.#options.defaults.fsync !== 'never') await this.#flushLogs()
    await this.#writeCheckpoint()
  }

  async #flushLogs(): Promise<void> {
    const dirty = this.#logs().filter((log) => log.recoveryPoint < log.logEndOffset)
    // A failure is reported by its log, which refuses writes from then on.
    await pMap(dirty, (log) => log.flush().catch(() => {}), { concurrency: LOG_CONCURRENCY })
  }

  async #close(): Promise<void> {
    clearInterval(this.#flushTimer)
    try {
      await Promise.all(this.#creating.values())
      const closed = await pMap(
        this.#logs(),
        (log) =>
          log.close().then(
            () => true,
            () => false,
          ),
        { concurrency: LOG_CONCURRENCY },
      )
      await this.#writeCheckpoint()
      const whole = closed.every(Boolean) && this.topics().every(({ partitions }) => !partitions.includes(null))
      if (whole) await this.#state.markCleanShutdown()
      else this.#options.logger.warn({}, 'a log failed: the next start will recover')
    } finally {
      this.#state.unlock()
    }
  }
}
