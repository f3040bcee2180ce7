/** Hears how many bytes were appended; Infinity when the log closes. It must not throw. */
export type GrowthListener = (bytes: number) => void

/** Those who wait for a log to grow. */
export class TailWaiters {
  // Null while there are none: most logs are waited for by nobody.
  #waiters: Set<() => void> | null = null
  #listeners: Set<GrowthListener> | null = null

  /** Calls the listener at each append, until the returned function is called. */
  onGrowth(listener: GrowthListener): () => void {
    this.#listeners ??= new Set()
    this.#listeners.add(listener)
    return () => {
      this.#listeners?.delete(listener)
      if (this.#listeners?.size === 0) this.#listeners = null
    }
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
        this.#waiters?.delete(wake)
        reject(signal?.reason)
      }
      const wake = (): void => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#waiters ??= new Set()
      this.#waiters.add(wake)
    })
  }

  /** @param bytes - that were appended */
  wake(bytes: number): void {
    if (this.#listeners !== null) for (const listener of this.#listeners) listener(bytes)
    if (this.#waiters === null) return
    const waiters = this.#waiters
    this.#waiters = null
    for (const waiter of waiters) waiter()
  }
}
