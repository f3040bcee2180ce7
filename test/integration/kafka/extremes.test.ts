import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { KAFKA_ERRORS } from '../../../src/errors.js'
import { native } from '../../../src/native/load.js'
import { createTopicsApi } from '../../../src/wire/kafka/generated/create-topics.js'
import { deleteRecordsApi } from '../../../src/wire/kafka/generated/delete-records.js'
import { describeConfigsApi } from '../../../src/wire/kafka/generated/describe-configs.js'
import { describeGroupsApi } from '../../../src/wire/kafka/generated/describe-groups.js'
import { fetchApi } from '../../../src/wire/kafka/generated/fetch.js'
import { incrementalAlterConfigsApi } from '../../../src/wire/kafka/generated/incremental-alter-configs.js'
import { joinGroupApi } from '../../../src/wire/kafka/generated/join-group.js'
import { listOffsetsApi } from '../../../src/wire/kafka/generated/list-offsets.js'
import { offsetCommitApi } from '../../../src/wire/kafka/generated/offset-commit.js'
import { produceApi } from '../../../src/wire/kafka/generated/produce.js'
import type { KafkaApi } from '../../../src/wire/kafka/kafka-api.js'
import { decodeResponse } from '../../../src/wire/kafka/request-header.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import * as calls from '../../support/kafka-calls.js'
import { KafkaPeer, requestFrame } from '../../support/kafka-peer.js'

/** The longest string of Kafka's wire. */
const LONGEST = 'x'.repeat(32767)
const MAX_INT64 = 2n ** 63n - 1n
/** Stands in a request for an int64 that no number is. */
const PLACE = 0x123456789abc

let broker: TestBroker
let peer: KafkaPeer

beforeEach(async () => {
  broker = await startBroker()
  peer = await KafkaPeer.connect(broker.port)
})

describe('the longest strings', () => {
  it('as names of topics and configurations are refused each for itself, and by their reason', async () => {
    const topic = { numPartitions: 1, replicationFactor: 1, assignments: [] }
    const topics = [
      { ...topic, name: 'good', configs: [] },
      { ...topic, name: LONGEST, configs: [] },
      { ...topic, name: 'config', configs: [{ name: LONGEST, value: 'x' }] },
    ]
    const made = await peer.call(createTopicsApi, 7, { topics, timeoutMs: 0, validateOnly: false })
    const { INVALID_TOPIC_EXCEPTION, INVALID_CONFIG, UNKNOWN_TOPIC_OR_PARTITION } = KAFKA_ERRORS
    expect(made.topics.map(({ errorCode }) => errorCode)).toEqual([
      0,
      INVALID_TOPIC_EXCEPTION.wire,
      INVALID_CONFIG.wire,
    ])
    const records = { good: [calls.sentBatch('one record')], [LONGEST]: [calls.sentBatch('one record')] }
    const { responses } = await peer.call(produceApi, 11, calls.produceRequest(records))
    const codes = responses.map(({ partitionResponses }) => partitionResponses[0]?.errorCode)
    expect(codes).toEqual([0, UNKNOWN_TOPIC_OR_PARTITION.wire])
  })

  it('are what a list of a configuration can grow to', async () => {
    await calls.makeTopic(peer, 't')
    const name = 'leader.replication.throttled.replicas'
    const append = async (value: string) => {
      const resource = { resourceType: 2, resourceName: 't', configs: [{ name, configOperation: 2, value }] }
      const request = { resources: [resource], validateOnly: false }
      return (await peer.call(incrementalAlterConfigsApi, 1, request)).responses[0]?.errorCode
    }
    const part = (from: number) => Array.from({ length: 2000 }, (_, i) => `${from + i}:1`).join(',')
    expect(await append(part(10_000))).toBe(0)
    expect(await append(part(20_000))).toBe(0)
    expect(await append(part(30_000))).toBe(KAFKA_ERRORS.INVALID_CONFIG.wire)
    for (const version of [1, 4]) {
      const resources = [{ resourceType: 2, resourceName: 't', configurationKeys: [name] }]
      const request = { resources, includeSynonyms: true, includeDocumentation: false }
      const { results } = await peer.call(describeConfigsApi, version, request)
      expect(results[0]?.configs[0]?.value).toBe(`${part(10_000)},${part(20_000)}`)
    }
  })

  it('as names of clients, instances, groups and protocols make members like any other', async () => {
    const frame = (version: number, groupInstanceId: string | null) => {
      const request = {
        groupId: LONGEST,
        sessionTimeoutMs: 10_000,
        rebalanceTimeoutMs: 10_000,
        memberId: '',
        groupInstanceId,
        protocolType: LONGEST,
        protocols: [{ name: LONGEST, metadata: Buffer.alloc(0) }],
        reason: LONGEST,
      }
      return requestFrame(joinGroupApi, version, request, 1, LONGEST)
    }
    const answered = async (version: number, bytes: Buffer) =>
      decodeResponse(joinGroupApi, (await peer.peer.call(bytes)).subarray(4), version).response
    const offered = await answered(9, frame(9, null))
    expect(offered.errorCode).toBe(KAFKA_ERRORS.MEMBER_ID_REQUIRED.wire)
    const joined = await answered(9, frame(9, LONGEST))
    expect(joined).toMatchObject({ errorCode: 0, leader: joined.memberId })
    const { groups } = await peer.call(describeGroupsApi, 5, { groups: [LONGEST], includeAuthorizedOperations: false })
    expect(groups).toMatchObject([{ errorCode: 0, members: [{ memberId: joined.memberId, clientId: LONGEST }] }])
  })
})

/** Makes a request with an int64 that is none of ours. */
async function callWith<Req, Res>(api: KafkaApi<Req, Res>, version: number, request: Req, value: bigint): Promise<Res> {
  const frame = requestFrame(api, version, request)
  const place = Buffer.alloc(8)
  place.writeBigInt64BE(BigInt(PLACE))
  expect(frame.indexOf(place)).toBeGreaterThan(0)
  frame.writeBigInt64BE(value, frame.indexOf(place))
  return decodeResponse(api, (await peer.peer.call(frame)).subarray(4), version).response
}

describe.each([MAX_INT64, 2n ** 53n])('%d', (value) => {
  beforeEach(async () => {
    await calls.makeTopic(peer, 't')
    await calls.produce(peer, 't', calls.sentBatch('one record'))
  })

  it('is no offset to read from or to delete to', async () => {
    const fetched = await callWith(fetchApi, 12, calls.fetchRequest([{ topic: 't', offset: PLACE }]), value)
    const { wire: outOfRange } = KAFKA_ERRORS.OFFSET_OUT_OF_RANGE
    expect(calls.fetched(fetched)).toMatchObject([{ errorCode: outOfRange }])
    const topics = [{ name: 't', partitions: [{ partitionIndex: 0, offset: PLACE }] }]
    const deleted = await callWith(deleteRecordsApi, 2, { topics, timeoutMs: 0 }, value)
    expect(deleted.topics[0]?.partitions).toMatchObject([{ errorCode: outOfRange }])
  })

  it('is a time at which there is nothing yet', async () => {
    const partitions = [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp: PLACE }]
    const request = { replicaId: -1, isolationLevel: 0, topics: [{ name: 't', partitions }] }
    const answer = await callWith(listOffsetsApi, 9, request, value)
    expect(answer.topics[0]?.partitions).toMatchObject([{ errorCode: 0, offset: -1, timestamp: -1 }])
  })

  it('cannot be committed, and what is committed beside it is', async () => {
    const committed = { committedLeaderEpoch: -1, committedMetadata: null }
    const partitions = [
      { ...committed, partitionIndex: 0, committedOffset: PLACE },
      { ...committed, partitionIndex: 0, committedOffset: 1 },
    ]
    const request = {
      groupId: 'g',
      generationIdOrMemberEpoch: -1,
      memberId: '',
      groupInstanceId: null,
      retentionTimeMs: -1n,
      topics: [{ name: 't', partitions }],
    }
    const answer = await callWith(offsetCommitApi, 9, request, value)
    const codes = answer.topics[0]?.partitions.map(({ errorCode }) => errorCode)
    expect(codes).toEqual([KAFKA_ERRORS.INVALID_COMMIT_OFFSET_SIZE.wire, 0])
  })

  it('counts for nothing as the offset that a client gives its batch, whatever the topic does with it', async () => {
    await calls.makeTopicWith(peer, 'ours', { 'record.format': 'mykafka' })
    await calls.makeTopicWith(peer, 'compacted', { 'cleanup.policy': 'compact' })
    for (const topic of ['t', 'ours', 'compacted']) {
      const bytes = calls.sentBatch('one record')
      bytes.writeBigInt64BE(value, 0)
      expect(await calls.produce(peer, topic, bytes), topic).toMatchObject({ errorCode: 0 })
    }
    expect(broker.logger.messages('error')).toEqual([])
  })

  it('is no time for a record, of either format, compressed or not: times of the topic can be asked for', async () => {
    await calls.makeTopicWith(peer, 'ours', { 'record.format': 'mykafka' })
    const batch = (compressed: boolean, sign: bigint) => {
      const sent = calls.sentBatch('one record')
      const records = compressed ? gzipSync(sent.subarray(61)) : sent.subarray(61)
      const bytes = Buffer.concat([sent.subarray(0, 61), records])
      bytes.writeInt32BE(bytes.length - 12, 8)
      bytes.writeInt16BE(compressed ? 1 : 0, 21)
      for (const at of [27, 35]) bytes.writeBigInt64BE(sign * value, at)
      bytes.writeUInt32BE(native.crc32c(bytes.subarray(21)), 17)
      return bytes
    }
    for (const topic of ['t', 'ours']) {
      for (const bytes of [batch(false, 1n), batch(true, 1n), batch(false, -1n), batch(true, -1n)]) {
        const { errorCode } = await calls.produce(peer, topic, bytes)
        expect(errorCode).toBe(KAFKA_ERRORS.INVALID_RECORD.wire)
      }
    }
    for (const timestamp of [-3, 0]) {
      const partitions = [{ partitionIndex: 0, currentLeaderEpoch: -1, timestamp }]
      const request = { replicaId: -1, isolationLevel: 0, topics: [{ name: 't', partitions }] }
      const { topics } = await peer.call(listOffsetsApi, 9, request)
      expect(topics[0]?.partitions).toMatchObject([{ errorCode: 0, offset: 0 }])
    }
    expect(broker.logger.messages('error')).toEqual([])
  })
})
