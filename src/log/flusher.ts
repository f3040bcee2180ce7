import { isOutOfFiles, isOutOfMemory, MyKafkaError } from '../errors.js'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import type { NativeSegment } from '../native/native.js'
import { watchSync } from './slow-syncs.js'

/** What the flusher asks of the log that owns it. */
export interface FlushTarget {
  readonly directory: string
  readonly logger: Logger
  endOffset(): number
  /** In the order of their offsets, from the first that may have bytes that are not on the disk. */
  unflushedSegments(): readonly NativeSegment[]
  /** After a failed sync the state of the pages is unknown: the log must refuse writes. */
  failed(error: MyKafkaError): void
}

interface Waiter {
  offset: number
  resolve(): void
  reject(error: unknown): void
}

/**
 * Brings a log to the disk. One sync serves all that wait for it, and acknowledges only writes that were
 * complete before it began. Older segments and the directory (where files were made) go first.
 */
export class Flusher {
  readonly #target: FlushTarget
  #waiters: Waiter[] = []
  #running = false
  #flushedOffset: number
  #directoryChanged = false
  /** Syncs and truncations take turns. */
  #turn: Promise<unknown> = Promise.resolve()
  #failure: MyKafkaError | null = null

  constructor(target: FlushTarget, flushedOffset: number) {
    this.#target = target
    this.#flushedOffset = flushedOffset
  }

  /** The recovery point: everything below it is on the disk. */
  get flushedOffset(): number {
    return this.#flushedOffset
  }

  /** A segment's files were made: their names are not on the disk yet. */
  directoryChanged(): void {
    this.#directoryChanged = true
  }

  /** The log was cut back to this offset: whoever waited for what is gone waits for what is left. */
  truncated(offset: number): void {
    for (const waiter of this.#waiters) waiter.offset = Math.min(waiter.offset, offset)
    this.#flushedOffset = Math.min(this.#flushedOffset, offset)
  }

  /** Resolves when everything below the offset, which must be written already, is on the disk. */
  flushed(offset: number): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure)
    if (offset <= this.#flushedOffset && !this.#directoryChanged) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiters.push({ offset, resolve, reject })
      if (!this.#running) void this.#run()
    })
  }

  /** Syncs no more: whoever waits for one gets the error. Resolves when none is under way. */
  async stop(error: MyKafkaError): Promise<void> {
    this.#failure ??= error
    this.#refuseWaiters(error)
    await this.exclusive(async () => {})
  }

  /** Runs while no sync is under way. */
  exclusive<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(run)
    this.#turn = result.catch(() => {})
    return result
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#waiters.length > 0 && this.#failure === null) await this.exclusive(() => this.#sync())
    this.#running = false
  }

  async #sync(): Promise<void> {
    const reached = this.#target.endOffset()
    try {
      await watchSync(this.#target.logger, this.#target.directory, () => this.#syncAll())
    } catch (error) {
      // Nothing was synced, but nothing failed to reach the disk either: a later sync can do it.
      if (isOutOfFiles(error) || isOutOfMemory(error)) this.#refuseWaiters(error)
      else this.#fail(error)
      return
    }
    this.#flushedOffset = Math.max(this.#flushedOffset, reached)
    const waiters = this.#waiters
    this.#waiters = waiters.filter((waiter) => waiter.offset > reached)
    for (const waiter of waiters) if (waiter.offset <= reached) waiter.resolve()
  }

  async #syncAll(): Promise<void> {
    const changed = this.#directoryChanged
    for (const segment of this.#target.unflushedSegments()) {
      if (segment.syncedSize() < segment.size()) await segment.sync()
    }
    if (!changed) return
    this.#directoryChanged = false
    try {
      await native.syncDirectory(this.#target.directory)
    } catch (error) {
      this.#directoryChanged = true
      throw error
    }
  }

  #fail(cause: unknown): void {
    const failure = new MyKafkaError(
      'LOG_FAILED',
      `${this.#target.directory}: a sync failed, the log takes no writes until it is opened again`,
      { cause },
    )
    this.#failure = failure
    this.#target.failed(failure)
    this.#refuseWaiters(failure)
  }

  #refuseWaiters(error: unknown): void {
    const waiters = this.#waiters
    this.#waiters = []
    for (const waiter of waiters) waiter.reject(error)
  }
}
