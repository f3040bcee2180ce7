import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { crashedCopy } from '../../support/crashed-copy.js'
import { topicTree } from '../../support/data-directory.js'
import { openLogs } from '../../support/log-manager.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { append } from '../../support/produce.js'
import { temporaryDirectory } from '../../support/temporary.js'

it('adds empty partitions and keeps what is there, also over a restart', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory)
  const { id } = await logs.createTopic('t', 2, { 'segment.bytes': '4096' })
  await append(logs.partition('t', 1), 'x')
  const grown = await logs.createPartitions('t', 5)
  expect(grown).toBe(logs.topic('t'))
  expect(grown).toMatchObject({ id, config: { 'segment.bytes': '4096' } })
  expect(grown.partitions.map((log) => log?.logEndOffset)).toEqual([0, 1, 0, 0, 0])
  expect(grown.partitions.map((log) => log?.config.segmentBytes)).toEqual(Array(5).fill(4096))
  expect(await append(logs.partition('t', 4), 'y')).toBe(0)
  await logs.close()
  const again = await openLogs(directory)
  expect(again.topic('t')?.partitions.map((log) => log?.logEndOffset)).toEqual([0, 1, 0, 0, 1])
})

it('only grows', async () => {
  const logs = await openLogs(await temporaryDirectory())
  await logs.createTopic('t', 3)
  for (const count of [3, 2, 0, -1, 10_001]) {
    await expect(logs.createPartitions('t', count), `${count}`).rejects.toMatchObject({ code: 'INVALID_PARTITIONS' })
  }
  await expect(logs.createPartitions('no', 3)).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' })
  await logs.createPartitions('t', 4, { validateOnly: true })
  expect(logs.topic('t')?.partitions).toHaveLength(3)
})

it('takes turns with other changes of the topic', async () => {
  const logs = await openLogs(await temporaryDirectory())
  await logs.createTopic('t', 1)
  const outcomes = await Promise.allSettled([2, 3, 2, 4].map((count) => logs.createPartitions('t', count)))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
  expect(logs.topic('t')?.partitions).toHaveLength(4)
})

it('a start takes back what was not finished', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory)
  await logs.createTopic('t', 2)
  const asBefore = await readFile(join(directory, 't', '0', 'partition.metadata'))
  await logs.createPartitions('t', 4)
  await logs.close()
  await writeFile(join(directory, 't', '0', 'partition.metadata'), asBefore)
  const again = await openLogs(directory)
  expect(again.topic('t')?.partitions).toHaveLength(2)
  expect((await topicTree(directory)).get('t')).toEqual([0, 1])
  expect(await readdir(join(directory, '@broker', 'deleted'))).toEqual([])
  await again.createPartitions('t', 3)
})

it('a start takes back nothing that has records', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory)
  await logs.createTopic('t', 2)
  const asBefore = await readFile(join(directory, 't', '0', 'partition.metadata'))
  await logs.createPartitions('t', 4)
  await append(logs.partition('t', 2), 'precious')
  await logs.close()
  await writeFile(join(directory, 't', '0', 'partition.metadata'), asBefore)
  const again = await openLogs(directory)
  expect(again.topic('t')?.partitions.map((log) => log?.logEndOffset)).toEqual([0, 0, 1])
})

it('where partition 0 is lost, a partition that was added later is not', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory)
  await logs.createTopic('t', 2)
  await logs.createPartitions('t', 4)
  await logs.close()
  for (const lost of ['0', '3']) await rm(join(directory, 't', lost), { recursive: true })
  const logger = memoryLogger()
  const again = await openLogs(directory, { logger })
  expect(again.topic('t')?.partitions.map((log) => log?.logEndOffset)).toEqual([undefined, 0, 0, undefined])
  expect(logger.messages('error')).toHaveLength(2)
})

it('stays as it was where the disk has something in the way', async () => {
  const directory = await temporaryDirectory()
  const logs = await openLogs(directory)
  await logs.createTopic('t', 2)
  await mkdir(join(directory, 't', '3'))
  await writeFile(join(directory, 't', '3', 'mine'), 'precious')
  await expect(logs.createPartitions('t', 5)).rejects.toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
  expect(logs.topic('t')?.partitions).toHaveLength(2)
  expect((await topicTree(directory)).get('t')).toEqual([0, 1, 3])
  expect(await readdir(join(directory, '@broker', 'creating'))).toEqual([])
  await rename(join(directory, 't', '3'), join(directory, 'elsewhere'))
  await logs.createPartitions('t', 5)
  const copy = await crashedCopy(directory)
  expect((await openLogs(copy)).topic('t')?.partitions).toHaveLength(5)
})
