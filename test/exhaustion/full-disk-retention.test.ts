import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { crashedCopy } from '../support/crashed-copy.js'
import { openLogs } from '../support/log-manager.js'
import { memoryLogger } from '../support/memory-logger.js'
import { append } from '../support/produce.js'
import { canMount, smallDisk } from '../support/small-disk.js'

const VALUE = 'v'.repeat(100_000)

describe.runIf(canMount)('retention on a full disk', () => {
  it('makes room, though it can write nothing before', async () => {
    const disk = await smallDisk(24, 1)
    const dataDirectory = join(disk.path, 'data')
    const logger = memoryLogger()
    // Behind a roll nothing is synced then, which could free a block that was filled.
    const defaults = { config: {}, log: { fsync: 'never' as const }, maxFrameBytes: 104_857_600 }
    const logs = await openLogs(dataDirectory, { logger, defaults })
    await logs.createTopic('t', 1, { 'segment.bytes': String(1 << 20), 'retention.bytes': String(4 << 20) })
    const log = logs.partition('t', 0)
    await expect(
      (async () => {
        for (;;) await append(log, VALUE)
      })(),
    ).rejects.toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
    // The checkpoint behind the last roll is written: it would make room where it takes the place of the one before.
    await log.flush()
    await logs.deleteRecords('t', 0, 0).catch(() => {})
    await disk.fill()
    const end = log.logEndOffset
    const { segments } = await logs.retention.check()
    expect(segments).toBeGreaterThan(3)
    expect(logger.messages('error')).toContain('the log start offsets could not be written: retention makes room first')
    const start = log.logStartOffset
    expect(start).toBeGreaterThan(0)
    // At once, whatever the delay of files is; and a crash now finds the same.
    expect(await append(log, VALUE)).toBe(end)
    expect((await openLogs(await crashedCopy(dataDirectory), { defaults })).partition('t', 0)).toMatchObject({
      logStartOffset: start,
      logEndOffset: end + 1,
    })
    await logs.close()
  })
})
