import { MAX_TIMER } from '../options.js'
import { abortError, onAbort } from '../transport.js'

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
        stopListening?.()
        this.#wake = null
      }
      this.#wake = () => {
        end()
        resolve()
      }
      const timer = setTimeout(this.#wake, Math.min(Math.max(milliseconds, 0), MAX_TIMER))
      const stopListening =
        signal &&
        onAbort(signal, () => {
          end()
          reject(abortError(signal, what))
        })
    })
  }
}
