/** What a soak is held against: no figure rises. */
import type { SoakResult, SoakSample } from './soak.js'
import { type Bound, rises, type Trend, trendOf } from './trend.js'

const HOUR_MS = 3_600_000
const MEBIBYTE = 1 << 20
/**
 * The beginning of each process does not count: code is compiled, buffers and caches fill, V8 takes its pages. At the most
 * a third of it.
 */
export const WARM_UP_MS = 900_000
/** Less than this behind the warm-ups tells nothing. */
export const LEAST_MS = 600_000

export interface Figure {
  readonly name: string
  readonly unit: string
  readonly bound: Bound
  of(sample: SoakSample): number
}

/** What each may rise by in an hour. */
export const FIGURES: readonly Figure[] = [
  { name: 'RSS', unit: 'MiB', bound: { share: 0.05, absolute: 8 }, of: ({ rss }) => rss / MEBIBYTE },
  { name: 'heap', unit: 'MiB', bound: { share: 0.1, absolute: 4 }, of: ({ heapUsed }) => heapUsed / MEBIBYTE },
  { name: 'external', unit: 'MiB', bound: { share: 0.1, absolute: 4 }, of: ({ external }) => external / MEBIBYTE },
  { name: 'fds', unit: '', bound: { share: 0.02, absolute: 2 }, of: ({ descriptors }) => descriptors },
  { name: 'mappings', unit: '', bound: { share: 0.02, absolute: 4 }, of: ({ mappings }) => mappings },
  {
    name: 'of indexes',
    unit: '',
    bound: { share: 0.02, absolute: 4 },
    of: ({ indexMappings }) => indexMappings,
  },
  { name: 'code', unit: 'MiB', bound: { share: 0.2, absolute: 2 }, of: ({ code }) => code / MEBIBYTE },
  { name: 'loop p99', unit: 'ms', bound: { share: 0.2, absolute: 2 }, of: ({ loopP99 }) => loopP99 },
  { name: 'probe p50', unit: 'ms', bound: { share: 0.2, absolute: 1 }, of: ({ latencies }) => latencies.p50 },
  { name: 'probe p99', unit: 'ms', bound: { share: 0.3, absolute: 5 }, of: ({ latencies }) => latencies.p99 },
]

export interface FigureVerdict {
  readonly figure: Figure
  readonly trend: Trend
  readonly rises: boolean
}

export interface SoakVerdict {
  /** Null: the soak was too short to tell. */
  readonly figures: readonly FigureVerdict[] | null
  /** What broke it; none: it holds. */
  readonly failures: readonly string[]
}

export function judge({ samples, faults }: SoakResult): SoakVerdict {
  const lives = livesOf(samples)
  const measured = lives.reduce((sum, life) => sum + spanOf(life), 0)
  if (measured < LEAST_MS) return { figures: null, failures: faults }
  const figures = FIGURES.flatMap((figure) => {
    const series = lives.map((life) =>
      life
        .map((sample) => ({ time: sample.milliseconds / HOUR_MS, value: figure.of(sample) }))
        .filter(({ value }) => Number.isFinite(value)),
    )
    const trend = trendOf(series)
    return trend === null ? [] : [{ figure, trend, rises: rises(trend, figure.bound) }]
  })
  const risen = figures
    .filter((each) => each.rises)
    .map(({ figure, trend }) => `${figure.name} rises by ${trend.slope.toFixed(2)} ${figure.unit} an hour`)
  return { figures, failures: [...faults, ...risen] }
}

/** The samples of each process behind its warm-up. */
function livesOf(samples: readonly SoakSample[]): SoakSample[][] {
  const lives = new Map<number, SoakSample[]>()
  for (const sample of samples) lives.set(sample.life, [...(lives.get(sample.life) ?? []), sample])
  return [...lives.values()].map((life) => {
    const warmUp = Math.min(WARM_UP_MS, (life.at(-1)?.ageMs ?? 0) / 3)
    return life.filter(({ ageMs }) => ageMs >= warmUp)
  })
}

function spanOf(life: readonly SoakSample[]): number {
  return (life.at(-1)?.ageMs ?? 0) - (life[0]?.ageMs ?? 0)
}
