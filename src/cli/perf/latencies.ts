import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

const MICROSECONDS = 1000

/** Latencies in milliseconds. */
export interface LatencySummary {
  readonly avg: number
  readonly max: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly p999: number
}

/** Keeps latencies with three figures, however many there are. */
export class Latencies {
  readonly #histogram: RecordableHistogram = createHistogram()

  add(milliseconds: number): void {
    this.#histogram.record(Math.max(1, Math.round(milliseconds * MICROSECONDS)))
  }

  reset(): void {
    this.#histogram.reset()
  }

  get summary(): LatencySummary {
    const { count, mean, max } = this.#histogram
    if (count === 0) return { avg: 0, max: 0, p50: 0, p95: 0, p99: 0, p999: 0 }
    const at = (percentile: number): number => this.#histogram.percentile(percentile) / MICROSECONDS
    return { avg: mean / MICROSECONDS, max: max / MICROSECONDS, p50: at(50), p95: at(95), p99: at(99), p999: at(99.9) }
  }
}
