import { beforeEach, expect, it, vi } from 'vitest'
import { MyKafkaError } from '../../../src/errors.js'
import { readRecords } from '../../../src/log/log-records.js'
import type { PartitionLog } from '../../../src/log/partition-log.js'
import type { LogRecord } from '../../../src/log/record-codec.js'
import { OffsetStore } from '../../../src/topic/offset-store.js'
import { openLogs } from '../../support/log-manager.js'
import { type MemoryLogger, memoryLogger } from '../../support/memory-logger.js'
import { temporaryDirectory } from '../../support/temporary.js'

let log: PartitionLog
let topics: Set<string>
let logger: MemoryLogger

beforeEach(async () => {
  const defaults = { config: {}, log: { fsync: 'acks' as const }, maxFrameBytes: 1 << 20 }
  const logs = await openLogs(await temporaryDirectory(), { defaults })
  await logs.createTopic('__consumer_offsets', 1)
  log = logs.partition('__consumer_offsets', 0)
  topics = new Set(['t'])
})

/** What a start makes of the log. */
async function load(): Promise<OffsetStore> {
  logger = memoryLogger()
  return await OffsetStore.load(log, { logger, commitAcks: 1, hasTopic: (topic) => topics.has(topic) })
}

const stored = (): Promise<LogRecord[]> => readRecords(log, 0, 1 << 20)

const at = (offset: number, partition = 0, topic = 't') => ({ topic, partition, offset, leaderEpoch: -1, metadata: '' })
const offsetIn = (store: OffsetStore, group = 'g', partition = 0): number | undefined =>
  store.committed(group, 't', partition)?.offset

it('a commit says its offset only, and more where there is more', async () => {
  const store = await load()
  await store.commit('g', [at(5), { ...at(6, 1), leaderEpoch: 3, metadata: 'é' }])
  await store.commit('g', [at(7)])
  const key = (partition: number): string => `0001${'67'}0001${'74'}0000000${partition}`
  const records = await stored()
  expect(records.map(({ key, value }) => [key?.toString('hex'), value?.toString('hex')])).toEqual([
    [key(0), '0000000000000005'],
    [key(1), '0000000000000006' + '00000003' + '0002' + 'c3a9'],
    [key(0), '0000000000000007'],
  ])
  const again = await load()
  expect(logger.messages('info')).toEqual(['loaded 3 commits (2 unique keys)'])
  expect(again.committed('g', 't', 1)).toMatchObject({ offset: 6, leaderEpoch: 3, metadata: 'é' })
  expect(again.committed('g', 't', 1)?.timestamp).toBe(records[1]?.timestamp)
  expect(offsetIn(again)).toBe(7)
})

it('offsets of a topic that is away are kept and not shown', async () => {
  await (await load()).commit('g', [at(5)])
  topics.delete('t')
  const store = await load()
  expect(offsetIn(store)).toBeUndefined()
  expect(store.ofGroup('g')).toEqual([])
  expect(store.storedOfGroup('g')).toHaveLength(1)
  topics.add('t')
  expect(offsetIn(store)).toBe(5)
})

it('a deleted topic takes its offsets with it, and only them', async () => {
  topics.add('u')
  const store = await load()
  await store.commit('g', [at(5), at(6, 1), at(7, 0, 'u')])
  const underWay = store.commit('h', [at(8)])
  topics.delete('t')
  await store.removeTopic('t')
  await underWay
  for (const present of [store, await load()]) {
    expect(present.storedOfGroup('g').map(({ key }) => key.topic)).toEqual(['u'])
    expect(present.groups()).toEqual(['g'])
  }
  expect((await stored()).filter(({ value }) => value === null)).toHaveLength(3)
  // Once more, and of one that nobody committed for: nothing to write.
  await store.removeTopic('t')
  await store.removeTopic('v')
  expect(await stored()).toHaveLength(7)
})

it('a topic that is there keeps its offsets', async () => {
  const store = await load()
  await store.commit('g', [at(5)])
  await store.removeTopic('t')
  expect(offsetIn(store)).toBe(5)
})

it('a commit for a topic that is not there is refused, and so is a group without a name', async () => {
  const store = await load()
  await expect(store.commit('g', [at(1), at(1, 0, 'v')])).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' })
  await expect(store.commit('', [at(1)])).rejects.toMatchObject({ code: 'INVALID_GROUP_ID' })
  expect(await stored()).toEqual([])
})

it('records of other kinds are passed over; groups are handed out, the latest last', async () => {
  const store = await load()
  await store.writeGroup('g', Buffer.from('one'))
  await store.writeGroup('g', null)
  await store.remove([], [{ key: Buffer.from('fffe0001', 'hex'), value: 'x' }])
  const heard: [string, string | undefined][] = []
  await OffsetStore.load(log, {
    logger,
    commitAcks: 1,
    hasTopic: () => true,
    onGroup: (group, value) => heard.push([group, value?.toString()]),
  })
  expect(heard).toEqual([
    ['g', 'one'],
    ['g', undefined],
  ])
  expect(logger.messages('error')).toEqual([])
})

it('a commit that is set to the end of its log is so on the disk: power loss must not bring the former one back', async () => {
  const store = await load()
  await store.commit('g', [at(5), at(6, 1)])
  await store.commit('h', [at(3)])
  const ends = { logger, commitAcks: 1 as const, hasTopic: () => true, logEndAfterCrash: () => 4 }
  const lowered = await OffsetStore.load(log, ends)
  expect([offsetIn(lowered), offsetIn(lowered, 'g', 1), offsetIn(lowered, 'h')]).toEqual([4, 4, 3])
  expect(log.recoveryPoint).toBe(log.logEndOffset)
  expect(offsetIn(await load())).toBe(4)
})

it('a commit that could not be set to the end of its log is told of: the next start has to do it', async () => {
  await (await load()).commit('g', [at(5)])
  vi.spyOn(log, 'append').mockRejectedValueOnce(new MyKafkaError('KAFKA_STORAGE_ERROR', 'the disk is full'))
  const onNotLowered = vi.fn()
  const ends = { logger, commitAcks: 1 as const, hasTopic: () => true, logEndAfterCrash: () => 4, onNotLowered }
  const lowered = await OffsetStore.load(log, ends)
  expect(onNotLowered).toHaveBeenCalledOnce()
  expect(offsetIn(lowered)).toBe(4)
})

it('a stop is no clean one where the next start has something to recover', async () => {
  const directory = await temporaryDirectory()
  for (const isDue of [true, false]) {
    const logs = await openLogs(directory)
    if (isDue) logs.recoverNextTime()
    await logs.close()
    const next = await openLogs(directory)
    expect(next.clean).toBe(!isDue)
    await next.close()
  }
})

it('a commit that was refused and that the log has all the same goes with its topic', async () => {
  const store = await load()
  const append = log.append.bind(log)
  vi.spyOn(log, 'append').mockImplementationOnce(async (...given) => {
    await append(...given)
    throw new MyKafkaError('LOG_FAILED', 'the sync failed')
  })
  await expect(store.commit('g', [at(5)])).rejects.toMatchObject({ code: 'LOG_FAILED' })
  topics.delete('t')
  await store.removeTopic('t')
  topics.add('t')
  expect(offsetIn(await load())).toBeUndefined()
})

it('of commits that are refused unwritten, however many, nothing is remembered', async () => {
  const store = await load()
  await log.close()
  for (let i = 0; i < 3; i++) {
    await expect(store.commit(`g${i}`, [at(5)])).rejects.toMatchObject({ code: 'LOG_CLOSED' })
  }
  topics.delete('t')
  // There is nothing to write.
  await store.removeTopic('t')
})
