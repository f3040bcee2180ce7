import { expect, it } from 'vitest'
import { deleteRecordsApi } from '../../../src/wire/kafka/generated/delete-records.js'
import { describeClusterApi } from '../../../src/wire/kafka/generated/describe-cluster.js'
import { describeLogDirsApi } from '../../../src/wire/kafka/generated/describe-log-dirs.js'
import {
  type DescribeTopicPartitionsRequest,
  type DescribeTopicPartitionsResponse,
  describeTopicPartitionsApi,
} from '../../../src/wire/kafka/generated/describe-topic-partitions.js'
import { makeTopic } from '../../support/admin-requests.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as frames from '../../support/frames.js'
import { KafkaPeer } from '../../support/kafka-peer.js'

/** A topic of our own with five records in partition 1. */
async function withRecords(broker: TestBroker): Promise<void> {
  const peer = await broker.connect()
  await peer.call(frames.createTopic('t', 2))
  for (let i = 0; i < 5; i++) await peer.call(frames.produce('t', 1, [{ value: `value ${i}` }]))
}

it.each([0, 1])('DescribeCluster %i tells of this broker, by the address of the listener', async (version) => {
  const { port } = await startBroker({
    nodeId: 5,
    rack: 'shelf',
    advertisedListeners: [{ host: 'broker.example', port: 19092 }],
  })
  const peer = await KafkaPeer.connect(port)
  const request = { includeClusterAuthorizedOperations: false, endpointType: 1 }
  expect(await peer.call(describeClusterApi, version, request)).toMatchObject({
    errorCode: 0,
    clusterId: expect.stringMatching(/^[\w-]{22}$/),
    controllerId: 5,
    brokers: [{ brokerId: 5, host: 'broker.example', port: 19092, rack: 'shelf' }],
  })
  if (version === 0) return
  for (const [endpointType, errorCode] of [
    [2, 114],
    [9, 115],
  ] as const) {
    const answer = await peer.call(describeClusterApi, version, { ...request, endpointType })
    expect(answer).toMatchObject({ errorCode, brokers: [] })
  }
})

it.each([0, 1, 2])('DeleteRecords %i deletes what lies below an offset', async (version) => {
  const broker = await startBroker()
  await withRecords(broker)
  const peer = await KafkaPeer.connect(broker.port)
  const of = async (name: string, partitionIndex: number, offset: number) => {
    const topics = [{ name, partitions: [{ partitionIndex, offset }] }]
    const answer = await peer.call(deleteRecordsApi, version, { topics, timeoutMs: 1000 })
    const { lowWatermark, errorCode } = answer.topics[0]?.partitions[0] ?? {}
    return [lowWatermark, errorCode]
  }
  expect(await of('t', 1, 3)).toEqual([3, 0])
  expect(await of('t', 1, 2)).toEqual([3, 0])
  expect(await of('t', 1, 6)).toEqual([-1, 1])
  expect(await of('t', 2, 0)).toEqual([-1, 3])
  expect(await of('missing', 0, 0)).toEqual([-1, 3])
  expect(await of('__consumer_offsets', 0, 0)).toEqual([-1, 17])
  expect(frames.readFetched(await (await broker.connect()).call(frames.fetch('t', 1, 2))).errorCode).toBe(1)
  expect(await of('t', 1, -1)).toEqual([5, 0])
})

it.each([0, 1, 2, 3, 4])('DescribeLogDirs %i tells the bytes of each log, and the room', async (version) => {
  const broker = await startBroker()
  await withRecords(broker)
  const peer = await KafkaPeer.connect(broker.port)
  const all = await peer.call(describeLogDirsApi, version, { topics: null })
  const [result] = all.results
  expect(all.results).toHaveLength(1)
  expect(result).toMatchObject({ errorCode: 0, logDir: broker.dataDir })
  expect(result?.topics.map(({ name }) => name).sort()).toEqual(['__consumer_offsets', 't'])
  // Our own entries: 28 bytes beside the value of 7.
  expect(result?.topics.find(({ name }) => name === 't')?.partitions).toEqual(
    [0n, 175n].map((partitionSize, partitionIndex) => ({
      partitionIndex,
      partitionSize,
      offsetLag: 0,
      isFutureKey: false,
    })),
  )
  if (version >= 4) {
    expect(result?.totalBytes).toBeGreaterThan(1n << 20n)
    expect(result?.usableBytes).toBeLessThanOrEqual(result?.totalBytes as bigint)
  }
  const topics = [
    { topic: 't', partitions: [1, 7] },
    { topic: 'missing', partitions: [0] },
  ]
  const some = await peer.call(describeLogDirsApi, version, { topics })
  expect(some.results[0]?.topics).toMatchObject([{ name: 't', partitions: [{ partitionIndex: 1 }] }])
})

it('DescribeTopicPartitions goes through topics and partitions page by page', async () => {
  const peer = await KafkaPeer.connect((await startBroker()).port)
  for (const [name, partitions] of [
    ['b', 5],
    ['a', 2],
    ['c', 1],
  ] as const) {
    await makeTopic(peer, name, partitions)
  }
  const pages: string[] = []
  let cursor: { topicName: string; partitionIndex: number } | null = null
  do {
    const request: DescribeTopicPartitionsRequest = { topics: [], responsePartitionLimit: 3, cursor }
    const answer: DescribeTopicPartitionsResponse = await peer.call(describeTopicPartitionsApi, 0, request)
    pages.push(
      answer.topics.map(({ name, partitions }) => `${name}: ${partitions.map((p) => p.partitionIndex)}`).join(' '),
    )
    cursor = answer.nextCursor ?? null
  } while (cursor !== null)
  expect(pages).toEqual(['__consumer_offsets: 0 a: 0,1', 'b: 0,1,2', 'b: 3,4 c: 0'])
  const named = { topics: [{ name: 'c' }, { name: 'missing' }], responsePartitionLimit: 2000, cursor: null }
  const { topics, nextCursor } = await peer.call(describeTopicPartitionsApi, 0, named)
  expect(nextCursor).toBe(null)
  expect(topics).toMatchObject([
    {
      errorCode: 0,
      name: 'c',
      isInternal: false,
      partitions: [{ leaderId: 1, replicaNodes: [1], isrNodes: [1], eligibleLeaderReplicas: [], lastKnownElr: [] }],
    },
    { errorCode: 3, name: 'missing', partitions: [] },
  ])
})
