import pMap from 'p-map'
import type { LogConfig } from '../log/log-config.js'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import type { LogCheckpoints } from './log-checkpoints.js'
import type { TopicRegistry } from './topic-registry.js'

export interface LogFlushingOptions {
  topics: TopicRegistry
  checkpoints: LogCheckpoints
  fsync: LogConfig['fsync']
  /** Milliseconds between two syncs of what nobody waited for. */
  intervalMs: number
  logger: Logger
}

/** So many logs are flushed side by side. */
const CONCURRENCY = 8
/** So many segments may keep their files open, however few descriptors there are. */
const LEAST_OPEN_FILES = 10

/** Syncs what nobody waited for, now and then, and where the system has no file left for others. */
export class LogFlushing {
  readonly #options: LogFlushingOptions
  #timer: NodeJS.Timeout | undefined
  #relieving: Promise<void> | null = null

  constructor(options: LogFlushingOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer = setInterval(() => this.#flushInBackground(), this.#options.intervalMs)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** On a full disk the broker serves all the same: the recovery points that are there are older, not wrong. */
  async checkpoint(): Promise<void> {
    await this.#options.checkpoints
      .write()
      .catch((err: unknown) => this.#options.logger.error({ err }, 'the recovery points could not be written'))
  }

  /**
   * Lets go of files where the system has none left. What is synced can be closed, and so many were too many: half of
   * them is the limit from now on.
   */
  relieveFiles(): Promise<void> {
    this.#relieving ??= this.#flushLogs()
      .then(() => native.setOpenFileLimit(Math.max(LEAST_OPEN_FILES, native.openFileCount() >> 1)))
      .finally(() => {
        this.#relieving = null
      })
    return this.#relieving
  }

  #flushInBackground(): void {
    const flushed = this.#options.fsync === 'never' ? Promise.resolve() : this.#flushLogs()
    void flushed.then(() => this.checkpoint())
  }

  async #flushLogs(): Promise<void> {
    const dirty = this.#options.topics.logs().filter((log) => log.recoveryPoint < log.logEndOffset)
    // A failure is reported by its log, which refuses writes from then on.
    await pMap(dirty, (log) => log.flush().catch(() => {}), { concurrency: CONCURRENCY })
  }
}
