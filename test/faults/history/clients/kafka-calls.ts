/** Calls of Kafka's wire for one partition; an answer with an error is thrown. */
import type { KafkaConnection } from '../../../../src/client/kafka-connection.js'
import { errorFromWire } from '../../../../src/errors.js'
import { decodeBatches } from '../../../../src/log/record-batch.js'
import { fetchApi } from '../../../../src/wire/kafka/generated/fetch.js'
import { listOffsetsApi } from '../../../../src/wire/kafka/generated/list-offsets.js'
import { produceApi } from '../../../../src/wire/kafka/generated/produce.js'
import { ZERO_UUID } from '../../../../src/wire/kafka/uuid.js'
import { readBatches } from '../../../support/kafka-records.js'
import { digestOf } from '../recorder.js'

const PRODUCE_VERSION = 9
/** The last one that names topics by their names. */
const FETCH_VERSION = 12
const LIST_OFFSETS_VERSION = 5
const NOWHERE = -1

/** Returns the offset of the first record. */
export async function produceBatch(
  kafka: KafkaConnection,
  topic: string,
  partition: number,
  { records, acks }: { records: Buffer; acks: number },
): Promise<number> {
  const topicData = [{ name: topic, partitionData: [{ index: partition, records }] }]
  const request = { transactionalId: null, acks, timeoutMs: 30_000, topicData }
  const { responses } = await kafka.call(produceApi, PRODUCE_VERSION, request)
  const answer = responses[0]?.partitionResponses[0]
  check(answer?.errorCode, `Produce to ${topic}-${partition}`)
  return answer?.baseOffset as number
}

export interface Read {
  readonly records: (readonly [offset: number, digest: string])[]
  /** Where to read on: batches can be empty. */
  readonly next: number
  readonly logStart: number
  readonly logEnd: number
}

export interface ReadOptions {
  readonly maxBytes?: number
  readonly maxWaitMs?: number
}

/** Reads from an offset on. */
export async function fetchFrom(
  kafka: KafkaConnection,
  topic: string,
  partition: number,
  offset: number,
  { maxBytes = 1 << 20, maxWaitMs = 0 }: ReadOptions = {},
): Promise<Read> {
  const from = {
    partition,
    currentLeaderEpoch: NOWHERE,
    fetchOffset: offset,
    lastFetchedEpoch: NOWHERE,
    logStartOffset: NOWHERE,
    partitionMaxBytes: maxBytes,
    replicaDirectoryId: ZERO_UUID,
  }
  const { responses } = await kafka.call(fetchApi, FETCH_VERSION, {
    clusterId: null,
    replicaId: NOWHERE,
    replicaState: null,
    maxWaitMs,
    minBytes: maxWaitMs > 0 ? 1 : 0,
    maxBytes,
    isolationLevel: 0,
    sessionId: 0,
    sessionEpoch: NOWHERE,
    topics: [{ topic, topicId: ZERO_UUID, partitions: [from] }],
    forgottenTopicsData: [],
    rackId: '',
  })
  const answer = responses[0]?.partitions[0]
  check(answer?.errorCode, `Fetch of ${topic}-${partition} at ${offset}`)
  const batches = (answer?.records ?? Buffer.alloc(0)) as Buffer
  const records = await readBatches(batches, offset)
  const ends = [...decodeBatches(batches)].map(({ baseOffset, lastOffsetDelta }) => baseOffset + lastOffsetDelta + 1)
  return {
    next: ends.at(-1) ?? offset,
    records: records.map((record) => [record.offset, digestOf(record.key, record.value)]),
    logStart: answer?.logStartOffset as number,
    logEnd: answer?.highWatermark as number,
  }
}

/** The log's first offset, or the one behind its last. */
export async function listOffset(
  kafka: KafkaConnection,
  topic: string,
  partition: number,
  which: 'start' | 'end',
): Promise<number> {
  const asked = { partitionIndex: partition, currentLeaderEpoch: NOWHERE, timestamp: which === 'start' ? -2 : -1 }
  const topics = [{ name: topic, partitions: [asked] }]
  const request = { replicaId: NOWHERE, isolationLevel: 0, topics }
  const answer = (await kafka.call(listOffsetsApi, LIST_OFFSETS_VERSION, request)).topics[0]?.partitions[0]
  check(answer?.errorCode, `ListOffsets of ${topic}-${partition}`)
  return answer?.offset as number
}

/** @throws MyKafkaError where it is not 0 */
export function check(errorCode: number | undefined, what: string): void {
  if (errorCode === undefined) throw new Error(`${what}: the answer is not about it`)
  if (errorCode !== 0) throw errorFromWire(errorCode, what)
}
