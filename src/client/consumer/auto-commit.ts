import { type CallOptions, isRetriable } from '../transport.js'
import type { AssignedPartition } from './assigned-partition.js'
import type { TopicPartitionOffset } from './topic-partition.js'

/**
 * The broker forgets what a group has committed `offsets.retention.minutes` behind the commit, where nobody has joined the
 * group, and this consumer joins nothing. So what was committed so long ago is committed again: the least retention is one
 * minute.
 */
const RENEW_MS = 20_000
/** How often it is looked for, where nothing else is to be committed. */
const IDLE_MS = 10_000

export interface AutoCommitOptions {
  readonly intervalMs: number
  readonly partitions: Iterable<AssignedPartition>
  /** Commits what `offsets` gives when its turn comes. */
  readonly commit: (offsets: () => TopicPartitionOffset[], options?: CallOptions) => Promise<void>
}

/** Commits what is done with, at intervals. What was handed out last is not: it may be in the works. */
export class AutoCommit {
  readonly #options: AutoCommitOptions
  #timer: NodeJS.Timeout | null = null
  #dueAt = Number.POSITIVE_INFINITY
  #committing = false
  #closed = false
  #failure: unknown = null

  constructor(options: AutoCommitOptions) {
    this.#options = options
  }

  /** Something more may be done with: it is committed within the interval. */
  touch(): void {
    this.#schedule(this.#options.intervalMs)
  }

  /** Commits now. */
  async now(options?: CallOptions): Promise<void> {
    await this.#options.commit(() => this.#pending(), options)
  }

  get hasFailure(): boolean {
    return this.#failure !== null
  }

  /** Why a commit failed for good, once. */
  takeFailure(): unknown {
    const failure = this.#failure
    this.#failure = null
    return failure
  }

  close(): void {
    this.#closed = true
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #schedule(milliseconds: number): void {
    const at = performance.now() + milliseconds
    if (this.#closed || this.#committing || at >= this.#dueAt) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#dueAt = at
    this.#timer = setTimeout(() => void this.#due(), milliseconds).unref()
  }

  async #due(): Promise<void> {
    this.#committing = true
    try {
      await this.now()
    } catch (error) {
      // One that passes is tried again.
      if (!isRetriable(error)) this.#failure = error
    }
    this.#committing = false
    this.#dueAt = Number.POSITIVE_INFINITY
    const { intervalMs } = this.#options
    const isIdle = this.#failure !== null || this.#pending().length === 0
    this.#schedule(isIdle ? Math.max(intervalMs, IDLE_MS) : intervalMs)
  }

  #pending(): TopicPartitionOffset[] {
    const pending: TopicPartitionOffset[] = []
    const fresh = performance.now() - RENEW_MS
    for (const { topic, partition, done, committed, committedAt } of this.#options.partitions) {
      if (done === null || (done === committed && committedAt > fresh)) continue
      pending.push({ topic, partition, offset: done })
    }
    return pending
  }
}
