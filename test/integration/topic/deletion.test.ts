import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { MyKafkaError } from '../../../src/errors.js'
import { readRecords } from '../../../src/log/log-records.js'
import { native } from '../../../src/native/load.js'
import type { LogManager } from '../../../src/topic/log-manager.js'
import { crashedCopy } from '../../support/crashed-copy.js'
import { partitionFiles } from '../../support/data-directory.js'
import { openLogs } from '../../support/log-manager.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { append } from '../../support/produce.js'
import { temporaryDirectory } from '../../support/temporary.js'

const values = (count: number): string[] => Array.from({ length: count }, (_, i) => `value ${i}`)

async function valuesOf(logs: LogManager, topic: string, partition: number): Promise<(string | undefined)[]> {
  const log = logs.partition(topic, partition)
  return (await readRecords(log, log.logStartOffset, 1 << 20)).map(({ value }) => value?.toString())
}

it('takes a topic out of service, out of the tree, and its files away', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory)
  const topic = await logs.createTopic('t', 3, { 'segment.bytes': '2000' })
  await append(logs.partition('t', 0), 'x')
  await logs.deleteTopic('t')
  expect(logs.topic('t')).toBeUndefined()
  expect(logs.topicById(topic.id)).toBeUndefined()
  expect(() => logs.partition('t', 0)).toThrow(expect.objectContaining({ code: 'UNKNOWN_TOPIC_OR_PARTITION' }))
  expect(await readdir(directory)).not.toContain('t')
  expect(logs.metadata.keys('topic-config/')).toEqual([])
  await logs.close()
  expect(await readdir(join(directory, '@broker', 'deleted'))).toEqual([])
  expect((await openLogs(directory)).topic('t')).toBeUndefined()
})

it('refuses topics that are not there, and those of the broker', async () => {
  const logs = await openLogs(await temporaryDirectory())
  await expect(logs.deleteTopic('t')).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' })
  await expect(logs.deleteTopic('__cluster_metadata')).rejects.toMatchObject({ code: 'INVALID_TOPIC_EXCEPTION' })
})

it('a topic of the same name made behind it has another id, no records, and no configuration', async () => {
  const logs = await openLogs(await temporaryDirectory())
  const first = await logs.createTopic('t', 2, { 'segment.bytes': '2000' })
  await append(logs.partition('t', 1), 'old')
  const [, second] = await Promise.all([logs.deleteTopic('t'), logs.createTopic('t', 2)])
  expect(second.id).not.toBe(first.id)
  expect(second.config).toEqual({})
  expect(logs.partition('t', 1).logEndOffset).toBe(0)
  expect(await append(logs.partition('t', 1), 'new')).toBe(0)
  expect(await valuesOf(logs, 't', 1)).toEqual(['new'])
})

it('what was read of it can be sent to its end', async () => {
  const logs = await openLogs(await temporaryDirectory())
  await logs.createTopic('t', 1)
  const log = logs.partition('t', 0)
  await append(log, ...values(100))
  const { slices } = await log.read({ offset: 0, maxBytes: 1 << 20, upperBound: log.highWatermark })
  await logs.deleteTopic('t')
  const [slice] = slices
  const bytes = Buffer.alloc(slice?.length as number)
  await slice?.segment.readAsync(bytes, slice.position)
  expect(bytes.includes('value 0')).toBe(true)
  expect(bytes.includes('value 99')).toBe(true)
  slice?.release()
})

it('who waits for it, or uses it from now on, is told that it is gone', async () => {
  const logger = memoryLogger()
  const logs = await openLogs(await temporaryDirectory(), { logger })
  await logs.createTopic('t', 1)
  const log = logs.partition('t', 0)
  const gone = { code: 'UNKNOWN_TOPIC_OR_PARTITION', message: 'the topic t was deleted' }
  const waiting = expect(log.waitBeyond(0)).rejects.toMatchObject(gone)
  await logs.deleteTopic('t')
  await waiting
  await expect(append(log, 'x')).rejects.toMatchObject(gone)
  expect(() => log.read({ offset: 0, maxBytes: 1, upperBound: 0 })).toThrow(expect.objectContaining(gone))
  expect(logger.messages('error')).toEqual([])
})

it('stays as it was where the disk refuses', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory)
  const { id } = await logs.createTopic('t', 2)
  await append(logs.partition('t', 1), 'kept')
  const deleted = join(directory, '@broker', 'deleted')
  await rm(deleted, { recursive: true })
  await writeFile(deleted, 'in the way')
  await expect(logs.deleteTopic('t')).rejects.toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
  expect(logs.topic('t')?.id).toBe(id)
  expect(await valuesOf(logs, 't', 1)).toEqual(['kept'])
  expect(await append(logs.partition('t', 1), 'more')).toBe(1)
  await rm(deleted)
  await mkdir(deleted)
  await logs.deleteTopic('t')
})

it('stays with the records that a log start offset deletes which the disk does not have', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory)
  await logs.createTopic('t', 1, { 'segment.bytes': '2000' })
  const all = values(200)
  for (let at = 0; at < all.length; at += 20) await append(logs.partition('t', 0), ...all.slice(at, at + 20))
  const checkpoint = join(directory, '@broker', 'log-start-offset-checkpoint.tmp')
  await mkdir(checkpoint)
  await expect(logs.deleteRecords('t', 0, 150)).rejects.toThrow()
  const segments = await partitionFiles(directory, 't', 0, '.log')
  expect(segments.length).toBeGreaterThan(3)
  const deleted = join(directory, '@broker', 'deleted')
  await rm(deleted, { recursive: true })
  await writeFile(deleted, 'in the way')
  await expect(logs.deleteTopic('t')).rejects.toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
  expect(logs.partition('t', 0).logStartOffset).toBe(150)
  expect(await partitionFiles(directory, 't', 0, '.log')).toEqual(segments)
  await rm(deleted)
  await rm(checkpoint, { recursive: true })
  expect(await valuesOf(await openLogs(await crashedCopy(directory)), 't', 0)).toEqual(all)
})

it('a namesake is not taken for it behind a crash: neither its recovery point nor its log start', async () => {
  const directory = await temporaryDirectory()
  const before = await openLogs(directory)
  await before.createTopic('t', 1)
  await append(before.partition('t', 0), ...values(100))
  await before.deleteRecords('t', 0, 50)
  await before.close()
  const logs = await openLogs(directory)
  expect(logs.partition('t', 0)).toMatchObject({ logStartOffset: 50, recoveryPoint: 100 })
  await logs.deleteTopic('t')
  await logs.createTopic('t', 1)
  await append(logs.partition('t', 0), 'a', 'b')
  const crashed = await crashedCopy(directory)
  const logger = memoryLogger()
  const after = await openLogs(crashed, { logger })
  expect(after.partition('t', 0)).toMatchObject({ logStartOffset: 0, logEndOffset: 2 })
  expect(await valuesOf(after, 't', 0)).toEqual(['a', 'b'])
  expect(logger.messages('error')).toEqual([])
})

it('a topic whose deletion failed is served again where its name is on the disk for certain, and not before', async () => {
  const directory = await temporaryDirectory()
  const defaults = { config: {}, log: { fsync: 'acks' as const }, maxFrameBytes: 1 << 20 }
  const logs = await openLogs(directory, { defaults })
  await logs.createTopic('t', 1)
  await append(logs.partition('t', 0), 'a')
  const sync = native.syncDirectory
  const failing = async (times: number, message: RegExp): Promise<void> => {
    let left = times
    vi.spyOn(native, 'syncDirectory').mockImplementation(async (path) => {
      if (path === directory && left-- > 0) throw new MyKafkaError('KAFKA_STORAGE_ERROR', 'EIO')
      await sync(path)
    })
    const error: unknown = await logs.deleteTopic('t').catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'KAFKA_STORAGE_ERROR', message: expect.stringMatching(message) })
    vi.restoreAllMocks()
  }
  await failing(1, /^the topic t could not be deleted$/)
  expect(await append(logs.partition('t', 0), 'b')).toBe(1)
  await failing(2, /and is offline/)
  expect(logs.topic('t')?.partitions).toEqual([null])
  await logs.close()
  const again = await openLogs(directory)
  expect(again.partition('t', 0).logEndOffset).toBe(2)
  await again.deleteTopic('t')
})
