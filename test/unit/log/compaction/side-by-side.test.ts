import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { sideBySide } from '../../../../src/log/compaction/side-by-side.js'

const numbers = Array.from({ length: 100 }, (_, i) => i)

describe('work side by side', () => {
  it('gives the results in the order of the items, whichever is done first', async () => {
    const results = await sideBySide(numbers, async (n, index) => {
      for (let turns = n % 5; turns > 0; turns--) await setImmediate()
      return [n, index]
    })
    expect(results).toEqual(numbers.map((n) => [n, n]))
  })

  it('goes on with two at once at the most', async () => {
    let running = 0
    let most = 0
    await sideBySide(numbers, async () => {
      most = Math.max(most, ++running)
      await setImmediate()
      running--
    })
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(2)
  })

  it('leaves the others where it is enough, but never all of them', async () => {
    let sum = 0
    const add = async (n: number): Promise<number> => {
      await setImmediate()
      sum += n
      return n
    }
    const results = await sideBySide(numbers, add, () => sum < 100)
    expect(results).toEqual(numbers.slice(0, results.length))
    expect(sum).toBeGreaterThanOrEqual(100)
    expect(results.length).toBeLessThan(20)
    expect(await sideBySide(numbers, add, () => false)).toEqual([0])
    expect(await sideBySide([], add)).toEqual([])
  })

  it('lets the event loop turn beside work on its own thread', async () => {
    let turns = 0
    let ended = false
    const counting = (async () => {
      while (!ended) {
        await setImmediate()
        turns++
      }
    })()
    await sideBySide(numbers.slice(0, 10), async () => {
      for (const start = performance.now(); performance.now() - start < 3; );
    })
    ended = true
    await counting
    expect(turns).toBeGreaterThan(5)
  })

  it('ends with the first failure', async () => {
    const failing = sideBySide(numbers, async (n) => {
      await setImmediate()
      if (n >= 10) throw new Error(`number ${n}`)
    })
    await expect(failing).rejects.toThrow('number 10')
  })
})
