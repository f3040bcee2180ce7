import { afterEach, expect, it, vi } from 'vitest'
import { inSteps, LoopTurns } from '../../src/loop-turns.js'
import { inTurns, sideBySideInTurns } from '../../src/server/kafka/in-turns.js'
import { turnsDuring } from '../support/loop-turns.js'

afterEach(() => void vi.restoreAllMocks())

const MANY = Array.from({ length: 400 }, (_, i) => i)
const double = (item: number): number => item * 2

/** Each look at the clock is a millisecond behind the one before. */
function everythingTakesTime(): void {
  let now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => ++now)
}

it('the loop turns between two steps, and one of all who have more of them goes on in each', async () => {
  expect(inSteps(() => true)).toBeUndefined()
  const steps: number[] = []
  const threeSteps = (): undefined | Promise<void> => {
    let left = 3
    return inSteps(() => steps.push(--left) > 0 && left === 0)
  }
  const { turns } = await turnsDuring(() => Promise.all([threeSteps(), threeSteps()]))
  // The first of each at once.
  expect(steps).toEqual([2, 2, 1, 1, 0, 0])
  expect(turns).toBeGreaterThanOrEqual(4)
})

it('what takes its time lets the loop turn, what is done at once does not', async () => {
  const goThrough = async (): Promise<void> => {
    const turns = new LoopTurns()
    for (const _ of MANY) await turns.next()
  }
  vi.spyOn(performance, 'now').mockReturnValue(0)
  expect((await turnsDuring(goThrough)).turns).toBe(0)
  everythingTakesTime()
  expect((await turnsDuring(goThrough)).turns).toBeGreaterThan(50)
})

it('the few things that a request names are done at once, thousands in turns, and in their order', async () => {
  everythingTakesTime()
  expect(inTurns(MANY.slice(0, 256), double)).toEqual(MANY.slice(0, 256).map(double))
  for (const work of [() => inTurns(MANY, double), () => sideBySideInTurns(MANY, async (item) => double(item))]) {
    const { turns, result } = await turnsDuring(work)
    expect(result).toEqual(MANY.map(double))
    expect(turns).toBeGreaterThan(50)
  }
})
