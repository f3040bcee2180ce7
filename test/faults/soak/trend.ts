/** Whether a figure rises: the median of the slopes between all pairs of samples, and how sure that is. */

export interface Sample {
  /** Hours. */
  readonly time: number
  readonly value: number
}

export interface Trend {
  readonly samples: number
  readonly median: number
  /** Per hour: Theil and Sen's. */
  readonly slope: number
  /** Its 95 % interval, by the variance of Kendall's S. */
  readonly low: number
  readonly high: number
}

/** The normal distribution's quantile for 95 %. */
const NORMAL_95 = 1.96

/**
 * The trend within series, each of which begins anew: only samples of one of them are compared, and their slopes and
 * variances are pooled, as in the seasonal Kendall test.
 */
export function trendOf(series: readonly (readonly Sample[])[]): Trend | null {
  const slopes: number[] = []
  let variance = 0
  for (const samples of series) {
    const n = samples.length
    variance += (n * (n - 1) * (2 * n + 5)) / 18
    for (let later = 1; later < n; later++) {
      const { time, value } = samples[later] as Sample
      for (let at = 0; at < later; at++) {
        const before = samples[at] as Sample
        slopes.push((value - before.value) / (time - before.time))
      }
    }
  }
  if (slopes.length === 0) return null
  const sorted = Float64Array.from(slopes).sort()
  const half = (NORMAL_95 * Math.sqrt(variance)) / 2
  const at = (rank: number): number => sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(rank)))] as number
  const middle = sorted.length / 2
  const values = series.flat().map(({ value }) => value)
  return {
    samples: values.length,
    median: medianOf(values),
    slope: at(middle),
    low: at(middle - half - 1),
    high: at(middle + half),
  }
}

/** What a figure may rise by in an hour: the greater of a share of its median and so much. */
export interface Bound {
  readonly share: number
  readonly absolute: number
}

/** It rises where its slope is above the bound, and its interval above zero. */
export function rises({ slope, low, median }: Trend, { share, absolute }: Bound): boolean {
  return low > 0 && slope > Math.max(share * median, absolute)
}

export function medianOf(values: readonly number[]): number {
  return quantileOf(values, 0.5)
}

/** The value below which this part of them lies. */
export function quantileOf(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * part
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN]
  return low + (high - low) * (at - Math.floor(at))
}
