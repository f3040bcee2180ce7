import { open, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { PartitionLog } from '../../../src/log/partition-log.js'
import { DEFAULT_CLEANER_CONFIG } from '../../../src/topic/log-cleaner.js'
import type { LogManager } from '../../../src/topic/log-manager.js'
import { latest, readAll, write } from '../../support/keyed-log.js'
import { openLogs } from '../../support/log-manager.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { temporaryDirectory } from '../../support/temporary.js'

const COMPACT = { 'cleanup.policy': 'compact', 'segment.bytes': '4096' }
/** Compacts only where the test says so. */
const BY_HAND = { ...DEFAULT_CLEANER_CONFIG, enabled: false, backoffMs: 1 }

async function makeTopic(logs: LogManager, name: string, config: Record<string, string> = {}): Promise<PartitionLog> {
  await logs.createTopic(name, 1, { ...COMPACT, ...config }, 'kafka')
  return logs.partition(name, 0)
}

/** So many records of ten keys; the last of them are in the active segment. */
async function fill(log: PartitionLog, records: number, timestamp?: number): Promise<void> {
  for (let i = 0; i < records; i++) {
    const record = { key: `key-${i % 10}`, value: `${i} ${'.'.repeat(100)}` }
    await write(log, [record], timestamp === undefined ? {} : { timestamp })
  }
}

/** Resolves when the log is being compacted. */
async function cleaning(log: PartitionLog): Promise<void> {
  while (!log.compaction.isCleaning) await turn()
}

const compactions = (logger: ReturnType<typeof memoryLogger>) =>
  logger.lines.filter(({ message }) => message.startsWith('compacted'))

describe('the cleaner', () => {
  it('takes the dirtiest log first, none below its ratio, and says what it did', async () => {
    const logger = memoryLogger()
    const logs = await openLogs(await temporaryDirectory(), { cleaner: BY_HAND, logger })
    const [a, b] = [await makeTopic(logs, 'a'), await makeTopic(logs, 'b')]
    await logs.createTopic('kept', 1, { 'segment.bytes': '4096' }, 'kafka')
    await fill(logs.partition('kept', 0), 200)
    await fill(a, 100)
    expect(await logs.compactDirtiest()).toBe(true)
    // What was compacted is small beside what came since.
    await fill(a, 100)
    await fill(b, 100)
    expect(await logs.compactDirtiest()).toBe(true)
    expect(await logs.compactDirtiest()).toBe(true)
    expect(await logs.compactDirtiest()).toBe(false)
    const lines = compactions(logger)
    expect(lines.map(({ fields }) => fields.topic)).toEqual(['a', 'b', 'a'])
    expect(lines[0]?.message).toMatch(
      /^compacted a\/0 up to offset \d+: \d+ bytes became \d+ \(\d+ %\), 0 tombstones left, in \d+ ms \([\d.]+ MB\/s\)$/,
    )
    expect((await readAll(logs.partition('kept', 0))).length).toBe(200)
    expect((await readAll(a)).length).toBeLessThan(60)
  })

  it('waits for min.compaction.lag.ms, and not beyond max.compaction.lag.ms', async () => {
    const logger = memoryLogger()
    const logs = await openLogs(await temporaryDirectory(), { cleaner: BY_HAND, logger })
    const lagging = await makeTopic(logs, 'lagging', { 'min.compaction.lag.ms': '3600000' })
    await fill(lagging, 100, Date.now())
    expect(await logs.compactDirtiest()).toBe(false)
    await fill(await makeTopic(logs, 'old', { 'min.compaction.lag.ms': '3600000' }), 100, Date.now() - 4_000_000)
    expect(await logs.compactDirtiest()).toBe(true)
    const never = await makeTopic(logs, 'never', { 'min.cleanable.dirty.ratio': '1' })
    await fill(never, 100, Date.now() - 100_000)
    expect(await logs.compactDirtiest()).toBe(false)
    await logs.alterConfig('never', (config) => ({ ...config, 'max.compaction.lag.ms': '200000' }))
    expect(await logs.compactDirtiest()).toBe(false)
    await logs.alterConfig('never', (config) => ({ ...config, 'max.compaction.lag.ms': '50000' }))
    expect(await logs.compactDirtiest()).toBe(true)
    expect(compactions(logger).map(({ fields }) => fields.topic)).toEqual(['old', 'never'])
  })

  it('knows at the next start how far it came', async () => {
    const dataDirectory = await temporaryDirectory()
    const logger = memoryLogger()
    let logs = await openLogs(dataDirectory, { cleaner: BY_HAND, logger })
    await fill(await makeTopic(logs, 't'), 100)
    await logs.compactDirtiest()
    const { cleanedTo } = logs.partition('t', 0).compaction
    expect(cleanedTo).toBeGreaterThan(0)
    const checkpoint = join(dataDirectory, '@broker', 'cleaner-offset-checkpoint')
    expect(await readFile(checkpoint, 'utf8')).toBe(`0\n1\nt 0 ${cleanedTo}\n`)
    const seen = await readAll(logs.partition('t', 0))
    await logs.close()
    logs = await openLogs(dataDirectory, { cleaner: BY_HAND, logger })
    expect(logs.partition('t', 0).compaction.cleanedTo).toBe(cleanedTo)
    expect(await readAll(logs.partition('t', 0))).toEqual(seen)
    expect(await logs.compactDirtiest()).toBe(false)
    // One that is made anew under the name was never compacted.
    await logs.deleteTopic('t')
    await makeTopic(logs, 't')
    await logs.close()
    logs = await openLogs(dataDirectory, { cleaner: BY_HAND, logger })
    expect(logs.partition('t', 0).compaction.cleanedTo).toBe(0)
  })

  it('takes nothing for compacted that lies behind the end of what there was at the start', async () => {
    const dataDirectory = await temporaryDirectory()
    let logs = await openLogs(dataDirectory, { cleaner: BY_HAND })
    await fill(await makeTopic(logs, 't'), 100)
    await logs.close()
    const checkpoint = join(dataDirectory, '@broker', 'cleaner-offset-checkpoint')
    await writeFile(checkpoint, '0\n1\nt 0 1000\n')
    logs = await openLogs(dataDirectory, { cleaner: BY_HAND })
    const { baseOffset } = logs.partition('t', 0).segments().at(-1) ?? {}
    expect(logs.partition('t', 0).compaction.cleanedTo).toBe(baseOffset)
    expect(await readFile(checkpoint, 'utf8')).toBe(`0\n1\nt 0 ${baseOffset}\n`)
  })

  it('goes on behind a log that fails, which it reports once and tries again when something changed', async () => {
    const dataDirectory = await temporaryDirectory()
    const logger = memoryLogger()
    let logs = await openLogs(dataDirectory, { cleaner: BY_HAND, logger })
    await fill(await makeTopic(logs, 'broken'), 200)
    await fill(await makeTopic(logs, 'whole'), 100)
    const { logPath } = logs.partition('broken', 0).segments()[1] ?? { logPath: '' }
    await logs.close()
    const file = await open(logPath, 'r+')
    await file.write(Buffer.alloc(1, 0xff), 0, 1, 700)
    await file.close()
    logs = await openLogs(dataDirectory, { cleaner: BY_HAND, logger })
    const before = await readAll(logs.partition('broken', 0)).catch(({ code }) => code)
    expect(before).toBe('CORRUPT_MESSAGE')
    expect(await logs.compactDirtiest()).toBe(true)
    expect(await logs.compactDirtiest()).toBe(true)
    expect(await logs.compactDirtiest()).toBe(false)
    expect(compactions(logger).map(({ fields }) => fields.topic)).toEqual(['whole'])
    const reports = () => logger.messages('error').filter((message) => message.includes('cannot be compacted'))
    expect(reports()).toHaveLength(1)
    expect(logs.partition('broken', 0).compaction.failure).toMatchObject({ code: 'CORRUPT_MESSAGE' })
    await logs.alterConfig('broken', (config) => ({ ...config, 'delete.retention.ms': '5' }))
    expect(await logs.compactDirtiest()).toBe(true)
    expect(await logs.compactDirtiest()).toBe(false)
    expect(reports()).toHaveLength(1)
  })

  it('stops in the middle of a pass, and leaves the log whole', async () => {
    const dataDirectory = await temporaryDirectory()
    const slow = { ...DEFAULT_CLEANER_CONFIG, backoffMs: 1, bytesPerSecond: 10_000 }
    let logs = await openLogs(dataDirectory, { cleaner: slow })
    const log = await makeTopic(logs, 't')
    await fill(log, 1000)
    const before = latest(await readAll(log))
    await cleaning(log)
    await logs.close()
    logs = await openLogs(dataDirectory, { cleaner: BY_HAND })
    expect(latest(await readAll(logs.partition('t', 0)))).toEqual(before)
    while (await logs.compactDirtiest());
    expect(latest(await readAll(logs.partition('t', 0)))).toEqual(before)
  })

  it('lets go of a topic that is deleted, or that is not to be compacted any more', async () => {
    const slow = { ...DEFAULT_CLEANER_CONFIG, enabled: false, bytesPerSecond: 20_000 }
    const logger = memoryLogger()
    const logs = await openLogs(await temporaryDirectory(), { cleaner: slow, logger })
    const doomed = await makeTopic(logs, 'deleted')
    await fill(doomed, 1000)
    const first = logs.compactDirtiest()
    await cleaning(doomed)
    await logs.deleteTopic('deleted')
    expect(await first).toBe(true)
    const log = await makeTopic(logs, 'deleted')
    expect(await readAll(log)).toEqual([])
    await fill(log, 300)
    const second = logs.compactDirtiest()
    await cleaning(log)
    await logs.alterConfig('deleted', (config) => ({ ...config, 'cleanup.policy': 'delete' }))
    expect(await second).toBe(true)
    expect(await logs.compactDirtiest()).toBe(false)
    expect(compactions(logger)).toEqual([])
    expect([...logger.messages('warn'), ...logger.messages('error')]).toEqual([])
  })

  it('heeds its rate', async () => {
    const logs = await openLogs(await temporaryDirectory(), { cleaner: { ...BY_HAND, bytesPerSecond: 60_000 } })
    const log = await makeTopic(logs, 't')
    await fill(log, 300)
    await logs.compactDirtiest()
    // A second's worth was at hand at the beginning.
    const { bytesRead = 0, throttledMs = 0 } = log.compaction.last ?? {}
    expect(bytesRead).toBeGreaterThan(60_000)
    expect(throttledMs).toBeGreaterThan(0)
  })
})

describe('the broker’s own topics', () => {
  it('are compacted', async () => {
    const logs = await openLogs(await temporaryDirectory(), { cleaner: BY_HAND })
    await logs.createTopic('__consumer_offsets', 1)
    for (const [name, segmentBytes] of [
      ['__consumer_offsets', 104_857_600],
      ['__cluster_metadata', 1 << 20],
    ] as const) {
      const { settings } = logs.existingTopic(name)
      expect(settings).toMatchObject({ compacted: true, deletes: false, log: { segmentBytes } })
    }
  })
})
