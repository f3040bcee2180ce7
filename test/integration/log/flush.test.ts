import { expect, it, vi } from 'vitest'
import { Log } from '../../../src/log/log.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { appendAt, NOW, openTimedLog } from '../../support/timed-log.js'

it('flush.messages syncs after so many records, before the last of them is acknowledged', async () => {
  const log = await openTimedLog(await temporaryDirectory(), { fsync: 'acks', flushMessages: 3 })
  const synced: number[] = []
  for (let i = 0; i < 7; i++) {
    await appendAt(log, NOW)
    synced.push(log.recoveryPoint)
  }
  expect(synced).toEqual([0, 0, 3, 3, 3, 6, 6])
})

it('flush.messages of 1 syncs each append', async () => {
  const log = await openTimedLog(await temporaryDirectory(), { fsync: 'acks', flushMessages: 1 })
  for (let i = 1; i < 5; i++) {
    await appendAt(log, NOW)
    expect(log.recoveryPoint).toBe(i)
  }
})

it('flush.ms syncs what nobody waits for, again and again', async () => {
  const log = await openTimedLog(await temporaryDirectory(), { fsync: 'acks', flushMs: 1 })
  for (let i = 1; i < 4; i++) {
    await appendAt(log, NOW)
    await vi.waitFor(() => expect(log.recoveryPoint).toBe(i))
  }
})

it('with fsync never, neither syncs', async () => {
  const log = await openTimedLog(await temporaryDirectory(), { fsync: 'never', flushMessages: 1, flushMs: 0 })
  await appendAt(log, NOW, NOW)
  // By then it would have been, too.
  const other = await openTimedLog(await temporaryDirectory(), { fsync: 'acks', flushMs: 0 })
  await appendAt(other, NOW)
  await vi.waitFor(() => expect(other.recoveryPoint).toBe(1))
  expect(log.recoveryPoint).toBe(0)
})

it('an embedded log takes both', async () => {
  const log = await Log.open(await temporaryDirectory(), { flushMessages: 2, flushMs: 60_000 })
  await log.append({ value: 'a' })
  expect(log.stats().recoveryPoint).toBe(0)
  await log.append({ value: 'b' })
  expect(log.stats().recoveryPoint).toBe(2)
  await log.close()
  await expect(Log.open(await temporaryDirectory(), { flushMessages: 0 })).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
  })
})
