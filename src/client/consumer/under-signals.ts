import { abortError, onAbort } from '../transport.js'

/**
 * Runs under several signals: each of them aborts the one that it gets. Nothing of it is left at them behind the end, as is
 * of AbortSignal.any: they may live as long as the program.
 */
export async function underSignals<T>(
  signals: readonly (AbortSignal | undefined)[],
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const listening = signals.map((signal) => signal && onAbort(signal, () => ending.abort(abortError(signal))))
  try {
    return await run(ending.signal)
  } finally {
    for (const stopListening of listening) stopListening?.()
  }
}
