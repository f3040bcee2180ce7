/** Those who wait for a log to grow. */
export class TailWaiters {
  readonly #waiters = new Set<() => void>()

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

  wake(): void {
    if (this.#waiters.size === 0) return
    const waiters = [...this.#waiters]
    this.#waiters.clear()
    for (const waiter of waiters) waiter()
  }
}
