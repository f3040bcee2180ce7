import { abortError } from '../transport.js'

const MAX_TIMER = 0x7fffffff

/** One that waits for something to happen, at most. */
export class WakeUp {
  #wake: (() => void) | null = null

  /** Wakes who waits, if one does. */
  wake(): void {
    this.#wake?.()
  }

  /**
   * Resolves when it is woken or the time is over, in a later turn of the event loop.
   *
   * @throws MyKafkaError ABORTED by the signal
   */
  wait(milliseconds: number, signal: AbortSignal | undefined, what: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(abortError(signal, what))
        return
      }
      const end = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', aborted)
        this.#wake = null
      }
      const aborted = (): void => {
        end()
        reject(abortError(signal as AbortSignal, what))
      }
      this.#wake = () => {
        end()
        resolve()
      }
      const timer = setTimeout(this.#wake, Math.min(Math.max(milliseconds, 0), MAX_TIMER))
      signal?.addEventListener('abort', aborted)
    })
  }
}
