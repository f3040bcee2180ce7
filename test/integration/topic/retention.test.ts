import { readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { PartitionLog } from '../../../src/log/partition-log.js'
import type { LogManager, LogManagerOptions } from '../../../src/topic/log-manager.js'
import { crashedCopy } from '../../support/crashed-copy.js'
import { openLogs } from '../../support/log-manager.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { appendAt, DAY, fillSegments, NOW } from '../../support/timed-log.js'

const bases = (log: PartitionLog): number[] => log.segments().map(({ baseOffset }) => baseOffset)
const SMALL = { 'segment.bytes': '1024', 'segment.ms': '9223372036854775807' }

/** A clock that a test sets, and time that passes when the test says so. */
function timeByHand() {
  const time = { clock: NOW, passed: 0, now: () => time.clock, elapsed: () => time.passed }
  return time
}

async function open(
  options: Partial<LogManagerOptions> = {},
): Promise<{ logs: LogManager; directory: string; time: ReturnType<typeof timeByHand> }> {
  const directory = await temporaryDirectory()
  const time = timeByHand()
  return { logs: await openLogs(directory, { time, ...options }), directory, time }
}

/** What a checkpoint file says of a partition. */
async function checkpointed(directory: string, partition: string): Promise<number | undefined> {
  const text = await readFile(join(directory, '@broker', 'log-start-offset-checkpoint'), 'utf8')
  const line = text.split('\n').find((each) => each.startsWith(`${partition} `))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

describe('a check of retention', () => {
  it('removes in every topic what its configuration says', async () => {
    const logger = memoryLogger()
    const { logs, directory } = await open({ logger })
    await logs.createTopic('week', 2, SMALL)
    await logs.createTopic('day', 1, { ...SMALL, 'retention.ms': String(DAY) })
    await logs.createTopic('ever', 1, { ...SMALL, 'retention.ms': '-1' })
    await logs.createTopic('small', 1, { ...SMALL, 'retention.ms': '-1', 'retention.bytes': '2000' })
    await logs.createTopic('compacted', 1, { ...SMALL, 'cleanup.policy': 'compact', 'retention.bytes': '0' })
    await logs.createTopic('both', 1, { ...SMALL, 'cleanup.policy': 'compact,delete' })
    const log = (topic: string, partition = 0) => logs.partition(topic, partition)
    for (const topic of ['week', 'day', 'ever', 'small', 'compacted', 'both']) {
      await fillSegments(log(topic), NOW - 8 * DAY, NOW - 2 * DAY, NOW, NOW)
    }
    await fillSegments(log('week', 1), NOW - 8 * DAY)
    expect(await logs.retention.check()).toEqual({ segments: 7, bytes: 7000 })
    expect(bases(log('week'))).toEqual([10, 20, 30])
    expect(bases(log('week', 1))).toEqual([10])
    expect(bases(log('day'))).toEqual([20, 30])
    expect(bases(log('ever'))).toEqual([0, 10, 20, 30])
    expect(bases(log('small'))).toEqual([20, 30])
    expect(bases(log('compacted'))).toEqual([0, 10, 20, 30])
    expect(bases(log('both'))).toEqual([10, 20, 30])
    expect(await checkpointed(directory, 'week 1')).toBe(10)
    expect(await checkpointed(directory, 'day 0')).toBe(20)
    expect(await checkpointed(directory, 'ever 0')).toBe(0)
    expect(logger.messages('info')).toContain('retention removed 7 segments')
    expect(await logs.retention.check()).toEqual({ segments: 0, bytes: 0 })
  })

  it('leaves alone what the broker keeps for itself', async () => {
    const { logs, time } = await open()
    await logs.metadata.set('key', 'value')
    await logs.retention.check()
    time.clock += 100 * DAY
    time.passed += 100 * DAY
    await logs.retention.check()
    expect(logs.partition('__cluster_metadata', 0).logStartOffset).toBe(0)
    expect(logs.metadata.get('key')).toBe('value')
  })

  it('removes the files of deleted records', async () => {
    const { logs, directory } = await open()
    await logs.createTopic('t', 1, { ...SMALL, 'retention.ms': '-1', 'file.delete.delay.ms': '0' })
    await fillSegments(logs.partition('t', 0), NOW, NOW, NOW)
    await logs.deleteRecords('t', 0, 25)
    expect(bases(logs.partition('t', 0))).toEqual([0, 10, 20])
    await logs.retention.check()
    expect(bases(logs.partition('t', 0))).toEqual([20])
    expect(logs.partition('t', 0).logStartOffset).toBe(25)
    await vi.waitFor(async () =>
      expect((await readdir(join(directory, 't', '0'))).filter((name) => name.includes('.log'))).toEqual([
        '00000000000000000020.log',
      ]),
    )
  })

  it('goes by the configuration as it is now', async () => {
    const { logs } = await open()
    await logs.createTopic('t', 1, { ...SMALL, 'retention.ms': '-1' })
    await fillSegments(logs.partition('t', 0), NOW - 8 * DAY, NOW)
    expect((await logs.retention.check()).segments).toBe(0)
    await logs.alterConfig('t', () => ({ ...SMALL }))
    expect((await logs.retention.check()).segments).toBe(1)
  })

  it('comes again and again', async () => {
    const { logs } = await open({ retentionCheckIntervalMs: 1 })
    await logs.createTopic('t', 1, { ...SMALL, 'retention.bytes': '1000' })
    const log = logs.partition('t', 0)
    for (let i = 1; i < 4; i++) {
      await fillSegments(log, NOW, NOW)
      await vi.waitFor(() => expect(log.logStartOffset).toBe(i * 20 - 10))
    }
  })

  it('removes nothing whose log start offset cannot be written', async () => {
    const logger = memoryLogger()
    const { logs, directory } = await open({ logger })
    await logs.createTopic('t', 1, SMALL)
    const log = logs.partition('t', 0)
    await fillSegments(log, NOW - 8 * DAY, NOW)
    await rename(join(directory, '@broker'), join(directory, '@away'))
    expect((await logs.retention.check()).segments).toBe(0)
    expect(bases(log)).toEqual([0, 10])
    expect(logger.messages('error')).toContain('the log start offsets could not be written: retention removes nothing')
    await rename(join(directory, '@away'), join(directory, '@broker'))
    expect((await logs.retention.check()).segments).toBe(1)
    expect(await checkpointed(directory, 't 0')).toBe(10)
  })

  it('that a crash ends at any moment leaves the log right', async () => {
    const { logs, directory } = await open()
    await logs.createTopic('t', 1, { ...SMALL, 'retention.bytes': '1500' })
    const log = logs.partition('t', 0)
    await fillSegments(log, NOW, NOW, NOW, NOW, NOW)
    const copies: string[] = []
    const copy = async () => {
      copies.push(await crashedCopy(directory))
    }
    await copy()
    expect(await log.retention.expire(NOW)).toBe(true)
    await copy()
    // The checkpoint is written, and no file is gone.
    expect(await logs.deleteRecords('t', 0, log.logStartOffset)).toBe(30)
    await copy()
    await log.retention.removeBelow(20, NOW)
    await copy()
    await logs.retention.check()
    await copy()
    const starts: number[] = []
    for (const each of copies) {
      const after = await openLogs(each, { time: timeByHand() })
      const reopened = after.partition('t', 0)
      starts.push(reopened.logStartOffset)
      expect(reopened.logEndOffset).toBe(50)
      expect(bases(reopened)[0]).toBeLessThanOrEqual(reopened.logStartOffset)
      const { count, slices } = await reopened.read({
        offset: reopened.logStartOffset,
        maxBytes: 1 << 20,
        upperBound: 50,
      })
      for (const slice of slices) slice.release()
      expect(count).toBe(50 - reopened.logStartOffset)
      await appendAt(reopened, NOW)
      expect(reopened.logEndOffset).toBe(51)
      await after.retention.check()
      expect(bases(reopened)).toEqual([30, 40, 50])
      expect(await readdir(join(each, 't', '0'))).not.toContainEqual(expect.stringMatching(/0{20}\.log$/))
    }
    expect(starts).toEqual([0, 0, 30, 30, 30])
  })

  it('is over before a stop, and goes on with the others where a topic is deleted', async () => {
    const { logs } = await open()
    for (const topic of ['a', 'b', 'c']) {
      await logs.createTopic(topic, 2, { ...SMALL, 'retention.bytes': '0' })
      for (const partition of [0, 1]) await fillSegments(logs.partition(topic, partition), NOW, NOW, NOW)
    }
    const checking = logs.retention.check()
    await logs.deleteTopic('b')
    await checking
    expect(bases(logs.partition('c', 1))).toEqual([30])
    await logs.createTopic('b', 2)
    expect(bases(logs.partition('b', 0))).toEqual([0])
    void logs.retention.check()
    await logs.close()
  })
})

describe('a clock', () => {
  it('that is set forward deletes nothing for an hour, and says so', async () => {
    const logger = memoryLogger()
    const { logs, time } = await open({ logger })
    await logs.createTopic('t', 1, SMALL)
    const log = logs.partition('t', 0)
    await fillSegments(log, NOW, NOW)
    time.clock += 3650 * DAY
    await logs.retention.check()
    time.clock += 1_800_000
    time.passed += 1_800_000
    await logs.retention.check()
    expect(bases(log)).toEqual([0, 10])
    const warning = 'the clock was set forward: retention goes by it when it has stayed so for an hour'
    expect(logger.messages('warn')).toEqual([warning])
    // It was a mistake.
    time.clock -= 3650 * DAY
    await logs.retention.check()
    expect(bases(log)).toEqual([0, 10])
    // It was not.
    time.clock += 3650 * DAY
    await logs.retention.check()
    time.clock += 3_600_000
    time.passed += 3_600_000
    await logs.retention.check()
    expect(bases(log)).toEqual([20])
    expect(logger.messages('warn')).toEqual([warning, warning])
  })

  it('that is set back deletes nothing, and what was written before stays its time', async () => {
    const { logs, time } = await open()
    await logs.createTopic('t', 1, SMALL)
    const log = logs.partition('t', 0)
    await fillSegments(log, NOW, NOW)
    time.clock -= 100 * DAY
    await logs.retention.check()
    expect(bases(log)).toEqual([0, 10])
    const pass = async (ms: number) => {
      time.clock += ms
      time.passed += ms
      await logs.retention.check()
    }
    await pass(107 * DAY)
    expect(bases(log)).toEqual([0, 10])
    await pass(1)
    expect(bases(log)).toEqual([20])
  })
})
