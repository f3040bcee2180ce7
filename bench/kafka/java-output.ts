/** Reads what Apache Kafka's performance tools print. */

/** Milliseconds. */
export interface Percentiles {
  readonly p50: number
  readonly p99: number
  readonly p999: number
}

interface Interval {
  readonly records: number
  readonly seconds: number
}

/** Records per second by the lines of ProducerPerformance that lie behind the warm-up. */
export function recordsPerSecondOf(output: string, warmupSeconds: number): number {
  const lines = output.matchAll(/^(\d+) records sent, ([\d.]+) records\/sec .*max latency\.$/gm)
  const intervals = [...lines].map(([, records, rate]) => {
    return { records: Number(records), seconds: Number(records) / Number(rate) }
  })
  return rateBehind(intervals, warmupSeconds, output)
}

/** By the detailed lines of ConsumerPerformance: records per second behind the warm-up, and all records. */
export function consumed(output: string, warmupSeconds: number): { recordsPerSecond: number; records: number } {
  const lines = [...output.matchAll(/^(\S+) (\d+:\d+:\d+):(\d+), \d+, [\d.]+, [\d.]+, (\d+),/gm)]
  const points = lines.map(([, date, time, ms, records]) => {
    return { at: Date.parse(`${date}T${time}.${ms}Z`) / 1000, records: Number(records) }
  })
  const intervals = points.slice(1).map(({ at, records }, i) => {
    const { at: before, records: had } = points[i] as { at: number; records: number }
    return { records: records - had, seconds: at - before }
  })
  return { recordsPerSecond: rateBehind(intervals, warmupSeconds, output), records: points.at(-1)?.records ?? 0 }
}

/** The percentiles of ProducerPerformance behind its warm-up records. Whole milliseconds are all that it tells. */
export function steadyPercentiles(output: string): Percentiles {
  const found = /steady state records sent.* (\d+) ms 50th, \d+ ms 95th, (\d+) ms 99th, (\d+) ms 99\.9th/.exec(output)
  if (found === null) throw new Error(`no percentiles in:\n${output}`)
  return { p50: Number(found[1]), p99: Number(found[2]), p999: Number(found[3]) }
}

function rateBehind(intervals: readonly Interval[], warmupSeconds: number, output: string): number {
  let passed = 0
  let records = 0
  let seconds = 0
  for (const interval of intervals) {
    if (passed >= warmupSeconds) {
      records += interval.records
      seconds += interval.seconds
    }
    passed += interval.seconds
  }
  if (seconds === 0) throw new Error(`nothing behind the warm-up of ${warmupSeconds} s in:\n${output}`)
  return records / seconds
}
