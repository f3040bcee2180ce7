import type { Logger } from '../logger.js'

/** A disk that takes so long for a sync is worth a line. */
const SLOW_MS = 5_000
/** One line for so long, however many logs wait. */
const QUIET_MS = 30_000

let saidAt = Number.NEGATIVE_INFINITY

/** Runs a sync; where it takes long, the log says so while it does. Whoever waits for it goes on waiting. */
export async function watchSync<T>(logger: Logger, directory: string, sync: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => {
    const now = performance.now()
    if (now - saidAt < QUIET_MS) return
    saidAt = now
    logger.warn({ directory }, `the disk is slow: a sync takes longer than ${SLOW_MS / 1000} s`)
  }, SLOW_MS)
  timer.unref()
  try {
    return await sync()
  } finally {
    clearTimeout(timer)
  }
}
