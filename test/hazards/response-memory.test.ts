import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { ResponsePart } from '../../src/server/response-part.js'
import { ResponseQueue } from '../../src/server/response-queue.js'
import { SharedBudget } from '../../src/server/shared-budget.js'
import { connectedSockets, readBytes } from '../support/connected-sockets.js'
import { type CountedSlice, FilledSegment } from '../support/filled-segment.js'
import { testRandom } from '../support/random.js'

const MEGABYTES = 8

describe.each([true, false])('with zeroCopy %s', (zeroCopy) => {
  it('all memory is given back and every slice is let go, however the connections end', async () => {
    const random = testRandom()
    const file = await FilledSegment.make(MEGABYTES)
    const budget = new SharedBudget(1 << 30)
    const slices: CountedSlice[] = []
    const part = (): ResponsePart => {
      const length = random.pick([0, 10, 5000, 20_000, 300_000, 2_000_000])
      if (random.next() < 0.5) return Buffer.alloc(length)
      const slice = file.slice(random.integer(0, (MEGABYTES << 20) - length), length)
      slices.push(slice)
      return slice
    }
    const converse = async (): Promise<void> => {
      const { server, client } = await connectedSockets()
      const stallTimeoutMs = random.pick([20, 30_000])
      const queue = new ResponseQueue(server, {
        zeroCopy,
        stallTimeoutMs,
        maxBytesHeld: 1 << 20,
        maxPending: 100,
        budget,
      })
      const slots = Array.from({ length: random.integer(1, 12) }, () => queue.reserve())
      const answer = async (): Promise<void> => {
        for (const slot of slots) {
          slot.fill(Array.from({ length: random.integer(0, 3) }, part))
          if (random.next() < 0.3) await delay(random.integer(0, 3))
        }
      }
      const end = async (): Promise<void> => {
        await delay(random.integer(0, 15))
        const how = random.integer(0, 4)
        if (how === 0) client.resetAndDestroy()
        if (how === 1) client.destroy()
        if (how === 2) queue.destroy()
        if (how === 3) server.destroy()
        if (how === 4) {
          queue.end()
          await readBytes(client)
          client.end()
          server.resume()
        }
      }
      await Promise.all([answer(), end()])
      // What stalls or was reset shows when it is written to.
      queue.destroy()
      client.destroy()
    }
    for (let round = 0; round < 12; round++) await Promise.all(Array.from({ length: 10 }, converse))
    await expect.poll(() => budget.held).toBe(0)
    expect(slices.length).toBeGreaterThan(100)
    expect(slices.filter(({ released }) => released !== 1)).toEqual([])
  })
})
