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
  /** Opens what is offline, where it can be opened now. */
  reopenOffline: () => Promise<void>
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
  /** How many segments might keep their files open before it was lowered. */
  #usualOpenFiles: number | null = null

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
   * them is the limit from now on; it grows again by itself.
   */
  relieveFiles(): Promise<void> {
    this.#relieving ??= this.#flushLogs()
      .then(() => this.#lowerOpenFiles())
      .finally(() => {
        this.#relieving = null
      })
    return this.#relieving
  }

  #lowerOpenFiles(): void {
    this.#usualOpenFiles ??= native.openFileLimit()
    native.setOpenFileLimit(Math.max(LEAST_OPEN_FILES, native.openFileCount() >> 1))
  }

  /** Who took the files may have given them back. */
  #raiseOpenFiles(): void {
    if (this.#usualOpenFiles === null) return
    const limit = Math.min(this.#usualOpenFiles, 2 * native.openFileLimit())
    native.setOpenFileLimit(limit)
    if (limit === this.#usualOpenFiles) this.#usualOpenFiles = null
  }

  #flushInBackground(): void {
    this.#raiseOpenFiles()
    const { fsync, reopenOffline, logger } = this.#options
    const flushed = fsync === 'never' ? Promise.resolve() : this.#flushLogs()
    void flushed.then(() => this.checkpoint())
    // Where the broker stops meanwhile, it is not done.
    reopenOffline().catch((err: unknown) => logger.debug({ err }, 'what is offline was not opened'))
  }

  async #flushLogs(): Promise<void> {
    const dirty = this.#options.topics.logs().filter((log) => log.recoveryPoint < log.logEndOffset)
    // A failure is reported by its log, which refuses writes from then on.
    await pMap(dirty, (log) => log.flush().catch(() => {}), { concurrency: CONCURRENCY })
  }
}
