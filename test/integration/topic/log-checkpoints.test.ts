import { readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { StateDirectory } from '../../../src/log/state-directory.js'
import { LogCheckpoints } from '../../../src/topic/log-checkpoints.js'
import type { Topic } from '../../../src/topic/topic.js'
import { TopicRegistry } from '../../../src/topic/topic-registry.js'
import { openLogs } from '../../support/log-manager.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { appendAt } from '../../support/timed-log.js'

const FILES = ['recovery-point-offset-checkpoint', 'log-start-offset-checkpoint']

it('what the checkpoints say of topics that are there and not open yet stays, and of deleted ones goes', async () => {
  const dataDirectory = await temporaryDirectory()
  const paths = FILES.map((name) => join(dataDirectory, '@broker', name))
  let logs = await openLogs(dataDirectory)
  for (const name of ['kept', 'deleted']) {
    await logs.createTopic(name, 1, {}, 'mykafka')
    await appendAt(logs.partition(name, 0), 1, 2, 3)
    await logs.deleteRecords(name, 0, 2)
  }
  await logs.deleteTopic('deleted')
  await logs.close()
  const left = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  for (const [index, offset] of [3, 2].entries()) expect(left[index]).toContain(`\nkept 0 ${offset}\n`)

  // It is made anew, before the others open: nothing that is known of it may be left by then.
  await rm(join(dataDirectory, '__cluster_metadata'), { recursive: true })
  await writeFile(paths[1] as string, '0\n3\n__cluster_metadata 0 0\ndeleted 0 2\nkept 0 2\n')
  await writeFile(join(dataDirectory, 'kept', '0', 'strange'), '')
  const seen: string[][] = []
  const quiet = memoryLogger()
  const warn = (fields: object, message: string): void => {
    if (message.startsWith('left alone')) seen.push(paths.map((path) => readFileSync(path, 'utf8')))
    quiet.warn(fields, message)
  }
  logs = await openLogs(dataDirectory, { logger: { ...quiet, warn } })
  expect(seen).toEqual([['0\n1\nkept 0 3\n', '0\n1\nkept 0 2\n']])
  await logs.deleteTopic('kept')
  await logs.createTopic('kept', 1, {}, 'mykafka')
  for (const path of paths) expect(await readFile(path, 'utf8')).not.toContain('kept')
})

it('a topic that goes while a file is written with it is not in the file when it comes again', async () => {
  const logs = await openLogs(await temporaryDirectory())
  await logs.createTopic('t', 1, {}, 'mykafka')
  await appendAt(logs.partition('t', 0), 1, 2, 3)
  await logs.partition('t', 0).flush()
  const topic = logs.topic('t') as Topic

  const directory = await temporaryDirectory()
  const state = await StateDirectory.lock(directory, memoryLogger())
  const topics = new TopicRegistry()
  const checkpoints = await LogCheckpoints.read(state, topics)
  topics.put(topic)
  const writing = checkpoints.write()
  await turn()
  topics.remove(topic)
  await checkpoints.forget('t')
  expect(await readFile(join(directory, FILES[0] as string), 'utf8')).toBe('0\n0\n')
  await writing
  state.unlock()
})
