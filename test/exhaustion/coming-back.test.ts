import { appendFile, cp, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { native } from '../../src/native/load.js'
import { DEFAULT_GROUP_SETTINGS } from '../../src/server/group-settings.js'
import { startGroups } from '../../src/server/group-start.js'
import { LogFlushing } from '../../src/topic/log-flushing.js'
import { TopicRegistry } from '../../src/topic/topic-registry.js'
import { openLogs } from '../support/log-manager.js'
import { memoryLogger } from '../support/memory-logger.js'
import { append } from '../support/produce.js'
import { canMount, smallDisk } from '../support/small-disk.js'

it.runIf(canMount)('a partition that a full disk took offline at the start is served when there is room', async () => {
  const disk = await smallDisk(32, 4)
  const first = join(disk.path, 'data')
  const before = await openLogs(first)
  await before.createTopic('t', 2)
  for (const partition of [0, 1]) await append(before.partition('t', partition), 'x')
  const dataDirectory = join(disk.path, 'crashed')
  await cp(first, dataDirectory, { recursive: true })
  await before.close()
  // What a crash tore is put aside, which takes room.
  await appendFile(join(dataDirectory, 't', '0', '00000000000000000000.log'), Buffer.alloc(20_000, 1))
  await disk.fill()

  const logger = memoryLogger()
  const logs = await openLogs(dataDirectory, { logger, flushIntervalMs: 20 })
  const offline = 'a partition is offline: it could not be opened, which is tried again'
  expect(logger.messages('error')).toContain(offline)
  expect(() => logs.partition('t', 0)).toThrow(expect.objectContaining({ code: 'KAFKA_STORAGE_ERROR' }))
  expect(await append(logs.partition('t', 1), 'y')).toBe(1)

  await disk.makeRoom()
  await expect.poll(() => logs.topic('t')?.partitions).not.toContain(null)
  expect(await append(logs.partition('t', 0), 'y')).toBe(1)
  expect(logger.messages('info')).toContain('a partition that was offline is served')
  expect(logger.messages('error').filter((message) => message === offline)).toHaveLength(1)
  await logs.close()
  const again = await openLogs(dataDirectory)
  expect(again.clean).toBe(true)
  await again.close()
})

it.runIf(canMount)('a commit is not ahead of a log that a full disk kept from being opened at the start', async () => {
  const disk = await smallDisk(32, 4)
  const first = join(disk.path, 'data')
  const before = await openLogs(first)
  await before.createTopic('t', 1)
  await before.createTopic('__consumer_offsets', 1)
  for (const value of ['a', 'b', 'c']) await append(before.partition('t', 0), value)
  const groups = await startGroups(before, DEFAULT_GROUP_SETTINGS, memoryLogger())
  await groups.offsets.commit('g', [{ topic: 't', partition: 0, offset: 3, leaderEpoch: -1, metadata: '' }])
  groups.close()
  const dataDirectory = join(disk.path, 'crashed')
  await cp(first, dataDirectory, { recursive: true })
  await before.close()
  // A power loss took two records and left something else in their place.
  const log = join(dataDirectory, 't', '0', '00000000000000000000.log')
  await truncate(log, (await stat(log)).size / 3)
  await appendFile(log, Buffer.alloc(20_000, 1))
  await disk.fill()

  const logs = await openLogs(dataDirectory, { flushIntervalMs: 20 })
  expect(logs.topic('t')?.partitions).toEqual([null])
  const { offsets } = await startGroups(logs, DEFAULT_GROUP_SETTINGS, memoryLogger())
  expect(offsets.committed('g', 't', 0)?.offset).toBe(3)
  await disk.makeRoom()
  await expect.poll(() => logs.topic('t')?.partitions).not.toContain(null)
  expect(logs.partition('t', 0).logEndOffset).toBe(1)
  expect(offsets.committed('g', 't', 0)?.offset).toBe(1)
  await logs.close()
  const again = await openLogs(dataDirectory)
  const loaded = await startGroups(again, DEFAULT_GROUP_SETTINGS, memoryLogger())
  expect(loaded.offsets.committed('g', 't', 0)?.offset).toBe(1)
  await again.close()
})

it('logs that closed files for want of descriptors may open as many again some time later', async () => {
  const usual = native.openFileLimit()
  const flushing = new LogFlushing({
    topics: new TopicRegistry(),
    checkpoints: { write: async () => {} } as never,
    fsync: 'acks',
    intervalMs: 1,
    reopenOffline: async () => {},
    logger: memoryLogger(),
  })
  await flushing.relieveFiles()
  expect(native.openFileLimit()).toBeLessThan(usual)
  flushing.start()
  await expect.poll(() => native.openFileLimit()).toBe(usual)
  flushing.stop()
})
