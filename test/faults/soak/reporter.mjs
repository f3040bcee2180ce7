// Preloaded into the broker of a soak, whose code knows nothing of it: tells its figures in a file, a line each time.
import { appendFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

const { MYKAFKA_SOAK_FIGURES: file, MYKAFKA_SOAK_INTERVAL_MS: interval } = process.env
const RESOLUTION_MS = 5

if (file !== undefined) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  // What it measures is the time from one tick to the next.
  const milliseconds = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
  setInterval(() => {
    const { rss, heapUsed, external } = process.memoryUsage()
    const loopP99 = milliseconds(delays.percentile(99))
    delays.reset()
    appendFileSync(file, `${JSON.stringify({ pid: process.pid, rss, heapUsed, external, loopP99 })}\n`)
  }, Number(interval)).unref()
}
