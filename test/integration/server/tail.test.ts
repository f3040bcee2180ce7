import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { testRandom } from '../../support/random.js'
import { readStoredEntries } from '../../support/stored-format.js'

const PRODUCERS = 3
const CONSUMERS = 5
const EACH = 400

it('consumers at the tail see every record once and in order, while segments roll', async () => {
  const random = testRandom()
  const broker = await startBroker({ segmentBytes: 64 << 10, indexIntervalBytes: 512 })
  await (await broker.connect()).call(frames.createTopic('t', 1))
  const acknowledged = new Map<number, string>()

  const produce = async (producer: number): Promise<void> => {
    const peer = await broker.connect()
    for (let sent = 0; sent < EACH; ) {
      const batch = Array.from({ length: random.integer(1, 8) }, (_, i) => {
        const filler = 'x'.repeat(random.pick([0, 10, 500, 3000, 20_000]))
        return { key: `${producer}.${sent + i}`, value: filler }
      })
      const { errorCode, baseOffset } = frames.readProduced(await peer.call(frames.produce('t', 0, batch)))
      expect(errorCode).toBe(0)
      for (const [i, { key }] of batch.entries()) acknowledged.set(baseOffset + i, key)
      sent += batch.length
      if (random.next() < 0.1) await delay(1)
    }
  }
  let producing = true
  const consume = async (): Promise<string[]> => {
    const peer = await broker.connect()
    const seen: string[] = []
    for (;;) {
      const last = !producing
      const maxBytes = random.pick([1, 1000, 50_000, 1 << 20])
      const { errorCode, count, records } = frames.readFetched(
        await peer.call(frames.fetch('t', 0, seen.length, maxBytes)),
      )
      expect(errorCode).toBe(0)
      const entries = readStoredEntries(records)
      expect(entries.length).toBe(count)
      for (const { offset, key } of entries) {
        expect(Number(offset)).toBe(seen.length)
        seen.push(String(key))
      }
      if (count === 0 && last) return seen
    }
  }
  const consumers = Promise.all(Array.from({ length: CONSUMERS }, consume))
  await Promise.all(Array.from({ length: PRODUCERS }, (_, i) => produce(i)))
  producing = false
  const log = Array.from({ length: acknowledged.size }, (_, offset) => acknowledged.get(offset))
  for (const seen of await consumers) expect(seen).toEqual(log)
  for (let producer = 0; producer < PRODUCERS; producer++) {
    const own = log.filter((key) => key?.startsWith(`${producer}.`))
    expect(own).toEqual(own.map((_, i) => `${producer}.${i}`))
  }
})
