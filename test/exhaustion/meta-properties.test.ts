import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { openLogs } from '../support/log-manager.js'
import { memoryLogger } from '../support/memory-logger.js'
import { append } from '../support/produce.js'
import { temporaryDirectory } from '../support/temporary.js'

let dataDirectory: string
let file: string
let right: string

beforeEach(async () => {
  dataDirectory = join(await temporaryDirectory(), 'data')
  const logs = await openLogs(dataDirectory)
  await logs.createTopic('t', 1)
  await append(logs.partition('t', 0), 'x')
  await logs.close()
  file = join(dataDirectory, '@broker', 'meta.properties')
  right = await readFile(file, 'utf8')
})

it.each([
  ['empty', () => '', 'there is no version in it'],
  ['of zeroes', () => '\0'.repeat(64), 'there is no version in it'],
  ['torn', () => right.slice(0, right.indexOf('cluster.id') + 5), 'there is no cluster.id in it'],
  ['newer', () => right.replace('version=1', 'version=2'), 'format version 2; this version of mykafka knows 1'],
  ['unknown', () => right.replace('version=1', 'version=first'), 'format version first'],
])('a meta.properties that is %s is refused, with nothing changed; mended, all is there', async (_, text, reason) => {
  await writeFile(file, text())
  const before = await readdir(dataDirectory, { recursive: true })
  await expect(openLogs(dataDirectory)).rejects.toMatchObject({
    code: 'UNSUPPORTED_FORMAT_VERSION',
    message: expect.stringMatching(new RegExp(`meta\\.properties: .*${reason}`)),
  })
  expect(await readdir(dataDirectory, { recursive: true })).toEqual(before)
  // As docs/operations.md says. A property that is not known is left alone.
  await writeFile(file, 'version=1\ncluster.id=AAAAAAAAAAAAAAAAAAAAAA\nlater=x\n')
  const logs = await openLogs(dataDirectory)
  expect(logs.clean).toBe(true)
  expect(logs.identity).toMatchObject({ clusterId: 'AAAAAAAAAAAAAAAAAAAAAA', nodeId: 1 })
  expect(logs.partition('t', 0).logEndOffset).toBe(1)
})

it('a meta.properties that is missing beside topics is made anew, which is said', async () => {
  await rm(file)
  const logger = memoryLogger()
  const logs = await openLogs(dataDirectory, { logger })
  expect(logger.messages('warn')).toEqual(['meta.properties was missing: the data directory has a new cluster.id'])
  expect(await readFile(file, 'utf8')).toContain(`cluster.id=${logs.identity.clusterId}\n`)
  expect(logs.partition('t', 0).logEndOffset).toBe(1)
})
