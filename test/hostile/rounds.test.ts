import { expect, it } from 'vitest'
import { startBroker } from '../support/broker.js'
import { scaled } from '../support/scale.js'
import { loadConversations } from './support/corpus.js'
import { hostileRound, prepare } from './support/hostile-round.js'

it('strangers that say what no client says harm nobody: `npm run faults -- hostile` has more of them', async () => {
  const seed = Number(process.env.MYKAFKA_SEED ?? 1)
  const broker = await startBroker({ maxPartitions: 200, segmentBytes: 1 << 20 })
  await prepare(broker.port)
  const options = { seed, strangers: 4, visits: scaled(6, 400) }
  const accounts = await hostileRound(broker.port, loadConversations(), options)
  for (const account of accounts) expect(account).toMatchObject({ lost: 0, wrong: 0 })
  expect(accounts.every(({ acknowledged }) => acknowledged > 0)).toBe(true)
  expect(broker.logger.lines.filter(({ level }) => level === 'error')).toEqual([])
  await expect.poll(() => broker.broker.connectionCount, { timeout: 30_000 }).toBe(0)
})
