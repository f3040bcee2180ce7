import { cp, lstat, mkdir, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { findTarget } from '../../../src/cli/verify/target.js'
import { openLogs } from '../../support/log-manager.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { append } from '../../support/produce.js'
import { temporaryDirectory } from '../../support/temporary.js'

/** Links in a data directory lead to what is not the broker's: it must be as it was, whatever is deleted. */
let data: string
let outside: string
let precious: string[]

/** Every file of a tree with what it holds. */
async function contentsOf(directory: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    found.push(`${path} ${entry.isFile() ? (await readFile(path)).toString('base64') : ''}`)
  }
  return found.sort()
}

beforeEach(async () => {
  const directory = await temporaryDirectory()
  data = join(directory, 'data')
  outside = join(directory, 'outside')
  // It looks like a topic: nothing but the link says that it is none.
  const elsewhere = join(directory, 'elsewhere')
  const logs = await openLogs(elsewhere)
  await logs.createTopic('topic', 2, { 'segment.bytes': '1024' })
  for (let i = 0; i < 20; i++) await append(logs.partition('topic', 0), 'x'.repeat(200))
  await logs.close()
  await rename(join(elsewhere, 'topic'), outside)
  await writeFile(join(outside, 'letter'), 'dear')
  precious = await contentsOf(outside)
  await (await openLogs(data)).close()
})

const expectUntouched = async (): Promise<void> => expect(await contentsOf(outside)).toEqual(precious)
const removed = (): Promise<string[]> => readdir(join(data, '@broker', 'deleted'))

it('a link in the place of a topic is none: it is not served, not deleted, and not built upon', async () => {
  await symlink(outside, join(data, 't'))
  const logger = memoryLogger()
  const logs = await openLogs(data, { logger })
  expect(logs.topic('t')).toBeUndefined()
  expect(logger.messages('warn')).toContainEqual(expect.stringContaining('left alone'))
  await expect(logs.deleteTopic('t')).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' })
  await expect(logs.createTopic('t', 1)).rejects.toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
  await logs.close()
  expect(await readlink(join(data, 't'))).toBe(outside)
  await expectUntouched()
})

it('of a topic whose directory became a link, the link goes', async () => {
  const logs = await openLogs(data)
  await logs.createTopic('t', 1)
  await append(logs.partition('t', 0), 'x')
  await rename(join(data, 't'), join(data, 'moved'))
  await symlink(outside, join(data, 't'))
  await logs.deleteTopic('t')
  await logs.close()
  expect(await removed()).toEqual([])
  await expect(lstat(join(data, 't'))).rejects.toMatchObject({ code: 'ENOENT' })
  await expectUntouched()
})

it('links inside of a partition go, not what they lead to', async () => {
  const logs = await openLogs(data)
  await logs.createTopic('t', 1)
  await append(logs.partition('t', 0), 'x')
  const partition = join(data, 't', '0')
  await symlink(outside, join(partition, 'directory'))
  await symlink(join(outside, 'letter'), join(partition, '00000000000000000099.log.deleted'))
  await symlink('..', join(partition, 'up'))
  await symlink(join(data, 'nowhere'), join(partition, 'dangling'))
  await mkdir(join(partition, 'deep'))
  await symlink(outside, join(partition, 'deep', 'link'))
  await symlink(outside, join(data, 't', 'beside'))
  await logs.deleteTopic('t')
  await logs.close()
  expect(await removed()).toEqual([])
  await expectUntouched()
})

it('a partition that is a link is offline, and goes as the link that it is', async () => {
  const before = await openLogs(data)
  await before.createTopic('t', 2)
  await before.close()
  await rm(join(data, 't', '1'), { recursive: true })
  await symlink(join(outside, '0'), join(data, 't', '1'))
  const logs = await openLogs(data)
  expect(logs.topic('t')?.partitions).toEqual([expect.anything(), null])
  // A verification sees what the broker sees.
  const verified = (await findTarget(data)).logs.filter(({ topic }) => topic === 't')
  expect(verified.map(({ partition }) => partition)).toEqual([0])
  await logs.deleteTopic('t')
  await logs.close()
  expect(await removed()).toEqual([])
  await expectUntouched()
})

it('what a crash left half deleted goes at the next start, not what it links to', async () => {
  const left = join(data, '@broker', 'deleted', 'left')
  await mkdir(join(left, '0'), { recursive: true })
  await symlink(outside, join(left, '0', 'link'))
  await symlink(outside, join(data, '@broker', 'deleted', 'link'))
  await symlink(outside, join(data, '@broker', 'creating', 'link'))
  await (await openLogs(data)).close()
  expect(await removed()).toEqual([])
  expect(await readdir(join(data, '@broker', 'creating'))).toEqual([])
  await expectUntouched()
})

it.each(['deleted', 'creating'])('a start refuses a link in the place of @broker/%s', async (name) => {
  await rm(join(data, '@broker', name), { recursive: true })
  await symlink(outside, join(data, '@broker', name))
  await expect(openLogs(data)).rejects.toMatchObject({
    code: 'KAFKA_STORAGE_ERROR',
    message: expect.stringContaining('is a link'),
  })
  await expectUntouched()
})

it('a start refuses a link in the place of @broker', async () => {
  const state = join(data, '..', 'state')
  await cp(join(data, '@broker'), state, { recursive: true })
  await writeFile(join(state, 'deleted', 'letter'), 'dear')
  await rm(join(data, '@broker'), { recursive: true })
  await symlink(state, join(data, '@broker'))
  await expect(openLogs(data)).rejects.toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
  expect(await readdir(join(state, 'deleted'))).toEqual(['letter'])
})

it('the data directory itself may be a link', async () => {
  const link = join(data, '..', 'link')
  await symlink(data, link)
  const logs = await openLogs(link)
  await logs.createTopic('t', 1)
  await logs.deleteTopic('t')
  await logs.close()
  expect(await removed()).toEqual([])
})

it.each(['..', '.', '', '../outside', '/etc', '@broker', 't/0', 't\0', '__consumer_offsets/..'])(
  'the name %j deletes nothing',
  async (name) => {
    const logs = await openLogs(data)
    await logs.createTopic('t', 1)
    const tree = await readdir(data)
    await expect(logs.deleteTopic(name)).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION' })
    expect(await readdir(data)).toEqual(tree)
    await logs.close()
    await expectUntouched()
  },
)
