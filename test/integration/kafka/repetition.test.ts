import { beforeEach, expect, it } from 'vitest'
import { KAFKA_ERRORS } from '../../../src/errors.js'
import { createTopicsApi } from '../../../src/wire/kafka/generated/create-topics.js'
import { describeConfigsApi } from '../../../src/wire/kafka/generated/describe-configs.js'
import { describeGroupsApi } from '../../../src/wire/kafka/generated/describe-groups.js'
import { describeLogDirsApi } from '../../../src/wire/kafka/generated/describe-log-dirs.js'
import { describeTopicPartitionsApi } from '../../../src/wire/kafka/generated/describe-topic-partitions.js'
import { incrementalAlterConfigsApi } from '../../../src/wire/kafka/generated/incremental-alter-configs.js'
import { listGroupsApi } from '../../../src/wire/kafka/generated/list-groups.js'
import { listOffsetsApi } from '../../../src/wire/kafka/generated/list-offsets.js'
import { metadataApi } from '../../../src/wire/kafka/generated/metadata.js'
import { offsetCommitApi } from '../../../src/wire/kafka/generated/offset-commit.js'
import { offsetFetchApi } from '../../../src/wire/kafka/generated/offset-fetch.js'
import { ZERO_UUID } from '../../../src/wire/kafka/uuid.js'
import { startBroker } from '../../support/broker.js'
import { makeTopicWith } from '../../support/kafka-calls.js'
import { KafkaPeer } from '../../support/kafka-peer.js'

/** With three elements each time nearly as many as a request may have; told each time, what is asked here would be gigabytes. */
const TIMES = 20_000
const PARTITIONS = 200

let peer: KafkaPeer

beforeEach(async () => {
  peer = await KafkaPeer.connect((await startBroker()).port)
  await makeTopicWith(peer, 't', {}, PARTITIONS)
})

function often<T>(each: T): T[] {
  return Array(TIMES).fill(each)
}

it('Metadata describes a topic once, by its name and by its id', async () => {
  const flags = {
    allowAutoTopicCreation: true,
    includeClusterAuthorizedOperations: false,
    includeTopicAuthorizedOperations: false,
  }
  const byName = await peer.call(metadataApi, 12, { ...flags, topics: often({ name: 't', topicId: ZERO_UUID }) })
  expect(byName.topics.map(({ name, partitions }) => [name, partitions.length])).toEqual([['t', PARTITIONS]])
  const topicId = byName.topics[0]?.topicId as string
  const byId = await peer.call(metadataApi, 12, { ...flags, topics: often({ name: null, topicId }) })
  expect(byId.topics.map(({ name, partitions }) => [name, partitions.length])).toEqual([['t', PARTITIONS]])
  const made = await peer.call(metadataApi, 12, { ...flags, topics: often({ name: 'new', topicId: ZERO_UUID }) })
  expect(made.topics).toMatchObject([{ name: 'new', errorCode: 0 }])
})

it('DescribeConfigs describes a resource once, with all that is asked of it', async () => {
  const all = { resourceType: 2, resourceName: 't', configurationKeys: null }
  const options = { includeSynonyms: true, includeDocumentation: true }
  const { results } = await peer.call(describeConfigsApi, 4, { ...options, resources: often(all) })
  expect(results.map(({ resourceName, configs }) => [resourceName, configs.length > 30])).toEqual([['t', true]])
  const resources = [['retention.ms'], ['cleanup.policy']].map((configurationKeys) => ({ ...all, configurationKeys }))
  const named = await peer.call(describeConfigsApi, 4, { ...options, resources })
  expect(named.results.map(({ configs }) => configs.map(({ name }) => name).sort())).toEqual([
    ['cleanup.policy', 'retention.ms'],
  ])
})

it('OffsetFetch tells of a group, a topic and a partition once, DescribeGroups and ListGroups of a group', async () => {
  const partitions = Array.from({ length: PARTITIONS }, (_, partitionIndex) => ({
    partitionIndex,
    committedOffset: partitionIndex,
    committedLeaderEpoch: -1,
    committedMetadata: 'x'.repeat(4096),
  }))
  await peer.call(offsetCommitApi, 9, {
    groupId: 'g',
    generationIdOrMemberEpoch: -1,
    memberId: '',
    groupInstanceId: null,
    retentionTimeMs: -1n,
    topics: [{ name: 't', partitions }],
  })
  const fetch = async (asked: readonly ({ name: string; partitionIndexes: number[] }[] | null)[]) => {
    const groups = asked.map((topics) => ({ groupId: 'g', memberId: null, memberEpoch: -1, topics }))
    const answer = await peer.call(offsetFetchApi, 9, { groupId: '', topics: null, groups, requireStable: false })
    return answer.groups.map(({ groupId, topics }) => ({
      groupId,
      topics: topics.map(({ name, partitions: of }) => [name, of.map(({ committedOffset }) => committedOffset)]),
    }))
  }
  const each = partitions.map(({ committedOffset }) => committedOffset)
  expect(await fetch(often(null))).toEqual([{ groupId: 'g', topics: [['t', each]] }])
  expect(await fetch([[{ name: 't', partitionIndexes: often(1) }]])).toEqual([{ groupId: 'g', topics: [['t', [1]]] }])
  const parts = [[{ name: 't', partitionIndexes: [1, 2] }], [{ name: 't', partitionIndexes: [2, 3] }]]
  expect(await fetch(parts)).toEqual([{ groupId: 'g', topics: [['t', [1, 2, 3]]] }])

  const described = await peer.call(describeGroupsApi, 5, { groups: often('g'), includeAuthorizedOperations: false })
  expect(described.groups.map(({ groupId }) => groupId)).toEqual(['g'])
  const listed = await peer.call(listGroupsApi, 5, { statesFilter: often('empty'), typesFilter: often('CLASSIC') })
  expect(listed.groups.map(({ groupId }) => groupId)).toEqual(['g'])
})

it('ListOffsets refuses a partition that is there more than once', async () => {
  const asked = { partitionIndex: 1, currentLeaderEpoch: -1, timestamp: 0 }
  const partitions = [...often(asked), { ...asked, partitionIndex: 2 }]
  const topics = [{ name: 't', partitions }]
  const answer = await peer.call(listOffsetsApi, 9, { replicaId: -1, isolationLevel: 0, topics })
  const codes = answer.topics[0]?.partitions.map(({ errorCode }) => errorCode) ?? []
  expect(codes.slice(0, -1).every((code) => code === KAFKA_ERRORS.INVALID_REQUEST.wire)).toBe(true)
  expect(codes.slice(-2)).toEqual([KAFKA_ERRORS.INVALID_REQUEST.wire, 0])
})

it('DescribeLogDirs and DescribeTopicPartitions tell of a partition once', async () => {
  const dirs = await peer.call(describeLogDirsApi, 4, { topics: often({ topic: 't', partitions: [7] }) })
  expect(dirs.results[0]?.topics.map(({ name, partitions }) => [name, partitions.length])).toEqual([['t', 1]])
  const parts = await peer.call(describeTopicPartitionsApi, 0, {
    topics: often({ name: 't' }),
    responsePartitionLimit: 2000,
    cursor: null,
  })
  expect(parts.topics.map(({ partitions }) => partitions.length)).toEqual([PARTITIONS])
})

it('CreateTopics refuses to make, or to look at, more than 10000 partitions at once', async () => {
  const create = async (topics: number, numPartitions: number) => {
    const asked = Array.from({ length: topics }, (_, i) => ({
      name: `${i}`,
      numPartitions,
      replicationFactor: 1,
      assignments: [],
      configs: [],
    }))
    const answer = await peer.call(createTopicsApi, 7, { topics: asked, timeoutMs: 0, validateOnly: true })
    return new Set(answer.topics.map(({ errorCode }) => errorCode))
  }
  const refused = new Set([KAFKA_ERRORS.POLICY_VIOLATION.wire])
  expect(await create(50_000, 1)).toEqual(refused)
  expect(await create(10_001, -1)).toEqual(refused)
  expect(await create(2, 5001)).toEqual(refused)
  expect(await create(2, 5000)).toEqual(new Set([0]))
  expect(await create(1, 10_001)).toEqual(new Set([KAFKA_ERRORS.INVALID_PARTITIONS.wire]))
})

it('IncrementalAlterConfigs refuses thousands of names that are no configurations', async () => {
  const configs = Array.from({ length: TIMES }, (_, i) => ({ name: `no-${i}`, configOperation: 0, value: 'x' }))
  const resources = [{ resourceType: 2, resourceName: 't', configs }]
  const answer = await peer.call(incrementalAlterConfigsApi, 1, { resources, validateOnly: false })
  expect(answer.responses.map(({ errorCode }) => errorCode)).toEqual([KAFKA_ERRORS.INVALID_CONFIG.wire])
})
