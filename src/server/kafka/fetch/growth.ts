import type { PartitionRead } from './partition-read.js'

/**
 * Resolves when so many bytes were appended to the partitions that were read, when one of their logs closes, when the
 * time is over or the signal aborts. What was appended since the read counts.
 */
export function waitForGrowth(
  read: readonly PartitionRead[],
  bytes: number,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let missing = bytes
    const subscriptions: (() => void)[] = []
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      for (const unsubscribe of subscriptions) unsubscribe()
      resolve()
    }
    const grown = (more: number): void => {
      missing -= more
      if (missing <= 0) done()
    }
    const timer = setTimeout(done, timeoutMs)
    signal.addEventListener('abort', done)
    for (const { log, response } of read) {
      if (log === null) continue
      // By how many bytes is not known: the next read tells.
      if (log.closed || log.highWatermark !== response.highWatermark) {
        done()
        return
      }
      subscriptions.push(log.onGrowth(grown))
    }
    if (signal.aborted) done()
  })
}
