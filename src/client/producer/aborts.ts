import { abortError, onAbort } from '../transport.js'
import { PendingSend } from './pending-send.js'

interface Watched {
  readonly sends: Set<PendingSend>
  readonly stopListening: () => void
}

/** Rejects sends whose signal aborts. However many there are, a signal has one listener. */
export class Aborts {
  readonly #bySignal = new Map<AbortSignal, Watched>()

  /** A send that ends when the signal aborts. @throws MyKafkaError ABORTED where it has aborted already */
  watch(signal: AbortSignal): PendingSend {
    if (signal.aborted) throw abortError(signal)
    const send = new PendingSend()
    const { sends } = this.#bySignal.get(signal) ?? this.#listen(signal)
    sends.add(send)
    send.onSettled = () => {
      sends.delete(send)
      if (sends.size === 0) this.#forget(signal)
    }
    return send
  }

  #listen(signal: AbortSignal): Watched {
    const sends = new Set<PendingSend>()
    const stopListening = onAbort(signal, () => {
      const error = abortError(signal)
      for (const send of [...sends]) send.reject(error)
    })
    const watched = { sends, stopListening }
    this.#bySignal.set(signal, watched)
    return watched
  }

  #forget(signal: AbortSignal): void {
    this.#bySignal.get(signal)?.stopListening()
    this.#bySignal.delete(signal)
  }
}
