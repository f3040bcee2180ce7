import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Slots } from '../../../src/server/slots.js'

it('lets so many go on at once, and the others in their order as slots are given back', async () => {
  const slots = new Slots(2)
  const taken: number[] = []
  const gives: (() => void)[] = []
  const all = Promise.all(
    [0, 1, 2, 3, 4].map(async (i) => {
      gives.push(await slots.take())
      taken.push(i)
    }),
  )
  await turn()
  expect(taken).toEqual([0, 1])
  for (let i = 0; i < 3; i++) {
    gives[i]?.()
    await turn()
    expect(taken).toEqual([0, 1, 2, 3, 4].slice(0, 3 + i))
  }
  await all
  // Two are out: when both are back, two may go on again.
  for (const give of gives.slice(3)) give()
  await Promise.all([slots.take(), slots.take()])
  let third = false
  void slots.take().then(() => {
    third = true
  })
  await turn()
  expect(third).toBe(false)
})
