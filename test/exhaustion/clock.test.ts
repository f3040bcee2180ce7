import { afterEach, expect, it, vi } from 'vitest'
import { encodePacked } from '../../src/log/record-codec.js'
import { native } from '../../src/native/load.js'
import { DEFAULT_GROUP_SETTINGS } from '../../src/server/group-settings.js'
import { startGroups } from '../../src/server/group-start.js'
import { startBroker } from '../support/broker.js'
import { openLogs } from '../support/log-manager.js'
import { memoryLogger } from '../support/memory-logger.js'
import { temporaryDirectory } from '../support/temporary.js'

const TEN_DAYS_MS = 10 * 24 * 3_600_000

afterEach(() => {
  vi.restoreAllMocks()
})

function setClock(byMs: number): void {
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + byMs)
}

it('a connection is idle by the time that passes, whatever the clock is set to', async () => {
  const broker = await startBroker({ maxIdleMs: 100 })
  const peer = await broker.connect()
  setClock(-TEN_DAYS_MS)
  await peer.closed
})

it('offsets of groups do not expire by a clock that was set forward', async () => {
  const logger = memoryLogger()
  const logs = await openLogs(await temporaryDirectory(), { logger })
  await logs.createTopic('t', 1)
  const groups = await startGroups(logs, DEFAULT_GROUP_SETTINGS, logger)
  await groups.offsets.commit('g', [{ topic: 't', partition: 0, offset: 0, leaderEpoch: -1, metadata: '' }])
  setClock(TEN_DAYS_MS)
  await groups.admin.expireOffsets()
  expect(groups.offsets.committed('g', 't', 0)?.offset).toBe(0)
  expect(logger.messages('warn')).toEqual([expect.stringContaining('the clock was set forward')])
  groups.close()
})

it('producers are not forgotten by a clock that was set forward: what they send again is known', async () => {
  const logs = await openLogs(await temporaryDirectory())
  const log = (await logs.createTopic('t', 1)).partitions[0]
  const records = encodePacked([{ key: null, value: 'x' }])
  const batch = { records, count: 1, timestamp: 1, storedLength: native.checkPacked(records, 1) }
  const producer = { producerId: 1, producerEpoch: 0, baseSequence: 0, recordCount: 1 }
  expect(await log?.append([batch], 1, producer)).toEqual({ baseOffset: 0, count: 1 })
  setClock(TEN_DAYS_MS)
  const laterThanCheck = performance.now() + 700_000
  vi.spyOn(performance, 'now').mockReturnValue(laterThanCheck)
  expect(await log?.append([batch], 1, producer)).toEqual({ baseOffset: 0, count: 1, duplicate: true })
})
