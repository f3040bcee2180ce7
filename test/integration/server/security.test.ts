import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPartitionsApi } from '../../../src/wire/kafka/generated/create-partitions.js'
import { createTopicsApi } from '../../../src/wire/kafka/generated/create-topics.js'
import { deleteTopicsApi } from '../../../src/wire/kafka/generated/delete-topics.js'
import { metadataApi } from '../../../src/wire/kafka/generated/metadata.js'
import { produceApi } from '../../../src/wire/kafka/generated/produce.js'
import { ZERO_UUID } from '../../../src/wire/kafka/uuid.js'
import { newTopics } from '../../support/admin-requests.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { NEWEST, produceRequest, sentBatch } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { temporaryDirectory } from '../../support/temporary.js'

/** What would be paths, if names were. */
const NAMES = [
  ...['..', '.', '../up', '../../up', '../outside/0', '/tmp', 'a/b', 'a\\b', 'a\0b', '..%2fup', '%2e%2e'],
  ...['@broker', '@broker/lock', '@broker/creating', 't/0', 't/../up', 'a\nb', 'größe', '\u202eup', '~', '*'],
]

/** A broker deep in a directory, and a list of everything in that. */
async function deepBroker(): Promise<{ broker: TestBroker; tree: () => Promise<string[]> }> {
  const top = await temporaryDirectory()
  await mkdir(join(top, 'outside', '0'), { recursive: true })
  const broker = await startBroker({ dataDir: join(top, 'deep', 'data') })
  return { broker, tree: async () => (await readdir(top, { recursive: true })).sort() }
}

describe('a name that is no topic name makes nothing and removes nothing, anywhere', () => {
  it("over MyKafka's wire", async () => {
    const { broker, tree } = await deepBroker()
    const peer = await broker.connect()
    expect(await peer.call(frames.createTopic('t', 1))).toEqual(frames.created(0))
    const before = await tree()
    const record = [{ value: 'x' }]
    for (const name of NAMES) {
      expect(await peer.call(frames.createTopic(name, 1)), name).toEqual(frames.created(2))
      const { errorCode } = frames.readProduced(await peer.call(frames.produce(name, 0, record)))
      expect(errorCode, name).toBe(frames.ERROR.unknownTopicOrPartition)
      expect((await peer.call(frames.fetch(name, 0, 0))).readInt8(5), name).toBe(frames.ERROR.unknownTopicOrPartition)
      const commit = await peer.call(frames.commitOffset('g', name, 0, 1))
      expect(commit, name).toEqual(frames.committed(frames.ERROR.unknownTopicOrPartition))
      const storage = frames.readStorageDescribed(await peer.call(frames.describeStorage(name)))
      expect(storage.errorCode, name).toBe(frames.ERROR.unknownTopicOrPartition)
      // Groups may have any name.
      expect(await peer.call(frames.commitOffset(name, 't', 0, 0)), name).toEqual(frames.committed(0))
    }
    expect(await tree()).toEqual(before)
  })

  it("over Kafka's wire", async () => {
    const { broker, tree } = await deepBroker()
    const peer = await KafkaPeer.connect(broker.port)
    const before = await tree()
    const invalid = frames.ERROR.invalidTopic
    const made = await peer.call(createTopicsApi, 7, newTopics(NAMES.map((name) => ({ name, numPartitions: 1 }))))
    expect(made.topics.map(({ errorCode }) => errorCode)).toEqual(NAMES.map(() => invalid))
    const asked = await peer.call(metadataApi, NEWEST.metadata, {
      topics: NAMES.map((name) => ({ name, topicId: ZERO_UUID })),
      allowAutoTopicCreation: true,
      includeClusterAuthorizedOperations: false,
      includeTopicAuthorizedOperations: false,
    })
    expect(asked.topics.map(({ errorCode }) => errorCode)).toEqual(NAMES.map(() => invalid))
    const batches = Object.fromEntries(NAMES.map((name) => [name, [sentBatch('one record')]]))
    const produced = await peer.call(produceApi, NEWEST.produce, produceRequest(batches))
    const codes = produced.responses.flatMap(({ partitionResponses }) =>
      partitionResponses.map((each) => each.errorCode),
    )
    expect(new Set(codes)).toEqual(new Set([frames.ERROR.unknownTopicOrPartition]))
    const grown = await peer.call(createPartitionsApi, 3, {
      topics: NAMES.map((name) => ({ name, count: 4, assignments: null })),
      timeoutMs: 1000,
      validateOnly: false,
    })
    expect(new Set(grown.results.map(({ errorCode }) => errorCode))).toEqual(
      new Set([frames.ERROR.unknownTopicOrPartition]),
    )
    const deleted = await peer.call(deleteTopicsApi, 6, {
      topics: NAMES.map((name) => ({ name, topicId: ZERO_UUID })),
      topicNames: [],
      timeoutMs: 1000,
    })
    expect(new Set(deleted.responses.map(({ errorCode }) => errorCode))).toEqual(
      new Set([frames.ERROR.unknownTopicOrPartition]),
    )
    expect(await tree()).toEqual(before)
  })
})

it('what is made is for its owner and his group, whatever the umask would allow', async () => {
  const dataDir = join(await temporaryDirectory(), 'deep', 'data')
  const umask = process.umask(0)
  try {
    // Some of what is made is made only where it is synced.
    const broker = await startBroker({ dataDir, fsync: 'always' })
    const peer = await broker.connect()
    await peer.call(frames.createTopic('t', 2))
    await peer.call(frames.produce('t', 0, [{ value: 'x' }]))
    await broker.stop()
  } finally {
    process.umask(umask)
  }
  expect((await stat(join(dataDir, '..'))).mode & 0o777).toBe(0o750)
  expect((await stat(dataDir)).mode & 0o777).toBe(0o750)
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
  expect(entries.length).toBeGreaterThan(10)
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name)
    expect([path, (await stat(path)).mode & 0o777]).toEqual([path, entry.isDirectory() ? 0o750 : 0o640])
  }
})

it('says that it listens on loopback, and warns where it does not', async () => {
  const usual = await startBroker()
  expect(usual.logger.messages('info')).toContain('listens on loopback: only programs on this machine can connect')
  expect(usual.logger.messages('warn')).toEqual([])
  const open = await startBroker({ host: '0.0.0.0' })
  const warned = open.logger.lines.filter(({ level }) => level === 'warn')
  expect(warned).toEqual([expect.objectContaining({ fields: { listeners: `0.0.0.0:${open.port}` } })])
})

it('of settings that it does not know, the names are told and not the values', async () => {
  const properties = { 'sasl.jaas.config': 'password="hunter2"', 'ssl.keystore.password': 'hunter2' }
  const { logger } = await startBroker({ properties })
  expect(logger.messages('warn')).toContain('settings of Kafka that mean nothing here')
  expect(JSON.stringify(logger.lines)).not.toContain('hunter2')
  await expect(startBroker({ properties: { 'no.such.password': 'hunter2' } })).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.not.stringContaining('hunter2'),
  })
})
