/** Hears how many bytes were appended; Infinity when the log closes. It must not throw. */
export type GrowthListener = (bytes: number) => void

/** Those who wait for a log to grow. */
export class TailWaiters {
  readonly #waiters = new Set<() => void>()
  readonly #listeners = new Set<GrowthListener>()

  /** Calls the listener at each append, until the returned function is called. */
  onGrowth(listener: GrowthListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /**
   * Resolves at the next append or when the log closes.
   *
   * @throws the signal's reason when it aborts
   */
  next(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason)
        return
      }
      const abort = (): void => {
        this.#waiters.delete(wake)
        reject(signal?.reason)
      }
      const wake = (): void => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiters.add(wake)
    })
  }

  /** @param bytes - that were appended */
  wake(bytes: number): void {
    for (const listener of this.#listeners) listener(bytes)
    if (this.#waiters.size === 0) return
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    for (const waiter of waiters) waiter()
  }
}
