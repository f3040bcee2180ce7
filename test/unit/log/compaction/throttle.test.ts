import { describe, expect, it } from 'vitest'
import { Throttle } from '../../../../src/log/compaction/throttle.js'

const { signal } = new AbortController()

function throttle(bytesPerSecond: number) {
  const clock = { ms: 0, sleeps: [] as number[] }
  const made = new Throttle(
    bytesPerSecond,
    () => clock.ms,
    async (ms) => {
      clock.sleeps.push(ms)
      clock.ms += ms
    },
  )
  return { throttle: made, clock }
}

describe('the throttle', () => {
  it('holds work to its rate', async () => {
    const { throttle: slow, clock } = throttle(1000)
    clock.ms = 5000
    for (let i = 0; i < 20; i++) await slow.spent(500, signal)
    // A second's worth was at hand at the beginning.
    expect(clock.ms).toBe(5000 + 9000)
    expect(slow.sleptMs).toBe(9000)
    expect(Math.max(...clock.sleeps)).toBeLessThanOrEqual(1000)
  })

  it('saves up no more than a second', async () => {
    const { throttle: slow, clock } = throttle(1000)
    clock.ms = 1_000_000
    await slow.spent(3000, signal)
    expect(clock.ms).toBe(1_002_000)
  })

  it('does not hold what has no limit', async () => {
    const { throttle: free, clock } = throttle(Number.POSITIVE_INFINITY)
    await free.spent(1e12, signal)
    expect(clock.ms).toBe(0)
  })

  it('ends by its signal', async () => {
    const reason = new Error('stop')
    await expect(new Throttle(1).spent(1e9, AbortSignal.abort(reason))).rejects.toThrow()
  })
})
