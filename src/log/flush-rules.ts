import type { LogConfig } from './log-config.js'

export interface FlushRulesOptions {
  config(): LogConfig
  /** Below it everything is on the disk. */
  flushedOffset(): number
  /** Brings all that is appended to the disk. A failure is reported by the log. */
  flush(): Promise<void>
}

const LONGEST_TIMER_MS = 2147483647

/** When a log is synced though nobody asks for it: `flush.messages` and `flush.ms`. */
export class FlushRules {
  readonly #options: FlushRulesOptions
  #timer: NodeJS.Timeout | undefined

  constructor(options: FlushRulesOptions) {
    this.#options = options
  }

  /** Whether an append that ends below this offset has to wait for the disk, as the last of so many records. */
  isDue(endOffset: number): boolean {
    const { fsync, flushMessages } = this.#options.config()
    return fsync !== 'never' && endOffset - this.#options.flushedOffset() >= flushMessages
  }

  /** Something was appended: it is synced when its time is over. */
  appended(): void {
    const { fsync, flushMs } = this.#options.config()
    if (this.#timer !== undefined || fsync === 'never' || flushMs > LONGEST_TIMER_MS) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#options.flush().catch(() => {})
    }, flushMs)
    this.#timer.unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
