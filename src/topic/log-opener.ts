import pMap from 'p-map'
import { isOutOfReach } from '../errors.js'
import { runWithFiles } from '../log/file-relief.js'
import type { LogConfig } from '../log/log-config.js'
import { PartitionLog, type PartitionLogState } from '../log/partition-log.js'
import type { Logger } from '../logger.js'
import type { LogCheckpoints } from './log-checkpoints.js'
import { PARTITION_METADATA } from './partition-metadata.js'
import type { TopicDirectory } from './topic-directory.js'
import type { FoundTopic } from './topic-tree.js'

export interface LogOpenerOptions {
  directory: TopicDirectory
  checkpoints: LogCheckpoints
  /** Whether the last stop was clean. */
  clean: boolean
  relieveFiles: () => Promise<void>
  /** The clock; default the system's. */
  now?: (() => number) | undefined
  logger: Logger
}

/** So many logs are opened or closed side by side. */
export const LOG_CONCURRENCY = 8
/** How often a start, or a stop, that takes long says how far it is. */
export const PROGRESS_INTERVAL_MS = 2_000
const NEW: PartitionLogState = { recoveryPoint: 0, logStartOffset: 0, clean: true }
const KNOWN_FILES: ReadonlySet<string> = new Set([PARTITION_METADATA])

/** Opens the logs of partitions, those of the whole tree at a start. */
export class LogOpener {
  readonly #options: LogOpenerOptions
  /** Partitions that are offline for want of something that may come again: by directory, what was known of each. */
  readonly #waiting = new Map<string, PartitionLogState>()

  constructor(options: LogOpenerOptions) {
    this.#options = options
  }

  /** Opens every partition of the topics; null stands for one that is offline. */
  async openAll(topics: readonly { topic: FoundTopic; config: LogConfig }[]): Promise<(PartitionLog | null)[][]> {
    const partitions = topics.flatMap(({ topic, config }) =>
      topic.present.map((present, partition) => ({ topic, present, partition, config })),
    )
    let opened = 0
    const report = (): void => {
      const fields = { opened, total: partitions.length }
      this.#options.logger.info(fields, `opening logs: ${opened} of ${partitions.length} partitions`)
    }
    const progress = setInterval(report, PROGRESS_INTERVAL_MS)
    try {
      const logs = await pMap(
        partitions,
        async ({ topic, present, partition, config }) => {
          const log = await this.#openFound(topic, present, partition, config)
          opened++
          return log
        },
        { concurrency: LOG_CONCURRENCY },
      )
      let first = 0
      return topics.map(({ topic }) => {
        first += topic.present.length
        return logs.slice(first - topic.present.length, first)
      })
    } finally {
      clearInterval(progress)
    }
  }

  /** Opens the empty partitions of a topic from number `from` on. Where one fails, none stays open. */
  async openNew(topic: string, from: number, to: number, config: LogConfig): Promise<PartitionLog[]> {
    const logs: PartitionLog[] = []
    const numbers = Array.from({ length: to - from }, (_, index) => index)
    try {
      await pMap(
        numbers,
        async (index) => {
          const directory = this.#options.directory.partitionPath(topic, from + index)
          logs[index] = await this.#open(directory, config, NEW)
        },
        // To its end even where one fails: all that were opened are closed below.
        { concurrency: LOG_CONCURRENCY, stopOnError: false },
      )
      return logs
    } catch (error) {
      await Promise.allSettled(logs.map((log) => log.close()))
      throw error
    }
  }

  /** Opens a log again that was discarded; null where it cannot be opened. */
  async reopen(topic: string, partition: number, discarded: PartitionLog): Promise<PartitionLog | null> {
    const { config, recoveryPoint, logStartOffset, compaction } = discarded
    const directory = this.#options.directory.partitionPath(topic, partition)
    const state = {
      recoveryPoint,
      logStartOffset,
      isLogStartSynced: false,
      firstDirtyOffset: compaction.cleanedTo,
      clean: false,
    }
    return await this.#openOrOffline(directory, config, state)
  }

  /**
   * Opens a log again that is offline for want of something; null where that is not the reason, or it still is.
   *
   * @param prepare - is told where the log ends; the log is closed again where it fails
   */
  async retry(
    topic: string,
    partition: number,
    config: LogConfig,
    prepare: (logEndOffset: number) => Promise<void>,
  ): Promise<PartitionLog | null> {
    const { logger } = this.#options
    const directory = this.#options.directory.partitionPath(topic, partition)
    const state = this.#waiting.get(directory)
    if (state === undefined) return null
    let log: PartitionLog | null = null
    try {
      log = await this.#open(directory, config, { ...state, clean: false })
      await prepare(log.logEndOffset)
      this.#waiting.delete(directory)
      logger.info({ directory }, 'a partition that was offline is served')
      return log
    } catch (err) {
      logger.debug({ directory, err }, 'a partition is still offline')
      await log?.close().catch(() => {})
      return null
    }
  }

  /** A partition that cannot be opened is offline; the others serve. */
  async #openFound(
    topic: FoundTopic,
    present: boolean,
    partition: number,
    config: LogConfig,
  ): Promise<PartitionLog | null> {
    const { logger, checkpoints, clean } = this.#options
    const directory = this.#options.directory.partitionPath(topic.name, partition)
    if (!present) {
      logger.error({ directory }, 'a partition is offline: its directory is missing')
      return null
    }
    return await this.#openOrOffline(directory, config, { ...checkpoints.found(topic.name, partition), clean })
  }

  async #openOrOffline(directory: string, config: LogConfig, state: PartitionLogState): Promise<PartitionLog | null> {
    try {
      return await this.#open(directory, config, state)
    } catch (err) {
      const again = isOutOfReach(err)
      if (again) this.#waiting.set(directory, state)
      const message = `a partition is offline: it could not be opened${again ? ', which is tried again' : ''}`
      this.#options.logger.error({ directory, err }, message)
      return null
    }
  }

  #open(directory: string, config: LogConfig, state: PartitionLogState): Promise<PartitionLog> {
    const { logger, checkpoints, relieveFiles, now } = this.#options
    const options = {
      config,
      logger,
      knownFiles: KNOWN_FILES,
      checkpoint: () => checkpoints.write(),
      checkpointCleaned: () => checkpoints.writeCleanerOffsets(),
      relieve: relieveFiles,
      ...(now && { now }),
      ...state,
    }
    let { clean } = state
    return runWithFiles(relieveFiles, () => {
      const attempt = { ...options, clean }
      // What it has made when it finds no descriptor is not on the disk for certain: the next one recovers.
      clean = false
      return PartitionLog.open(directory, attempt)
    })
  }
}
