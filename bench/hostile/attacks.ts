import { gzipSync } from 'node:zlib'
import { encodeBatch } from '../../src/log/record-batch-encoder.js'
import { apiVersionsApi } from '../../src/wire/kafka/generated/api-versions.js'
import { fetchApi } from '../../src/wire/kafka/generated/fetch.js'
import { joinGroupApi } from '../../src/wire/kafka/generated/join-group.js'
import { listOffsetsApi } from '../../src/wire/kafka/generated/list-offsets.js'
import { metadataApi } from '../../src/wire/kafka/generated/metadata.js'
import { produceApi } from '../../src/wire/kafka/generated/produce.js'
import type { KafkaApi } from '../../src/wire/kafka/kafka-api.js'
import { encodeRequest } from '../../src/wire/kafka/request-header.js'
import { ZERO_UUID } from '../../src/wire/kafka/uuid.js'
import { loadConversations } from '../../test/hostile/support/corpus.js'
import { mutateConversation } from '../../test/hostile/support/mutations.js'
import { withRecords } from '../../test/support/record-batches.js'
import { seededRandom } from '../../test/support/seeded-random.js'

/** Topics that attacks are about; of Kafka's batches but for the last. */
export const TOPICS = { stored: 'attacked', compacted: 'attacked-compacted', converted: 'attacked-converted' } as const
const MEBIBYTE = 1 << 20

/** What peers do, again and again. */
export interface Traffic {
  /** Connections that are there at the same time. */
  readonly connections: number
  /** How often a second one of them does it, in all. */
  readonly perSecond: number
  /** What is sent each time. */
  bytes(turn: number): Buffer
  /** What becomes of the connection behind it. */
  readonly behind: 'stay' | 'close'
  /** Whether what comes back is read. */
  readonly reads: boolean
}

/** An attack, and traffic that is as heavy and means no harm. */
export interface Attack {
  readonly hostile: Traffic
  readonly valid: Traffic
  /** What is as heavy. */
  readonly alike: string
}

function frame<Req, Res>(api: KafkaApi<Req, Res>, version: number, request: Req): Buffer {
  return Buffer.concat(encodeRequest(api, request, version, 1, 'bench') as Buffer[])
}

function pick<T>(list: readonly T[]): (turn: number) => T {
  return (turn) => list[turn % list.length] as T
}

const versions = frame(apiVersionsApi, 3, { clientSoftwareName: 'bench', clientSoftwareVersion: '1' })

function fetchAll(topic: string): Buffer {
  const asked = { currentLeaderEpoch: -1, fetchOffset: 0, lastFetchedEpoch: -1, logStartOffset: -1 }
  const partitions = [{ ...asked, partition: 0, partitionMaxBytes: 2 ** 31 - 1, replicaDirectoryId: ZERO_UUID }]
  return frame(fetchApi, 11, {
    clusterId: null,
    replicaId: -1,
    replicaState: null,
    maxWaitMs: 0,
    minBytes: 1,
    maxBytes: 2 ** 31 - 1,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [{ topic, topicId: ZERO_UUID, partitions }],
    forgottenTopicsData: [],
    rackId: '',
  })
}

function metadataOf(count: number, name: (i: number) => string): Buffer {
  return frame(metadataApi, 9, {
    topics: Array.from({ length: count }, (_, i) => ({ name: name(i), topicId: ZERO_UUID })),
    allowAutoTopicCreation: false,
    includeClusterAuthorizedOperations: false,
    includeTopicAuthorizedOperations: false,
  })
}

function offsetsOf(count: number, topic: string, partition: (i: number) => number): Buffer {
  const partitions = Array.from({ length: count }, (_, i) => ({
    partitionIndex: partition(i),
    currentLeaderEpoch: -1,
    timestamp: -1,
  }))
  return frame(listOffsetsApi, 6, { replicaId: -1, isolationLevel: 0, topics: [{ name: topic, partitions }] })
}

function produce(topic: string, records: Buffer): Buffer {
  const topicData = [{ name: topic, partitionData: [{ index: 0, records }] }]
  return frame(produceApi, 7, { transactionalId: null, acks: 1, timeoutMs: 10_000, topicData })
}

/** A batch of one record, compressed, that claims nothing and holds so many zeros. */
function bomb(plainBytes: number): Buffer {
  const one = encodeBatch([
    { offset: 0, timestamp: Date.now(), key: Buffer.from('k'), value: Buffer.alloc(plainBytes) },
  ])
  return withRecords(one, gzipSync(one.subarray(61)), 1)
}

/** Gzip of a record of so many bytes, a quarter of them random. */
function honest(plainBytes: number): Buffer {
  const random = seededRandom(1)
  const value = Buffer.alloc(plainBytes, 'mykafka ')
  for (let at = 0; at < plainBytes; at += 4096) random.bytes(1024).copy(value, at)
  const one = encodeBatch([{ offset: 0, timestamp: Date.now(), key: Buffer.from('k'), value }])
  return withRecords(one, gzipSync(one.subarray(61)), 1)
}

function plain(bytes: number): Buffer {
  const value = Buffer.alloc(bytes, 'mykafka ')
  return encodeBatch([{ offset: 0, timestamp: Date.now(), key: Buffer.from('k'), value }])
}

function join(groupId: string): Buffer {
  return frame(joinGroupApi, 3, {
    groupId,
    sessionTimeoutMs: 1_800_000,
    rebalanceTimeoutMs: 1_800_000,
    memberId: '',
    groupInstanceId: null,
    protocolType: 'consumer',
    protocols: [{ name: 'range', metadata: Buffer.alloc(10_000) }],
    reason: null,
  })
}

function greetings(): readonly Buffer[] {
  return [
    Buffer.from('16030102000100', 'hex'),
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'),
    Buffer.from('ffffffff00010001', 'hex'),
    Buffer.alloc(64, 0xaa),
  ]
}

function mutations(): readonly Buffer[] {
  const random = seededRandom(7)
  const conversations = loadConversations().slice(0, 7)
  return Array.from({ length: 500 }, () => Buffer.concat(mutateConversation(random.pick(conversations), random, 8)))
}

function recorded(): readonly Buffer[] {
  // Those whose requests wait for nobody.
  const quick = new Set([0, 1, 2, 3, 8, 9, 10, 15, 16, 18, 32])
  return loadConversations()
    .slice(0, 6)
    .map((frames) => Buffer.concat(frames.filter((each) => quick.has(each.readInt16BE(4))).slice(0, 8)))
}

/** Half a frame that announces 100 MB. */
function half(bytes: number): Buffer {
  const part = Buffer.alloc(bytes)
  part.write('063fffff000000070000000100017a', 'hex')
  return part
}

const stay = { behind: 'stay', reads: true } as const
const close = { behind: 'close', reads: true } as const

/** By name, those that are measured. */
export const ATTACKS: Readonly<Record<string, () => Attack>> = {
  greetings: () => ({
    alike: 'ApiVersions, on as many connections',
    hostile: { connections: 20, perSecond: 1000, bytes: pick(greetings()), ...close },
    valid: { connections: 20, perSecond: 1000, bytes: () => versions, ...close },
  }),
  mutations: () => ({
    alike: 'the conversations as they were',
    hostile: { connections: 20, perSecond: 300, bytes: pick(mutations()), ...close },
    valid: { connections: 20, perSecond: 300, bytes: pick(recorded()), ...close },
  }),
  'half frames': () => ({
    alike: 'Produces of as many bytes',
    hostile: { connections: 500, perSecond: 200, bytes: pick([half(MEBIBYTE)]), ...stay },
    valid: {
      connections: 500,
      perSecond: 200,
      bytes: pick([produce(TOPICS.stored, plain(MEBIBYTE - 1000))]),
      ...stay,
    },
  }),
  'a flood, unread': () => ({
    alike: 'the same, read',
    hostile: {
      connections: 50,
      perSecond: 2000,
      bytes: pick([Buffer.concat(Array(20).fill(versions))]),
      behind: 'stay',
      reads: false,
    },
    valid: { connections: 50, perSecond: 2000, bytes: pick([Buffer.concat(Array(20).fill(versions))]), ...stay },
  }),
  'fetches of 2 GiB, unread': () => ({
    alike: 'the same, read',
    hostile: { connections: 100, perSecond: 20, bytes: pick([fetchAll(TOPICS.stored)]), behind: 'stay', reads: false },
    valid: { connections: 100, perSecond: 20, bytes: pick([fetchAll(TOPICS.stored)]), ...stay },
  }),
  'converting fetches, unread': () => ({
    alike: 'the same, read',
    hostile: {
      connections: 100,
      perSecond: 50,
      bytes: pick([fetchAll(TOPICS.converted)]),
      behind: 'stay',
      reads: false,
    },
    valid: { connections: 100, perSecond: 50, bytes: pick([fetchAll(TOPICS.converted)]), ...stay },
  }),
  'requests of 65000 names': () => ({
    alike: 'as many in requests of 100',
    hostile: {
      connections: 4,
      perSecond: 0.5,
      bytes: pick([metadataOf(65_000, (i) => `nothing-${i}`), offsetsOf(65_000, 'nothing', (i) => i)]),
      ...stay,
    },
    valid: {
      connections: 4,
      perSecond: 325,
      bytes: pick([metadataOf(100, (i) => `nothing-${i}`), offsetsOf(100, 'nothing', (i) => i)]),
      ...stay,
    },
  }),
  'gzip bombs': () => ({
    alike: 'as many bytes of honest gzip, decompressed',
    hostile: { connections: 10, perSecond: 2, bytes: pick([produce(TOPICS.compacted, bomb(64 * MEBIBYTE))]), ...stay },
    valid: { connections: 10, perSecond: 43, bytes: pick([produce(TOPICS.compacted, honest(3 * MEBIBYTE))]), ...stay },
  }),
  'groups made up': () => ({
    alike: 'as many Produces of as many bytes',
    hostile: { connections: 20, perSecond: 300, bytes: (turn) => join(`made-up-${turn}`), ...stay },
    valid: { connections: 20, perSecond: 300, bytes: pick([produce(TOPICS.stored, plain(10_000))]), ...stay },
  }),
}
