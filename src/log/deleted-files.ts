import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '../logger.js'
import { DELETED_ENDING, SEGMENT_ENDINGS, segmentName } from './segment-files.js'

const LONGEST_TIMER_MS = 2147483647
const LEFT = 'a file of a removed segment is left until the next start'

/**
 * The files of segments that are gone. They get another name at once, and are unlinked some time later: at the end of
 * the delay, when the log closes, or at its next start. Renaming and unlinking follow no link.
 */
export class DeletedFiles {
  readonly #directory: string
  readonly #logger: Logger
  /** The names that wait, by the timers that they wait for. */
  readonly #waiting = new Map<NodeJS.Timeout, readonly string[]>()
  readonly #unlinking = new Set<Promise<void>>()

  constructor(directory: string, logger: Logger) {
    this.#directory = directory
    this.#logger = logger
  }

  /**
   * Takes the files of a segment out of the log. The one with the records goes first: without it, the others are
   * understood as left over, while it would be misunderstood without them.
   *
   * @throws where the system refuses; the segment is then there as before
   */
  async add(baseOffset: number, delayMs: number): Promise<void> {
    const names: string[] = []
    for (const ending of SEGMENT_ENDINGS) {
      const name = `${segmentName(baseOffset)}.${ending}`
      const renamed = await this.#rename(name).catch((err: unknown) => {
        if (ending === 'log') throw err
        this.#logger.warn({ file: join(this.#directory, name), err }, LEFT)
        return false
      })
      if (renamed) names.push(name + DELETED_ENDING)
    }
    this.renamed(names, delayMs)
  }

  /** Files that have the ending already are to be unlinked behind the delay. */
  renamed(names: readonly string[], delayMs: number): void {
    if (delayMs === 0) this.#unlink(names)
    else this.#unlinkLater(names, delayMs)
  }

  /** How many files wait. */
  get count(): number {
    let count = 0
    for (const names of this.#waiting.values()) count += names.length
    return count
  }

  /** Unlinks what waits. */
  async close(): Promise<void> {
    for (const [timer, names] of this.#waiting) {
      clearTimeout(timer)
      this.#unlink(names)
    }
    await this.discard()
  }

  /** Leaves what waits where it is: the directory goes as a whole. */
  async discard(): Promise<void> {
    for (const timer of this.#waiting.keys()) clearTimeout(timer)
    this.#waiting.clear()
    await Promise.all(this.#unlinking)
  }

  async #rename(name: string): Promise<boolean> {
    try {
      await rename(join(this.#directory, name), join(this.#directory, name + DELETED_ENDING))
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
      throw error
    }
  }

  #unlinkLater(names: readonly string[], delayMs: number): void {
    const timer = setTimeout(
      () => {
        this.#waiting.delete(timer)
        this.#unlink(names)
      },
      Math.min(delayMs, LONGEST_TIMER_MS),
    )
    timer.unref()
    this.#waiting.set(timer, names)
  }

  #unlink(names: readonly string[]): void {
    const unlinking = this.#unlinkAll(names).finally(() => this.#unlinking.delete(unlinking))
    this.#unlinking.add(unlinking)
  }

  async #unlinkAll(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const file = join(this.#directory, name)
      await rm(file, { force: true }).catch((err: unknown) => this.#logger.warn({ file, err }, LEFT))
    }
  }
}
