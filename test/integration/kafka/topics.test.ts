import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { Client } from '../../../src/client/index.js'
import { createPartitionsApi } from '../../../src/wire/kafka/generated/create-partitions.js'
import { createTopicsApi } from '../../../src/wire/kafka/generated/create-topics.js'
import { deleteTopicsApi } from '../../../src/wire/kafka/generated/delete-topics.js'
import { type MetadataResponseTopic, metadataApi } from '../../../src/wire/kafka/generated/metadata.js'
import { ZERO_UUID } from '../../../src/wire/kafka/uuid.js'
import { makeTopic, newTopics } from '../../support/admin-requests.js'
import { startBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { KafkaPeer } from '../../support/kafka-peer.js'

async function metadataOf(peer: KafkaPeer, name: string): Promise<MetadataResponseTopic | undefined> {
  const { topics } = await peer.call(metadataApi, 12, {
    topics: [{ name, topicId: ZERO_UUID }],
    allowAutoTopicCreation: false,
    includeClusterAuthorizedOperations: false,
    includeTopicAuthorizedOperations: false,
  })
  return topics[0]
}

const namesAsked = (...names: string[]) => ({
  topics: names.map((name) => ({ name, topicId: ZERO_UUID })),
  topicNames: names,
  timeoutMs: 1000,
})

describe.each([0, 1, 2, 3, 4, 5, 6, 7])('CreateTopics %i', (version) => {
  it('makes topics, each for itself', async () => {
    const peer = await KafkaPeer.connect((await startBroker({ numPartitions: 4 })).port)
    const asked = newTopics([
      { name: 'three', numPartitions: 3, replicationFactor: 1 },
      { name: 'default' },
      { name: 'assigned', assignments: [1, 0].map((partitionIndex) => ({ partitionIndex, brokerIds: [1] })) },
      { name: 'configured', numPartitions: 1, configs: { 'retention.ms': '5', 'cleanup.policy': 'compact' } },
      { name: 'no name' },
      { name: 'none', numPartitions: 0 },
      { name: 'replicated', replicationFactor: 2 },
      { name: 'elsewhere', assignments: [{ partitionIndex: 0, brokerIds: [2] }] },
      { name: 'gap', assignments: [{ partitionIndex: 1, brokerIds: [1] }] },
      { name: 'both', numPartitions: 1, assignments: [{ partitionIndex: 0, brokerIds: [1] }] },
      { name: 'wrong', configs: { nonsense: '1' } },
      { name: 'twice' },
      { name: 'twice' },
    ])
    const { topics } = await peer.call(createTopicsApi, version, asked)
    const codes = Object.fromEntries(topics.map(({ name, errorCode }) => [name, errorCode]))
    expect(codes).toEqual({
      three: 0,
      default: 0,
      assigned: 0,
      configured: 0,
      'no name': 17,
      none: 37,
      replicated: 38,
      elsewhere: 39,
      gap: 39,
      both: 42,
      wrong: 40,
      twice: 42,
    })
    const [three, , , configured] = topics
    if (version >= 1) expect(topics.find(({ name }) => name === 'wrong')?.errorMessage).toMatch(/nonsense/)
    if (version >= 5) {
      expect(three).toMatchObject({ numPartitions: 3, replicationFactor: 1 })
      const described = new Map(configured?.configs?.map((config) => [config.name, config]))
      expect(described.get('retention.ms')).toEqual({
        name: 'retention.ms',
        value: '5',
        readOnly: false,
        configSource: 1,
        isSensitive: false,
      })
      expect(described.get('segment.bytes')).toMatchObject({ value: '1073741824', configSource: 5 })
      expect(described.get('record.format')).toMatchObject({ value: 'kafka', readOnly: true })
    }
    const made = await metadataOf(peer, 'three')
    expect(made?.partitions).toHaveLength(3)
    if (version >= 7) expect(three?.topicId).toBe(made?.topicId)
    expect((await metadataOf(peer, 'default'))?.partitions).toHaveLength(4)
    expect((await metadataOf(peer, 'assigned'))?.partitions).toHaveLength(2)
    expect((await metadataOf(peer, 'twice'))?.errorCode).toBe(3)
    const again = await peer.call(createTopicsApi, version, newTopics([{ name: 'three' }]))
    expect(again.topics[0]?.errorCode).toBe(36)
  })

  it('makes nothing where the request is only to be looked at', async () => {
    if (version === 0) return
    const peer = await KafkaPeer.connect((await startBroker()).port)
    const asked = newTopics(
      [
        { name: 't', numPartitions: 2 },
        { name: 'bad', numPartitions: -2 },
      ],
      true,
    )
    const { topics } = await peer.call(createTopicsApi, version, asked)
    expect(topics.map(({ errorCode }) => errorCode)).toEqual([0, 37])
    expect((await metadataOf(peer, 't'))?.errorCode).toBe(3)
    await makeTopic(peer, 't')
    const exists = await peer.call(createTopicsApi, version, newTopics([{ name: 't' }], true))
    expect(exists.topics[0]?.errorCode).toBe(36)
  })
})

describe('DeleteTopics', () => {
  it.each([0, 1, 2, 3, 4, 5, 6])('%i deletes topics by name, each for itself', async (version) => {
    const peer = await KafkaPeer.connect((await startBroker()).port)
    const id = await makeTopic(peer, 'a')
    await makeTopic(peer, 'b')
    const asked = namesAsked('a', 'missing', '__consumer_offsets', 'b', 'b')
    const { responses } = await peer.call(deleteTopicsApi, version, asked)
    expect(responses.map(({ name, errorCode }) => [name, errorCode])).toEqual([
      ['a', 0],
      ['missing', 3],
      ['__consumer_offsets', 17],
      ['b', 42],
    ])
    if (version >= 6) expect(responses[0]?.topicId).toBe(id)
    expect((await metadataOf(peer, 'a'))?.errorCode).toBe(3)
    expect((await metadataOf(peer, 'b'))?.errorCode).toBe(0)
  })

  it('6 deletes topics by id', async () => {
    const peer = await KafkaPeer.connect((await startBroker()).port)
    const topicId = await makeTopic(peer, 'a')
    const unknown = `${'x'.repeat(21)}A`
    const topics = [
      { name: null, topicId },
      { name: null, topicId: unknown },
      { name: null, topicId: ZERO_UUID },
      { name: 'a', topicId },
    ]
    const { responses } = await peer.call(deleteTopicsApi, 6, { topics, topicNames: [], timeoutMs: 1000 })
    expect(responses.map(({ name, topicId: id, errorCode }) => [name, id, errorCode])).toEqual([
      ['a', topicId, 0],
      [null, unknown, 100],
      [null, ZERO_UUID, 42],
      ['a', topicId, 42],
    ])
    expect((await metadataOf(peer, 'a'))?.errorCode).toBe(3)
  })

  it('deletes nothing where delete.topic.enable is false', async () => {
    const peer = await KafkaPeer.connect((await startBroker({ deleteTopicEnable: false })).port)
    await makeTopic(peer, 'a')
    for (const [version, code] of [
      [2, 42],
      [3, 73],
      [6, 73],
    ] as const) {
      const { responses } = await peer.call(deleteTopicsApi, version, namesAsked('a'))
      expect(responses[0]?.errorCode).toBe(code)
    }
  })
})

it.each([0, 1, 2, 3])('CreatePartitions %i lets topics grow', async (version) => {
  const peer = await KafkaPeer.connect((await startBroker()).port)
  for (const name of ['a', 'b', 'c', 'd', 'e']) await makeTopic(peer, name, 2)
  const here = { brokerIds: [1] }
  const topics = [
    { name: 'a', count: 5, assignments: null },
    { name: 'b', count: 4, assignments: [here, here] },
    { name: 'c', count: 4, assignments: [here] },
    { name: 'd', count: 3, assignments: [{ brokerIds: [7] }] },
    { name: 'e', count: 2, assignments: null },
    { name: 'missing', count: 2, assignments: null },
    { name: '__consumer_offsets', count: 2, assignments: null },
  ]
  const looked = await peer.call(createPartitionsApi, version, { topics, timeoutMs: 1000, validateOnly: true })
  expect((await metadataOf(peer, 'a'))?.partitions).toHaveLength(2)
  const { results } = await peer.call(createPartitionsApi, version, { topics, timeoutMs: 1000, validateOnly: false })
  expect(results).toEqual(looked.results)
  expect(results.map(({ name, errorCode }) => [name, errorCode])).toEqual([
    ['a', 0],
    ['b', 0],
    ['c', 39],
    ['d', 39],
    ['e', 37],
    ['missing', 3],
    ['__consumer_offsets', 17],
  ])
  expect((await metadataOf(peer, 'a'))?.partitions).toHaveLength(5)
  expect((await metadataOf(peer, 'b'))?.partitions).toHaveLength(4)
})

it('a topic takes what groups committed for it along, and a namesake does not inherit it', async () => {
  const broker = await startBroker()
  const peer = await KafkaPeer.connect(broker.port)
  const client = await Client.connect({ port: broker.port })
  await makeTopic(peer, 't')
  await client.produce('t', [{ value: 'a' }, { value: 'b' }], { partition: 0 })
  await client.commitOffset('group', 't', 0, 2)
  expect((await peer.call(deleteTopicsApi, 6, namesAsked('t'))).responses[0]?.errorCode).toBe(0)
  await makeTopic(peer, 't')
  expect(await client.fetchOffset('group', 't', 0)).toBe(null)
  await client.close()
  await broker.stop()
})

it('records of a deleted topic that are on their way arrive', async () => {
  const broker = await startBroker()
  const peer = await KafkaPeer.connect(broker.port)
  await makeTopic(peer, 't', 1, { 'record.format': 'mykafka' })
  const producer = await Client.connect({ port: broker.port })
  const value = Buffer.alloc(32 << 20, 'x')
  await producer.produce('t', [{ value }], { partition: 0 })
  await producer.close()
  // The reader takes no more until the topic is gone: most of the answer waits in the broker.
  const reader = await broker.connect()
  reader.send(frames.fetch('t', 0, 0, 64 << 20))
  await once(reader.socket, 'data')
  reader.socket.pause()
  expect((await peer.call(deleteTopicsApi, 6, namesAsked('t'))).responses[0]?.errorCode).toBe(0)
  reader.socket.resume()
  const { errorCode, records } = frames.readFetched(await reader.frame())
  expect(errorCode).toBe(0)
  expect(records.includes(value)).toBe(true)
})
