import { createTopicsApi } from '../../src/wire/kafka/generated/create-topics.js'
import { type FetchRequest, type FetchResponse, fetchApi } from '../../src/wire/kafka/generated/fetch.js'
import { metadataApi } from '../../src/wire/kafka/generated/metadata.js'
import {
  type ProduceRequest,
  type ProduceResponsePartition,
  produceApi,
} from '../../src/wire/kafka/generated/produce.js'
import { ZERO_UUID } from '../../src/wire/kafka/uuid.js'
import { batchVector } from './kafka-batches.js'
import type { KafkaPeer } from './kafka-peer.js'

/** The newest versions that are served. */
export const NEWEST = { produce: 11, fetch: 17, metadata: 12, listOffsets: 9 } as const

/** A batch of test/vectors/kafka-batches.json, as a client sends it. */
export function sentBatch(name: string): Buffer {
  return Buffer.from(batchVector(name).sent, 'hex')
}

/** The same batch as a log holds it from an offset on: the broker writes the base offset and the leader epoch. */
export function storedBatch(sent: Buffer, offset: number): Buffer {
  const stored = Buffer.from(sent)
  stored.writeBigInt64BE(BigInt(offset), 0)
  stored.writeInt32BE(0, 12)
  return stored
}

/** What it holds, by its header. */
export function recordCount(batch: Buffer): number {
  return batch.readInt32BE(57)
}

/** Makes a topic of one partition by asking for it. Returns its id. */
export async function makeTopic(peer: KafkaPeer, name: string): Promise<string> {
  const { topics } = await peer.call(metadataApi, NEWEST.metadata, {
    topics: [{ name, topicId: ZERO_UUID }],
    allowAutoTopicCreation: true,
    includeClusterAuthorizedOperations: false,
    includeTopicAuthorizedOperations: false,
  })
  if (topics[0]?.errorCode !== 0) throw new Error(`error ${topics[0]?.errorCode}`)
  return topics[0].topicId
}

export function produceRequest(
  records: Readonly<Record<string, readonly (Buffer | null)[]>>,
  acks = 1,
): ProduceRequest {
  const topicData = Object.entries(records).map(([name, partitions]) => ({
    name,
    partitionData: partitions.map((each, index) => ({ index, records: each })),
  }))
  return { transactionalId: null, acks, timeoutMs: 30_000, topicData }
}

/** Produces one batch to a partition of a topic, 0 where none is named. */
export async function produce(
  peer: KafkaPeer,
  topic: string,
  records: Buffer | null,
  { version = NEWEST.produce, acks = 1, partition = 0 }: { version?: number; acks?: number; partition?: number } = {},
): Promise<ProduceResponsePartition> {
  const topicData = [{ name: topic, partitionData: [{ index: partition, records }] }]
  const { responses } = await peer.call(produceApi, version, { ...produceRequest({}, acks), topicData })
  return responses[0]?.partitionResponses[0] as ProduceResponsePartition
}

/** Where to read from: a topic by name, or by id from version 13 on. */
export interface FetchFrom {
  topic: string
  topicId?: string
  partition?: number
  offset: number
  maxBytes?: number
  currentLeaderEpoch?: number
  lastFetchedEpoch?: number
}

export function fetchRequest(from: readonly FetchFrom[], options: Partial<FetchRequest> = {}): FetchRequest {
  return {
    clusterId: null,
    replicaId: -1,
    replicaState: null,
    maxWaitMs: 0,
    minBytes: 0,
    maxBytes: 1 << 20,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: -1,
    forgottenTopicsData: [],
    rackId: '',
    topics: from.map(({ topic, topicId = ZERO_UUID, partition = 0, offset, maxBytes = 1 << 20, ...epochs }) => ({
      topic,
      topicId,
      partitions: [
        {
          partition,
          currentLeaderEpoch: epochs.currentLeaderEpoch ?? -1,
          fetchOffset: offset,
          lastFetchedEpoch: epochs.lastFetchedEpoch ?? -1,
          logStartOffset: -1,
          partitionMaxBytes: maxBytes,
          replicaDirectoryId: ZERO_UUID,
        },
      ],
    })),
    ...options,
  }
}

/** What a response holds of each partition, in its order. */
export function fetched(response: FetchResponse) {
  return response.responses.flatMap(({ topic, topicId, partitions }) =>
    partitions.map((partition) => ({ topic, topicId, ...partition, records: partition.records as Buffer })),
  )
}

export async function fetch(
  peer: KafkaPeer,
  from: FetchFrom | readonly FetchFrom[],
  options: Partial<FetchRequest> & { version?: number } = {},
) {
  const { version = 12, ...rest } = options
  const request = fetchRequest(Array.isArray(from) ? from : [from as FetchFrom], rest)
  return fetched(await peer.call(fetchApi, version, request))
}

/** Makes a topic of one partition with configurations of its own. */
export async function makeTopicWith(
  peer: KafkaPeer,
  name: string,
  configs: Readonly<Record<string, string>>,
  numPartitions = 1,
): Promise<void> {
  const topic = {
    name,
    numPartitions,
    replicationFactor: 1,
    assignments: [],
    configs: Object.entries(configs).map(([config, value]) => ({ name: config, value })),
  }
  const { topics } = await peer.call(createTopicsApi, 7, { topics: [topic], timeoutMs: 0, validateOnly: false })
  if (topics[0]?.errorCode !== 0) throw new Error(`error ${topics[0]?.errorCode}: ${topics[0]?.errorMessage}`)
}
