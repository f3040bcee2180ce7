import { jsonLine } from '../listing.js'
import { Output } from '../output.js'
import { Latencies, type LatencySummary } from './latencies.js'

const INTERVAL_MS = 5000
const MB = 1 << 20

/** What was done in a time. */
export interface Figures {
  readonly records: number
  readonly bytes: number
  readonly seconds: number
  readonly recordsPerSecond: number
  /** Of 2^20 bytes, as Kafka's tools have them. */
  readonly mbPerSecond: number
  readonly latencyMs: LatencySummary
}

class Count {
  readonly latencies = new Latencies()
  records = 0
  bytes = 0
  startedAt = performance.now()

  get figures(): Figures {
    const { records, bytes } = this
    const seconds = (performance.now() - this.startedAt) / 1000
    const per = (amount: number): number => (seconds > 0 ? amount / seconds : 0)
    const latencyMs = this.latencies.summary
    return { records, bytes, seconds, recordsPerSecond: per(records), mbPerSecond: per(bytes / MB), latencyMs }
  }

  restart(): void {
    this.latencies.reset()
    this.records = 0
    this.bytes = 0
    this.startedAt = performance.now()
  }
}

/** Counts what a perf tool does, and prints a line every five seconds. */
export class Meter {
  readonly #what: { readonly done: string; readonly latency: string }
  readonly #json: boolean
  readonly #output = new Output()
  readonly #total = new Count()
  readonly #interval = new Count()
  readonly #timer: NodeJS.Timeout
  #printed: Promise<void> = Promise.resolve()

  constructor(what: { done: string; latency: string }, json: boolean) {
    this.#what = what
    this.#json = json
    this.#timer = setInterval(() => this.#progress(), INTERVAL_MS)
  }

  get records(): number {
    return this.#total.records
  }

  add(records: number, bytes: number): void {
    for (const count of [this.#total, this.#interval]) {
      count.records += records
      count.bytes += bytes
    }
  }

  latency(milliseconds: number): void {
    this.#total.latencies.add(milliseconds)
    this.#interval.latencies.add(milliseconds)
  }

  /** Prints the figures of all of it. */
  async finish(): Promise<void> {
    clearInterval(this.#timer)
    const { figures } = this.#total
    await this.#printed
    await this.#output.write(this.#json ? rounded('total', figures) : `${this.#text(figures, true)}\n`)
  }

  #progress(): void {
    const { figures } = this.#interval
    this.#interval.restart()
    const line = this.#json ? rounded('interval', figures) : `${this.#text(figures, false)}\n`
    this.#printed = this.#printed.then(() => this.#output.write(line))
    // It is told by finish.
    this.#printed.catch(() => {})
  }

  #text({ records, recordsPerSecond, mbPerSecond, latencyMs }: Figures, all: boolean): string {
    const { avg, max, p50, p95, p99, p999 } = latencyMs
    const { done, latency } = this.#what
    const rates = `${recordsPerSecond.toFixed(1)} records/sec (${mbPerSecond.toFixed(2)} MB/sec)`
    const times = `${avg.toFixed(2)} ms avg ${latency}, ${max.toFixed(2)} ms max ${latency}`
    const percentiles = [p50, p95, p99, p999].map((value, i) => `${value.toFixed(2)} ms ${PERCENTILES[i]}`)
    return `${records} records ${done}, ${rates}, ${times}${all ? `, ${percentiles.join(', ')}` : ''}.`
  }
}

const PERCENTILES = ['50th', '95th', '99th', '99.9th']

/** Three decimals are all that is measured. */
function rounded(of: 'interval' | 'total', figures: Figures): string {
  const round = (value: number): number => Math.round(value * 1000) / 1000
  const latencies = Object.entries(figures.latencyMs).map(([name, value]) => [name, round(value)])
  return jsonLine({
    of,
    ...figures,
    seconds: round(figures.seconds),
    recordsPerSecond: round(figures.recordsPerSecond),
    mbPerSecond: round(figures.mbPerSecond),
    latencyMs: Object.fromEntries(latencies),
  })
}
