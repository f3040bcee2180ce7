import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { encodePartitionMetadata, type PartitionMetadata } from '../../../src/topic/partition-metadata.js'
import { TopicDirectory } from '../../../src/topic/topic-directory.js'
import { beforeDirectorySyncs } from '../../support/directory-syncs.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { temporaryDirectory } from '../../support/temporary.js'

afterEach(() => void vi.restoreAllMocks())

const NO_SYNC = 'fsync: EIO'

const ofPartitions = (partitionCount: number): PartitionMetadata => {
  return { topicId: 'AAAAAAAAAAAAAAAAAAAAAQ', partitionCount, recordFormat: 'kafka' }
}

async function prepared() {
  const data = await temporaryDirectory()
  const tree = new TopicDirectory(data, memoryLogger(), true)
  await mkdir(join(data, '@broker'))
  await tree.prepare()
  return { data, tree, topic: join(data, 't'), creating: join(data, '@broker', 'creating') }
}

it.each(['.', '@broker/deleted'])('a deletion that a sync of %s refused is undone on the disk too', async (place) => {
  const { data, tree, topic } = await prepared()
  await tree.create('t', ofPartitions(1))
  const seen: boolean[] = []
  beforeDirectorySyncs((directory) => {
    if (directory === data) seen.push(existsSync(topic))
    if (directory === join(data, place) && !existsSync(topic)) throw new Error(NO_SYNC)
  })
  await expect(tree.takeOut('t')).rejects.toThrow(NO_SYNC)
  expect(await tree.namesAreSynced()).toBe(true)
  expect(seen).toEqual([false, true])
})

it('a creation that a sync refused leaves nothing where it is undone on the disk', async () => {
  const { data, tree, topic, creating } = await prepared()
  beforeDirectorySyncs((directory) => {
    if (directory === data && existsSync(topic)) throw new Error(NO_SYNC)
  })
  await expect(tree.create('t', ofPartitions(2))).rejects.toThrow(NO_SYNC)
  expect(existsSync(topic)).toBe(false)
  expect(await readdir(creating)).toEqual([])
})

it('a creation whose name may be back behind power loss keeps its files up to the next start', async () => {
  const { data, tree, topic, creating } = await prepared()
  beforeDirectorySyncs((directory) => {
    if (directory === data) throw new Error(NO_SYNC)
  })
  await expect(tree.create('t', ofPartitions(2))).rejects.toThrow(NO_SYNC)
  expect(existsSync(topic)).toBe(false)
  const [left] = await readdir(creating)
  expect((await readdir(join(creating, left as string))).sort()).toEqual(['0', '1'])
  await tree.prepare()
  expect(await readdir(creating)).toEqual([])
})

it('a growth that a sync refused leaves nothing where the metadata is set back on the disk', async () => {
  const { tree, topic } = await prepared()
  await tree.create('t', ofPartitions(1))
  let syncs = 0
  beforeDirectorySyncs((directory) => {
    if (directory === join(topic, '0') && ++syncs === 1) throw new Error(NO_SYNC)
  })
  await expect(tree.grow('t', ofPartitions(3), 1, async () => {})).rejects.toThrow(NO_SYNC)
  expect(await readdir(topic)).toEqual(['0'])
})

it('a growth that may count behind power loss keeps its partitions up to the next start', async () => {
  const { tree, topic } = await prepared()
  await tree.create('t', ofPartitions(1))
  beforeDirectorySyncs((directory) => {
    if (directory === join(topic, '0')) throw new Error(NO_SYNC)
  })
  await expect(tree.grow('t', ofPartitions(3), 1, async () => {})).rejects.toThrow(NO_SYNC)
  expect((await readdir(topic)).sort()).toEqual(['0', '1', '2'])
  // Power loss may leave what was written first.
  const metadata = join(topic, '0', 'partition.metadata')
  await writeFile(metadata, encodePartitionMetadata(ofPartitions(3)))
  expect(await tree.list()).toMatchObject([{ name: 't', present: [true, true, true] }])
  await writeFile(metadata, encodePartitionMetadata(ofPartitions(1)))
  expect(await tree.list()).toMatchObject([{ name: 't', present: [true] }])
  expect(await readdir(topic)).toEqual(['0'])
})
