import { readFile, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { MyKafkaError } from '../errors.js'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import { type Checkpoint, formatCheckpoint, parseCheckpoint } from './checkpoint.js'
import { replaceFile } from './durable-file.js'
import { lockHolder } from './lock-holder.js'
import { makeDirectory } from './make-directory.js'

const LOCK = 'lock'
const CLEAN_SHUTDOWN = 'clean-shutdown'

/** The files that say what the segments cannot: who has them open, how the last stop went, up to where they were synced. */
export const STATE_FILES = {
  lock: LOCK,
  cleanShutdown: CLEAN_SHUTDOWN,
  recoveryPoints: 'recovery-point-offset-checkpoint',
  logStartOffsets: 'log-start-offset-checkpoint',
  cleanerOffsets: 'cleaner-offset-checkpoint',
} as const

/**
 * The state beside one log's segments, or of a whole broker in `@broker/`. Held by one process at a time.
 */
export class StateDirectory {
  readonly #directory: string
  readonly #logger: Logger
  #lock: { release(): void } | null = null
  /** Device and inode of the lock: another directory of the same path is not ours. */
  #held = ''
  #writing: Promise<void> = Promise.resolve()

  private constructor(directory: string, logger: Logger) {
    this.#directory = directory
    this.#logger = logger
  }

  /**
   * Makes the directory where it is missing and takes its lock.
   *
   * @throws MyKafkaError DATA_DIR_LOCKED where another process (or another opening in this one) holds it
   */
  static async lock(directory: string, logger: Logger): Promise<StateDirectory> {
    await makeDirectory(resolve(directory))
    const state = new StateDirectory(directory, logger)
    state.#lock = native.lockFile(join(directory, LOCK))
    if (state.#lock === null) {
      const lock = join(directory, LOCK)
      throw new MyKafkaError('DATA_DIR_LOCKED', `${directory} is in use: ${await lockHolder(lock)} holds ${lock}`)
    }
    state.#held = await state.#lockIdentity()
    return state
  }

  async #lockIdentity(): Promise<string> {
    const { dev, ino } = await stat(this.path(LOCK), { bigint: true })
    return `${dev} ${ino}`
  }

  path(name: string): string {
    return join(this.#directory, name)
  }

  /** Whether the last stop was clean. The marker is gone from the disk before this resolves. */
  async takeCleanShutdown(): Promise<boolean> {
    try {
      await rm(this.path(CLEAN_SHUTDOWN))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
    await native.syncDirectory(this.#directory)
    return true
  }

  /** Call it when everything is on the disk. */
  async markCleanShutdown(): Promise<void> {
    await this.write(CLEAN_SHUTDOWN, '0\n')
  }

  async readCheckpoint(name: string): Promise<Checkpoint> {
    let text: string
    try {
      text = await readFile(this.path(name), 'utf8')
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code === 'ENOENT') return new Map()
      this.#logger.error({ file: this.path(name), err }, 'a checkpoint is not readable: it counts as empty')
      return new Map()
    }
    const checkpoint = parseCheckpoint(text)
    if (checkpoint === null) {
      this.#logger.error({ file: this.path(name) }, 'a checkpoint is not readable: it counts as empty')
      return new Map()
    }
    return checkpoint
  }

  async writeCheckpoint(name: string, offsets: Checkpoint): Promise<void> {
    await this.write(name, formatCheckpoint(offsets))
  }

  /** Replaces a file as a whole: after a crash the old text is there or the new one. */
  write(name: string, text: string): Promise<void> {
    const written = this.#writing.then(() => this.#replace(name, text))
    this.#writing = written.catch(() => {})
    return written
  }

  async #replace(name: string, text: string): Promise<void> {
    try {
      if ((await this.#lockIdentity()) !== this.#held) throw new Error('another directory has taken the place of ours')
      await replaceFile(this.path(name), text)
    } catch (cause) {
      const { code: errno, message } = cause as NodeJS.ErrnoException
      const reason = `${this.path(name)} could not be written: ${message}`
      throw new MyKafkaError('KAFKA_STORAGE_ERROR', reason, { cause, errno })
    }
  }

  unlock(): void {
    this.#lock?.release()
    this.#lock = null
  }
}
