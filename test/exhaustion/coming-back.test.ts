import { appendFile, cp } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { native } from '../../src/native/load.js'
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
