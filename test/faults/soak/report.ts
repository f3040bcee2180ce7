/** A soak as a page: what it did, whether it holds and by which rule, and the figures over time. */
import type { SoakResult, SoakSample } from './soak.js'
import { FIGURES, LEAST_MS, type SoakVerdict, WARM_UP_MS } from './verdict.js'

const MINUTE_MS = 60_000
/** Rows of the table over time, at the most: the median of the samples between. */
const ROWS = 48

export interface About {
  readonly date: string
  readonly commit: string
  readonly minutes: number
  readonly seed: number
  readonly machine: string
}

export function reportOf(about: About, result: SoakResult, verdict: SoakVerdict): string {
  const ends = result.ends.map(({ milliseconds, how }) => `${how} at ${minute(milliseconds)}`).join(', ')
  return `# Soak of ${about.date}

\`npm run soak -- --minutes ${about.minutes} --seed ${about.seed}\` on ${about.commit}. ${about.machine}

Mixed load over both wires by kafkajs, \`mykafka/client\` and bare connections: idempotent, plain and compressed producers,
groups with members that come and go, commits, compaction, retention, topics that are made and deleted, idle and vanishing
connections. The processes ended by ${ends} (minutes).

**${verdict.failures.length === 0 ? (verdict.figures === null ? 'Nothing failed; too short for a verdict on trends.' : 'Flat.') : 'Fails.'}**
${verdict.failures.map((failure) => `- ${failure}`).join('\n')}

## Trends

A figure rises where the median of the slopes between all pairs of samples of one process (Theil–Sen) is above its bound
and the 95 % interval of that median, by the variance of Kendall's S added up over the processes, is above zero. The first
${WARM_UP_MS / MINUTE_MS} minutes of each process, or a third of it, do not count. Less than ${LEAST_MS / MINUTE_MS} minutes tell nothing.

${trendTable(verdict)}

## Over time

${timeTable(result.samples)}

## What got done

${table(
  ['who', 'times'],
  Object.entries(result.progress).map(([who, times]) => [who, String(times)]),
)}

Calls that failed, most of them while the broker was away:

${table(
  ['who, how', 'times'],
  Object.entries(result.failures).map(([what, times]) => [what, String(times)]),
)}
`
}

function trendTable({ figures }: SoakVerdict): string {
  if (figures === null) return 'Too short.'
  return table(
    ['figure', 'samples', 'median', 'slope an hour', '95 % interval', 'may rise by', ''],
    figures.map(({ figure: { name, unit, bound }, trend, rises }) => [
      name,
      String(trend.samples),
      `${trend.median.toFixed(1)} ${unit}`.trim(),
      trend.slope.toFixed(2),
      `${trend.low.toFixed(2)} to ${trend.high.toFixed(2)}`,
      Math.max(bound.share * trend.median, bound.absolute).toFixed(1),
      rises ? 'rises' : 'flat',
    ]),
  )
}

function timeTable(samples: readonly SoakSample[]): string {
  const step = Math.max(1, Math.ceil(samples.length / ROWS))
  const rows: string[][] = []
  for (let at = 0; at < samples.length; at += step) {
    const some = samples.slice(at, at + step)
    const first = some[0] as SoakSample
    const medians = FIGURES.map((figure) => middleOf(some.map((sample) => figure.of(sample))))
    rows.push([minute(first.milliseconds), String(first.life + 1), ...medians.map((value) => value.toFixed(1))])
  }
  const names = FIGURES.map(({ name, unit }) => (unit === '' ? name : `${name}, ${unit}`))
  return table(['minute', 'process', ...names], rows)
}

function middleOf(values: readonly number[]): number {
  const sorted = values.filter(Number.isFinite).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function minute(milliseconds: number): string {
  return (milliseconds / MINUTE_MS).toFixed(1)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
