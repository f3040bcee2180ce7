import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { OffsetStore } from '../../src/topic/offset-store.js'
import { crashedCopy } from '../support/crashed-copy.js'
import { openLogs } from '../support/log-manager.js'
import { memoryLogger } from '../support/memory-logger.js'
import { append } from '../support/produce.js'
import { canMount, smallDisk } from '../support/small-disk.js'

const VALUE = 'v'.repeat(50_000)
const NO_INODE = { code: 'KAFKA_STORAGE_ERROR', errno: 'ENOSPC' }

describe.runIf(canMount)('a disk without an inode left', () => {
  it('takes appends and commits as long as they need no new file, and everything when there are some again', async () => {
    const disk = await smallDisk(32, 0, 200)
    const dataDirectory = join(disk.path, 'data')
    const logger = memoryLogger()
    const defaults = { config: {}, log: { fsync: 'acks' as const }, maxFrameBytes: 104_857_600 }
    const logs = await openLogs(dataDirectory, { logger, defaults })
    await logs.createTopic('__consumer_offsets', 1)
    await logs.createTopic('t', 2, { 'segment.bytes': String(1 << 20) })
    const log = logs.partition('t', 0)
    const commits = logs.partition('__consumer_offsets', 0)
    const offsets = await OffsetStore.load(commits, { logger, commitAcks: 1, hasTopic: () => true })
    const commit = (offset: number): Promise<void> =>
      offsets.commit('g', [{ topic: 't', partition: 0, offset, leaderEpoch: -1, metadata: '' }])
    await disk.fillInodes()

    const fill = async (): Promise<void> => {
      for (;;) await append(log, VALUE)
    }
    await expect(fill()).rejects.toMatchObject(NO_INODE)
    const end = log.logEndOffset
    // Nothing of a segment that was not made is left, and what needs none goes on.
    expect((await readdir(log.directory)).filter((name) => name.endsWith('.log'))).toHaveLength(1)
    expect(await append(logs.partition('t', 1), 'x')).toBe(0)
    await commit(end)
    await expect(logs.createTopic('another', 1)).rejects.toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
    await expect(logs.deleteRecords('t', 0, 1)).rejects.toMatchObject(NO_INODE)
    await log.flush()
    await expect(append(log, VALUE)).rejects.toMatchObject(NO_INODE)

    await disk.freeInodes()
    expect(await append(log, VALUE)).toBe(end)
    await logs.createTopic('another', 1)
    await logs.deleteRecords('t', 0, 1)
    const behindCrash = await openLogs(await crashedCopy(dataDirectory))
    expect(behindCrash.partition('t', 0)).toMatchObject({ logStartOffset: 1, logEndOffset: end + 1 })
    expect(behindCrash.topics().map(({ name }) => name)).toContain('another')
    await logs.close()
    expect(logger.messages('warn')).toEqual([])
  })
})
