import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type MetadataRequest, type MetadataResponse, metadataApi } from '../../../src/wire/kafka/generated/metadata.js'
import { offsetForLeaderEpochApi } from '../../../src/wire/kafka/generated/offset-for-leader-epoch.js'
import { ZERO_UUID } from '../../../src/wire/kafka/uuid.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { KafkaPeer } from '../../support/kafka-peer.js'
import { temporaryDirectory } from '../../support/temporary.js'

const NEWEST = 12
const ALL: MetadataRequest = {
  topics: null,
  allowAutoTopicCreation: true,
  includeClusterAuthorizedOperations: false,
  includeTopicAuthorizedOperations: false,
}
const NO_OPERATIONS = -2147483648

const named = (...names: string[]): MetadataRequest => ({
  ...ALL,
  topics: names.map((name) => ({ name, topicId: ZERO_UUID })),
})
const withId = (topicId: string): MetadataRequest => ({ ...ALL, topics: [{ name: null, topicId }] })
const namesIn = ({ topics }: MetadataResponse): (string | null)[] => topics.map(({ name }) => name).sort()

async function withTopic(broker: TestBroker, partitions = 2): Promise<KafkaPeer> {
  await (await broker.connect()).call(frames.createTopic('t', partitions))
  return await KafkaPeer.connect(broker.port)
}

describe.each([0, 1, 4, 5, 7, 8, 9, 10, 11, 12])('Metadata %i', (version) => {
  it('names the broker, the topic and its partitions', async () => {
    const broker = await startBroker({ nodeId: 7 })
    const peer = await withTopic(broker)
    const answer = await peer.call(metadataApi, version, named('t'))
    expect(answer.brokers).toEqual([{ nodeId: 7, host: '127.0.0.1', port: broker.port, rack: null }])
    if (version >= 1) expect(answer.controllerId).toBe(7)
    if (version >= 2) expect(answer.clusterId).toMatch(/^[\w-]{22}$/)
    const partition = { errorCode: 0, leaderId: 7, replicaNodes: [7], isrNodes: [7], offlineReplicas: [] }
    const leaderEpoch = version >= 7 ? 0 : -1
    expect(answer.topics).toEqual([
      {
        errorCode: 0,
        name: 't',
        topicId: version >= 10 ? expect.stringMatching(/^[\w-]{22}$/) : ZERO_UUID,
        isInternal: false,
        partitions: [0, 1].map((partitionIndex) => ({ ...partition, partitionIndex, leaderEpoch })),
        topicAuthorizedOperations: NO_OPERATIONS,
      },
    ])
  })

  it('lists all topics, the internal ones marked', async () => {
    const peer = await withTopic(await startBroker())
    const answer = await peer.call(metadataApi, version, version === 0 ? named() : ALL)
    expect(namesIn(answer)).toEqual(['__consumer_offsets', 't'])
    if (version === 0) return
    expect(answer.topics.find(({ isInternal }) => isInternal)?.name).toBe('__consumer_offsets')
    expect((await peer.call(metadataApi, version, named())).topics).toEqual([])
  })
})

describe('a topic that is missing', () => {
  it('is made, with num.partitions, for Kafka records', async () => {
    const broker = await startBroker({ numPartitions: 3 })
    const peer = await KafkaPeer.connect(broker.port)
    const [topic] = (await peer.call(metadataApi, NEWEST, named('new'))).topics
    expect(topic).toMatchObject({ errorCode: 0, name: 'new' })
    expect(topic?.partitions).toHaveLength(3)
    expect(namesIn(await peer.call(metadataApi, 4, ALL))).toContain('new')
  })

  it('is made once, by however many ask', async () => {
    const broker = await startBroker()
    const peers = await Promise.all(Array.from({ length: 8 }, () => KafkaPeer.connect(broker.port)))
    const answers = await Promise.all(peers.map((peer) => peer.call(metadataApi, NEWEST, named('new', 'new', 'other'))))
    const ids = answers.flatMap(({ topics }) => topics.map(({ errorCode, topicId }) => `${errorCode} ${topicId}`))
    expect(new Set(ids).size).toBe(2)
  })

  it('is not made where the client or the broker does not want it', async () => {
    const willing = await KafkaPeer.connect((await startBroker()).port)
    const asked = await willing.call(metadataApi, NEWEST, { ...named('new'), allowAutoTopicCreation: false })
    expect(asked.topics).toMatchObject([{ errorCode: 3, name: 'new', partitions: [] }])
    const unwilling = await KafkaPeer.connect((await startBroker({ autoCreateTopicsEnable: false })).port)
    for (const version of [0, 4, NEWEST]) {
      const { topics } = await unwilling.call(metadataApi, version, named('new'))
      expect(topics).toMatchObject([{ errorCode: 3, name: 'new', partitions: [] }])
    }
    expect(namesIn(await unwilling.call(metadataApi, NEWEST, ALL))).toEqual(['__consumer_offsets'])
  })

  it('is not made under a name that no topic can have', async () => {
    const peer = await KafkaPeer.connect((await startBroker()).port)
    const { topics } = await peer.call(metadataApi, NEWEST, named('a b', '', '..', 'x'.repeat(250)))
    expect(topics.map(({ errorCode }) => errorCode)).toEqual([17, 17, 17, 17])
  })
})

it('finds a topic by its id', async () => {
  const peer = await withTopic(await startBroker())
  const { topicId } = (await peer.call(metadataApi, NEWEST, named('t'))).topics[0] as { topicId: string }
  expect((await peer.call(metadataApi, NEWEST, withId(topicId))).topics).toMatchObject([{ errorCode: 0, name: 't' }])
  const unknown = 'AAAAAAAAAAAAAAAAAAAAAQ'
  expect((await peer.call(metadataApi, NEWEST, withId(unknown))).topics).toMatchObject([
    { errorCode: 100, name: null, topicId: unknown },
  ])
})

it('tells of a partition that is offline', async () => {
  const dataDir = await temporaryDirectory()
  const first = await startBroker({ dataDir })
  await withTopic(first)
  await first.stop()
  await rm(join(dataDir, 't', '1'), { recursive: true })
  const peer = await KafkaPeer.connect((await startBroker({ dataDir })).port)
  const [topic] = (await peer.call(metadataApi, NEWEST, named('t'))).topics
  expect(topic?.partitions).toMatchObject([
    { errorCode: 0, leaderId: 1, offlineReplicas: [] },
    { errorCode: 5, leaderId: -1, leaderEpoch: -1, offlineReplicas: [1] },
  ])
})

describe.each([2, 3, 4])('OffsetForLeaderEpoch %i', (version) => {
  it('knows one epoch, 0, which ends at the log end', async () => {
    const broker = await startBroker()
    const peer = await withTopic(broker, 1)
    await (await broker.connect()).call(frames.produce('t', 0, [{ value: 'a' }, { value: 'b' }]))
    const ask = async (topic: string, leaderEpoch: number, currentLeaderEpoch = 0): Promise<unknown> => {
      const partitions = [{ partition: 0, currentLeaderEpoch, leaderEpoch }]
      const answer = await peer.call(offsetForLeaderEpochApi, version, {
        replicaId: -1,
        topics: [{ topic, partitions }],
      })
      return answer.topics[0]?.partitions[0]
    }
    expect(await ask('t', 0)).toEqual({ errorCode: 0, partition: 0, leaderEpoch: 0, endOffset: 2 })
    expect(await ask('t', 1)).toEqual({ errorCode: 0, partition: 0, leaderEpoch: -1, endOffset: -1 })
    expect(await ask('t', -1)).toEqual({ errorCode: 0, partition: 0, leaderEpoch: -1, endOffset: -1 })
    expect(await ask('t', 0, 1)).toMatchObject({ errorCode: 75 })
    expect(await ask('nothing', 0)).toMatchObject({ errorCode: 3 })
  })
})
