import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Conversions } from '../../../src/server/conversions.js'
import type { RequestPeer } from '../../../src/server/request-router.js'
import { SharedBudget } from '../../../src/server/shared-budget.js'

const listener = { name: 'PLAINTEXT', host: '127.0.0.1', port: 9092 } as RequestPeer['listener']

function peerWith(responseBytes: number, signal = new AbortController().signal): RequestPeer {
  return { host: '127.0.0.1', listener, signal, responseBytes: () => responseBytes }
}

/** Begun by each `run`, ended by `end`. */
class Work {
  readonly given: number[] = []
  readonly #ends: (() => void)[] = []

  readonly begin = (maxBytes: number): Promise<void> => {
    this.given.push(maxBytes)
    return new Promise((resolve) => this.#ends.push(resolve))
  }

  end(): void {
    this.#ends.shift()?.()
  }

  async begun(count: number): Promise<void> {
    while (this.given.length < count) await turn()
    expect(this.given).toHaveLength(count)
  }
}

it('four go on at once, the next when one of them is done', async () => {
  const conversions = new Conversions(new SharedBudget(100))
  const work = new Work()
  const done = Array.from({ length: 9 }, () => conversions.run(peerWith(0), work.begin))
  for (let begun = 4; begun < 9; begun++) {
    await work.begun(begun)
    work.end()
  }
  await work.begun(9)
  for (let i = 0; i < 4; i++) work.end()
  await Promise.all(done)
  expect(work.given).toEqual(Array(9).fill(4 << 20))
})

it('while memory for responses is used up, who has answers in it waits, and others are given little', async () => {
  const responses = new SharedBudget(100)
  const conversions = new Conversions(responses)
  const work = new Work()
  responses.take(100)
  const holder = conversions.run(peerWith(1), work.begin)
  const other = peerWith(0)
  const first = conversions.run(other, work.begin)
  // It has one under way.
  const second = conversions.run(other, work.begin)
  const gone = conversions.run(peerWith(1, AbortSignal.abort()), work.begin)
  expect(work.given).toEqual([64 << 10, 1])
  work.end()
  work.end()
  await Promise.all([first, gone])
  await work.begun(3)
  work.end()
  await second
  expect(work.given).toEqual([64 << 10, 1, 64 << 10])
  responses.give(100)
  await work.begun(4)
  work.end()
  await holder
  expect(work.given.at(-1)).toBe(4 << 20)
})
