import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { LoopShares } from '../../../src/server/loop-shares.js'

function busy(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

it('those that have had their share go on one in a turn, in their order', async () => {
  const shares = new LoopShares()
  const ran: number[] = []
  for (let i = 0; i < 3; i++) {
    shares.later(() => {
      ran.push(i)
      busy(3)
    })
  }
  expect(ran).toEqual([])
  const seen: number[] = []
  while (ran.length < 3) {
    await turn()
    if (seen.at(-1) !== ran.length) seen.push(ran.length)
  }
  expect(ran).toEqual([0, 1, 2])
  expect(seen.filter((count) => count > 0)).toEqual([1, 2, 3])
})
