/** Produce and Fetch of one partition, for tests that look at records. */
import { decompress } from '../../src/log/compression.js'
import { codecOf, decodeBatches, isControl } from '../../src/log/record-batch.js'
import { type BatchRecord, iterateBatch } from '../../src/log/record-cursor.js'
import { fetchApi } from '../../src/wire/kafka/generated/fetch.js'
import { type ProduceResponsePartition, produceApi } from '../../src/wire/kafka/generated/produce.js'
import { ZERO_UUID } from '../../src/wire/kafka/uuid.js'
import type { KafkaPeer } from './kafka-peer.js'

/** A Produce request of one batch. */
export function produceRequest(topic: string, partition: number, records: Buffer, acks = -1) {
  const partitionData = [{ index: partition, records }]
  return { transactionalId: null, acks, timeoutMs: 30_000, topicData: [{ name: topic, partitionData }] }
}

/** What became of a batch. */
export async function produceBatch(
  peer: KafkaPeer,
  topic: string,
  partition: number,
  records: Buffer,
  version = 9,
): Promise<ProduceResponsePartition> {
  const { responses } = await peer.call(produceApi, version, produceRequest(topic, partition, records))
  return responses[0]?.partitionResponses[0] as ProduceResponsePartition
}

/** What one Fetch of a partition gave, its batches as they came. */
export async function fetchBatches(
  peer: KafkaPeer,
  topic: string,
  partition: number,
  fetchOffset: number,
  { maxBytes = 1 << 20, version = 12 }: { maxBytes?: number; version?: number } = {},
): Promise<{ errorCode: number; highWatermark: number; batches: Buffer }> {
  const asked = {
    partition,
    currentLeaderEpoch: -1,
    fetchOffset,
    lastFetchedEpoch: -1,
    logStartOffset: -1,
    partitionMaxBytes: maxBytes,
    replicaDirectoryId: ZERO_UUID,
  }
  const { responses } = await peer.call(fetchApi, version, {
    clusterId: null,
    replicaId: -1,
    replicaState: null,
    maxWaitMs: 0,
    minBytes: 0,
    maxBytes,
    isolationLevel: 1,
    sessionId: 0,
    sessionEpoch: -1,
    topics: [{ topic, topicId: ZERO_UUID, partitions: [asked] }],
    forgottenTopicsData: [],
    rackId: '',
  })
  const [found] = responses[0]?.partitions ?? []
  if (found === undefined) throw new Error('a Fetch that tells of no partition')
  const { errorCode, highWatermark, records } = found
  return { errorCode, highWatermark, batches: (records as Buffer | null) ?? Buffer.alloc(0) }
}

/** The records of batches, as a client sees them. */
export async function readBatches(batches: Buffer, from = 0): Promise<BatchRecord[]> {
  const records: BatchRecord[] = []
  for (const batch of decodeBatches(batches)) {
    if (isControl(batch)) continue
    const plain = await decompress(codecOf(batch), batch.records, 1 << 28)
    for (const record of iterateBatch(batch, plain)) if (record.offset >= from) records.push(record)
  }
  return records
}

/** Every record of a partition from an offset on. */
export async function fetchRecords(
  peer: KafkaPeer,
  topic: string,
  partition: number,
  from = 0,
  maxBytes?: number,
): Promise<BatchRecord[]> {
  const all: BatchRecord[] = []
  for (let offset = from; ; ) {
    const { errorCode, highWatermark, batches } = await fetchBatches(peer, topic, partition, offset, {
      ...(maxBytes !== undefined && { maxBytes }),
    })
    if (errorCode !== 0) throw new Error(`a Fetch from ${offset} answered ${errorCode}`)
    all.push(...(await readBatches(batches, offset)))
    const next = (all.at(-1)?.offset ?? from - 1) + 1
    if (next >= highWatermark || next === offset) return all
    offset = next
  }
}
