import { describe, expect, it } from 'vitest'
import { rises, type Sample, trendOf } from '../../faults/soak/trend.js'
import { seededRandom } from '../../support/seeded-random.js'

const BOUND = { share: 0.05, absolute: 1 }

/** A sample every ten seconds: a value, what it rises by in an hour, noise and peaks. */
function series(hours: number, value: number, perHour: number, seed = 1, begin = 0): Sample[] {
  const random = seededRandom(seed)
  return Array.from({ length: Math.round(hours * 360) }, (_, at) => {
    const peak = random.next() < 0.05 ? value : 0
    return { time: begin + at / 360, value: value + (at / 360) * perHour + random.next() * value * 0.1 + peak }
  })
}

describe('a trend', () => {
  it('is found through noise and peaks', () => {
    const trend = trendOf([series(0.5, 200, 40)])
    expect(trend?.slope).toBeCloseTo(40, -1)
    expect(trend !== null && rises(trend, BOUND)).toBe(true)
  })

  it('is none where a figure stays, or falls', () => {
    for (const perHour of [0, -40]) {
      const trend = trendOf([series(0.5, 200, perHour)])
      expect(trend !== null && rises(trend, BOUND)).toBe(false)
    }
  })

  it('is none where it is within its bound', () => {
    const trend = trendOf([series(1, 200, 5)])
    expect(trend !== null && rises(trend, BOUND)).toBe(false)
  })

  it('is that within each life of a process, not that from one to the next', () => {
    const higherEachTime = [0, 1, 2].map((life) => series(0.3, 200 + life * 100, 0, life, life))
    const grownInEach = [0, 1, 2].map((life) => series(0.3, 200, 60, life, life))
    expect(rises(trendOf(higherEachTime) as NonNullable<ReturnType<typeof trendOf>>, BOUND)).toBe(false)
    expect(rises(trendOf(grownInEach) as NonNullable<ReturnType<typeof trendOf>>, BOUND)).toBe(true)
  })

  it('needs two samples', () => {
    expect(trendOf([[{ time: 0, value: 1 }]])).toBeNull()
  })
})
