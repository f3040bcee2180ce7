import { type CallOptions, isRetriable } from '../transport.js'
import type { AssignedPartition } from './assigned-partition.js'
import type { TopicPartitionOffset } from './topic-partition.js'

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
  #closed = false
  #failure: unknown = null

  constructor(options: AutoCommitOptions) {
    this.#options = options
  }

  /** Something more may be done with: it is committed within the interval. */
  touch(): void {
    if (this.#closed || this.#timer !== null) return
    this.#timer = setTimeout(() => this.#due(), this.#options.intervalMs).unref()
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

  #due(): void {
    this.now()
      .catch((error: unknown) => {
        // The next one comes with the next interval.
        if (!isRetriable(error)) this.#failure = error
      })
      .finally(() => {
        this.#timer = null
        if (this.#failure === null && this.#pending().length > 0) this.touch()
      })
  }

  #pending(): TopicPartitionOffset[] {
    const pending: TopicPartitionOffset[] = []
    for (const { topic, partition, done, committed } of this.#options.partitions) {
      if (done !== null && done !== committed) pending.push({ topic, partition, offset: done })
    }
    return pending
  }
}
