import { MyKafkaError } from '../errors.js'
import { runWithFiles } from '../log/file-relief.js'
import type { PartitionLog } from '../log/partition-log.js'
import type { RecordFormat } from '../log/record-format.js'
import type { Logger } from '../logger.js'
import { internalTopicConfig } from './internal-topics.js'
import { KeyedQueue } from './keyed-queue.js'
import type { LogCheckpoints } from './log-checkpoints.js'
import type { LogOpener } from './log-opener.js'
import { MAX_PARTITIONS } from './partition-count.js'
import type { StoredConfigs } from './stored-configs.js'
import { isInternalTopic, type Topic } from './topic.js'
import type { TopicConfig } from './topic-configs.js'
import { createTopicOnDisk } from './topic-creation.js'
import { deleteTopicFromDisk } from './topic-deletion.js'
import type { TopicDirectory } from './topic-directory.js'
import { checkTopicName } from './topic-name.js'
import type { TopicRegistry } from './topic-registry.js'
import { readTopicConfig, resolveTopicSettings, type TopicDefaults, type TopicSettings } from './topic-settings.js'

export interface TopicChangesOptions {
  topics: TopicRegistry
  directory: TopicDirectory
  opener: LogOpener
  checkpoints: LogCheckpoints
  defaults: TopicDefaults
  /** Makes logs let go of open files. */
  relieveFiles: () => Promise<void>
  logger: Logger
}

/** Whether a change is made, or only looked at. */
export interface ChangeOptions {
  readonly validateOnly?: boolean
}

/** What others have to do about topics that come and go. */
export interface TopicListener {
  /** Before a topic is made; where it fails, the topic is not made. */
  creating(topic: string): Promise<void>
  /** Behind the deletion of a topic. */
  deleted(topic: string): Promise<void>
  /** Before a partition that was offline is served; where it fails, it stays offline. */
  reopened(topic: string, partition: number, logEndOffset: number): Promise<void>
}

/** Makes topics, changes them and removes them; the changes of one topic one after another. */
export class TopicChanges {
  readonly #options: TopicChangesOptions
  readonly #queue = new KeyedQueue()
  readonly #removals = new Set<Promise<void>>()
  #configs: StoredConfigs | null = null
  #listener: TopicListener | null = null
  /** Partitions that are being made. */
  #making = 0
  #closed = false

  constructor(options: TopicChangesOptions) {
    this.#options = options
  }

  /** @param configs - where configurations are kept, as soon as they are loaded */
  keepConfigsIn(configs: StoredConfigs): void {
    this.#configs = configs
  }

  listen(listener: TopicListener): void {
    this.#listener = listener
  }

  settingsOf(recordFormat: RecordFormat, config: TopicConfig): TopicSettings {
    return resolveTopicSettings({ recordFormat, config }, this.#options.defaults)
  }

  /** The configurations of one of the broker's own topics; they are never changed. */
  internalConfig(name: string): TopicConfig | undefined {
    return internalTopicConfig(name, this.#options.defaults.offsetsTopicSegmentBytes)
  }

  async create(name: string, partitionCount: number, given: TopicConfig, format: RecordFormat): Promise<Topic> {
    const { config, settings } = this.#check(name, partitionCount, given, format)
    return await this.#run(name, async () => {
      this.#requireAbsent(name)
      await this.#listener?.creating(name)
      return await this.#makeWithin(partitionCount, isInternalTopic(name), () =>
        runWithFiles(this.#options.relieveFiles, async () => {
          await this.#options.checkpoints.forget(name)
          return await this.createNow(name, partitionCount, config, settings)
        }),
      )
    })
  }

  /** Refuses what `create` would refuse. Returns what the topic would be. */
  checkCreation(
    name: string,
    partitionCount: number,
    given: TopicConfig,
    format: RecordFormat,
  ): Pick<Topic, 'recordFormat' | 'config' | 'settings'> {
    const { config, settings } = this.#check(name, partitionCount, given, format)
    this.#requireAbsent(name)
    return { recordFormat: settings.log.recordFormat, config, settings }
  }

  async createNow(name: string, partitionCount: number, config: TopicConfig, settings: TopicSettings): Promise<Topic> {
    const topic = { name, partitionCount, config, settings }
    const made = await createTopicOnDisk(topic, { ...this.#options, configs: this.#configs })
    this.#options.topics.put(made)
    return made
  }

  async delete(name: string, id?: string): Promise<void> {
    await this.#run(name, async () => {
      const topic = this.#options.topics.writable(name)
      if (id !== undefined && topic.id !== id) {
        throw new MyKafkaError('UNKNOWN_TOPIC_OR_PARTITION', `the topic ${name} is another one now`)
      }
      const path = await deleteTopicFromDisk(topic, this.#options)
      const { logger, directory } = this.#options
      const report = (err: unknown): void => logger.warn({ topic: name, err }, 'something of a deleted topic is left')
      // A crash here is made up for by the next topic of this name, or the next start.
      await this.#configs?.delete(name).catch(report)
      await this.#listener?.deleted(name).catch(report)
      const removal = directory.removeFiles(path).catch(report)
      this.#removals.add(removal)
      void removal.then(() => this.#removals.delete(removal))
    })
  }

  async grow(name: string, partitionCount: number, { validateOnly }: ChangeOptions): Promise<Topic> {
    return await this.#run(name, async () => {
      const topic = this.#options.topics.writable(name)
      const from = topic.partitions.length
      if (!Number.isInteger(partitionCount) || partitionCount <= from || partitionCount > MAX_PARTITIONS) {
        const reason = `the topic ${name} has ${from} partitions; it can grow to at most ${MAX_PARTITIONS}`
        throw new MyKafkaError('INVALID_PARTITIONS', `${reason}, not to ${partitionCount}`)
      }
      if (validateOnly) return topic
      const added = await this.#makeWithin(partitionCount - from, false, () =>
        this.#addWithFiles(topic, partitionCount),
      )
      const partitions = [...topic.partitions, ...added]
      const grown = { ...topic, partitions }
      this.#options.topics.put(grown)
      return grown
    })
  }

  async alterConfig(
    name: string,
    change: (config: TopicConfig, settings: TopicSettings) => TopicConfig,
    { validateOnly }: ChangeOptions,
  ): Promise<void> {
    await this.#run(name, async () => {
      const topic = this.#options.topics.writable(name)
      const config = readTopicConfig(change(topic.config, topic.settings))
      const format = config['record.format']
      if (format !== undefined && format !== topic.recordFormat) {
        const reason = `record.format of the topic ${name} is ${topic.recordFormat}: it is chosen when a topic is made`
        throw new MyKafkaError('INVALID_CONFIG', reason)
      }
      // What was chosen at the creation stays known as chosen.
      const chosen = topic.config['record.format']
      const kept = chosen === undefined ? config : { ...config, 'record.format': chosen }
      const settings = this.settingsOf(topic.recordFormat, kept)
      if (validateOnly) return
      await this.#configs?.set(name, topic.id, kept)
      for (const log of topic.partitions) log?.reconfigure(settings.log)
      this.#options.topics.put({ ...topic, config: kept, settings })
    })
  }

  /** Opens the partitions that are offline for want of something that is there again. */
  async reopenOffline(): Promise<void> {
    const { topics, opener } = this.#options
    for (const { name, partitions } of topics.all()) {
      if (!partitions.includes(null)) continue
      await this.#run(name, async () => {
        const topic = topics.get(name)
        if (topic === undefined) return
        const prepare = (partition: number) => async (logEndOffset: number) =>
          await this.#listener?.reopened(name, partition, logEndOffset)
        const reopened = [...topic.partitions]
        for (const [partition, log] of reopened.entries())
          reopened[partition] = log ?? (await opener.retry(name, partition, topic.settings.log, prepare(partition)))
        if (reopened.some((log, partition) => log !== topic.partitions[partition]))
          topics.put({ ...topic, partitions: reopened })
      })
    }
  }

  /** Takes no more changes; resolves when those that were asked for are made. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#queue.idle()
    await Promise.all(this.#removals)
  }

  /** Makes so many partitions, if there may be as many more. */
  async #makeWithin<T>(count: number, internal: boolean, make: () => Promise<T>): Promise<T> {
    const { topics, defaults } = this.#options
    const { maxPartitions = Number.POSITIVE_INFINITY } = defaults
    const there = topics.partitions + this.#making
    if (there + count > maxPartitions && !internal) {
      const reason = `there are ${there} partitions, and at most ${maxPartitions} (max.partitions): ${count} more are too many`
      throw new MyKafkaError('POLICY_VIOLATION', reason)
    }
    this.#making += count
    try {
      return await make()
    } finally {
      this.#making -= count
    }
  }

  #run<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#queue.run(name, async () => {
      if (this.#closed) throw new MyKafkaError('LOG_CLOSED', 'the broker is stopping')
      return await work()
    })
  }

  #check(
    name: string,
    partitionCount: number,
    given: TopicConfig,
    format: RecordFormat,
  ): { config: TopicConfig; settings: TopicSettings } {
    checkTopicName(name)
    if (!Number.isInteger(partitionCount) || partitionCount < 1 || partitionCount > MAX_PARTITIONS) {
      const reason = `a topic has 1 to ${MAX_PARTITIONS} partitions, not ${partitionCount}`
      throw new MyKafkaError('INVALID_PARTITIONS', reason)
    }
    const config = this.internalConfig(name) ?? readTopicConfig(given)
    const chosen = config['record.format'] as RecordFormat | undefined
    return { config, settings: this.settingsOf(chosen ?? format, config) }
  }

  #requireAbsent(name: string): void {
    if (this.#options.topics.get(name)) throw new MyKafkaError('TOPIC_ALREADY_EXISTS', `the topic ${name} exists`)
  }

  #addWithFiles(topic: Topic, to: number): Promise<PartitionLog[]> {
    return runWithFiles(this.#options.relieveFiles, () => this.#addPartitions(topic, to))
  }

  async #addPartitions({ name, id, recordFormat, partitions, settings }: Topic, to: number): Promise<PartitionLog[]> {
    const { directory, opener } = this.#options
    const from = partitions.length
    const metadata = { topicId: id, partitionCount: to, recordFormat }
    let opened: PartitionLog[] = []
    try {
      return await directory.grow(name, metadata, from, async () => {
        opened = await opener.openNew(name, from, to, settings.log)
        return opened
      })
    } catch (cause) {
      const error = new MyKafkaError('KAFKA_STORAGE_ERROR', `the topic ${name} could not grow`, { cause })
      await Promise.all(opened.map((log) => log.discard(error)))
      throw error
    }
  }
}
