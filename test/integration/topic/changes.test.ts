import { stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { MyKafkaError } from '../../../src/errors.js'
import { readRecords } from '../../../src/log/log-records.js'
import { crashedCopy } from '../../support/crashed-copy.js'
import { beforeDirectorySyncs } from '../../support/directory-syncs.js'
import { openLogs } from '../../support/log-manager.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { append } from '../../support/produce.js'
import { temporaryDirectory } from '../../support/temporary.js'

afterEach(() => void vi.restoreAllMocks())

const values = (count: number): string[] => Array.from({ length: count }, (_, i) => `value ${i}`)

it('a changed configuration has its effect at once, and behind a crash', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory)
  await logs.createTopic('t', 2, { 'retention.ms': '5' })
  const log = logs.partition('t', 1)
  await append(log, ...values(100))
  await append(log, ...values(100))
  expect(log.stats().segments).toBe(1)
  await logs.alterConfig('t', (config) => ({ ...config, 'segment.bytes': '1024', 'max.message.bytes': '77' }))
  expect(logs.topic('t')).toMatchObject({
    config: { 'retention.ms': '5', 'segment.bytes': '1024', 'max.message.bytes': '77' },
    settings: { maxMessageBytes: 77 },
  })
  for (let i = 0; i < 3; i++) await append(log, ...values(100))
  expect(log.stats().segments).toBe(4)
  const crashed = await crashedCopy(directory)
  const after = await openLogs(crashed)
  expect(after.topic('t')?.config).toEqual(logs.topic('t')?.config)
  expect(after.partition('t', 0).config.segmentBytes).toBe(1024)
})

it('a change that is refused or only looked at changes nothing', async () => {
  const logs = await openLogs(await temporaryDirectory())
  const before = await logs.createTopic('t', 1, { 'segment.bytes': '2000' }, 'kafka')
  const alter = (config: Record<string, string>, validateOnly = false) =>
    logs.alterConfig('t', () => config, { validateOnly })
  await expect(alter({ 'segment.bytes': '1' })).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  await expect(alter({ nonsense: '1' })).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
  await expect(alter({ 'record.format': 'mykafka' })).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: 'record.format of the topic t is kafka: it is chosen when a topic is made',
  })
  await alter({ 'segment.bytes': '3000' }, true)
  expect(logs.topic('t')).toBe(before)
  await expect(logs.alterConfig('__cluster_metadata', () => ({}))).rejects.toMatchObject({
    code: 'INVALID_TOPIC_EXCEPTION',
  })
})

it('deleted records stay deleted behind a crash', async () => {
  const directory = await temporaryDirectory()
  const defaults = { config: {}, log: { fsync: 'acks' as const }, maxFrameBytes: 104_857_600 }
  const logs = await openLogs(directory, { defaults })
  await logs.createTopic('t', 2)
  const log = logs.partition('t', 1)
  await append(log, ...values(100))
  expect(await logs.deleteRecords('t', 1, 40)).toBe(40)
  expect(log.recoveryPoint).toBe(100)
  // Never back.
  expect(await logs.deleteRecords('t', 1, 30)).toBe(40)
  expect(() => log.read({ offset: 39, maxBytes: 1, upperBound: 100 })).toThrow(
    expect.objectContaining({ code: 'OFFSET_OUT_OF_RANGE' }),
  )
  expect((await readRecords(log, 40, 1 << 20)).map(({ offset }) => offset)[0]).toBe(40)
  const crashed = await crashedCopy(directory)
  const after = await openLogs(crashed, { defaults })
  expect(after.topic('t')?.partitions.map((each) => each?.logStartOffset)).toEqual([0, 40])
  // -1: all that there are.
  expect(await after.deleteRecords('t', 1, -1)).toBe(100)
  expect(await append(after.partition('t', 1), 'x')).toBe(100)
  await after.close()
  expect((await openLogs(crashed, { defaults })).partition('t', 1)).toMatchObject({
    logStartOffset: 100,
    logEndOffset: 101,
  })
})

it('records are deleted up to the high watermark, where the policy is to delete, and not of the broker', async () => {
  const logs = await openLogs(await temporaryDirectory())
  await logs.createTopic('t', 1)
  await append(logs.partition('t', 0), 'x')
  const refused = (topic: string, partition: number, offset: number, code: string) =>
    expect(logs.deleteRecords(topic, partition, offset)).rejects.toMatchObject({ code })
  await refused('t', 0, 2, 'OFFSET_OUT_OF_RANGE')
  await refused('t', 0, -2, 'OFFSET_OUT_OF_RANGE')
  await refused('t', 1, 0, 'UNKNOWN_TOPIC_OR_PARTITION')
  await refused('__cluster_metadata', 0, 0, 'INVALID_TOPIC_EXCEPTION')
  await logs.alterConfig('t', () => ({ 'cleanup.policy': 'compact' }))
  await refused('t', 0, 1, 'POLICY_VIOLATION')
  expect(logs.partition('t', 0).logStartOffset).toBe(0)
})

it('what is appended to a log that lost its end does not count as deleted', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory)
  await logs.createTopic('t', 1)
  await append(logs.partition('t', 0), ...values(100))
  await logs.deleteRecords('t', 0, 50)
  const crashed = await crashedCopy(directory)
  const file = join(crashed, 't', '0', '00000000000000000000.log')
  await truncate(file, (await stat(file)).size >> 2)
  const after = await openLogs(crashed)
  const end = after.partition('t', 0).logEndOffset
  expect(end).toBeGreaterThan(20)
  expect(end).toBeLessThan(30)
  expect(after.partition('t', 0).logStartOffset).toBe(end)
  await append(after.partition('t', 0), ...values(10))
  await after.close()
  expect((await openLogs(crashed)).partition('t', 0)).toMatchObject({ logStartOffset: end, logEndOffset: end + 10 })
})

it('a configuration that cannot be read is told of at a start, and the topic has the defaults', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory)
  await logs.createTopic('t', 1, { 'cleanup.policy': 'compact' })
  await logs.createTopic('u', 1, { 'cleanup.policy': 'compact' })
  await logs.metadata.set('topic-config/t', '{"topicId":')
  await logs.close()
  const logger = memoryLogger()
  const again = await openLogs(directory, { logger })
  expect(logger.messages('error')).toEqual(['the configuration of a topic is not right: it has the defaults'])
  expect(again.topic('t')?.config).toEqual({})
  expect(again.topic('u')?.config).toEqual({ 'cleanup.policy': 'compact' })
})

it('a log whose making found no descriptor for a sync has its names on the disk when it is there', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory, { defaults: { config: {}, log: { fsync: 'acks' }, maxFrameBytes: 1 << 20 } })
  const place = join(directory, 't', '0')
  let refused = 0
  let synced = 0
  beforeDirectorySyncs((path) => {
    if (path !== place) return
    if (refused++ === 0) throw new MyKafkaError('KAFKA_STORAGE_ERROR', 'open', { errno: 'EMFILE' })
    synced++
  })
  await logs.createTopic('t', 1)
  expect(refused).toBeGreaterThan(0)
  expect(synced).toBeGreaterThan(0)
})
