import { abortError } from '../transport.js'

/**
 * Runs under several signals: each of them aborts the one that it gets. Nothing of it is left at them behind the end, as is
 * of AbortSignal.any: they may live as long as the program.
 */
export async function underSignals<T>(
  signals: readonly (AbortSignal | undefined)[],
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const undo: (() => void)[] = []
  for (const signal of signals) {
    if (signal === undefined) continue
    const abort = (): void => ending.abort(abortError(signal))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    undo.push(() => signal.removeEventListener('abort', abort))
  }
  try {
    return await run(ending.signal)
  } finally {
    for (const each of undo) each()
  }
}
