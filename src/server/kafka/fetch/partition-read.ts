import { KAFKA_ERRORS, MyKafkaError } from '../../../errors.js'
import { readAsBatches } from '../../../log/conversion/converted-reads.js'
import type { EncodedBatches } from '../../../log/conversion/stored-to-batches.js'
import type { FileSlice } from '../../../log/file-slice.js'
import type { ReadResult } from '../../../log/log-reader.js'
import type { PartitionLog } from '../../../log/partition-log.js'
import type { Topic } from '../../../topic/topic.js'
import type { FetchResponsePartition } from '../../../wire/kafka/generated/fetch.js'
import { ZERO_UUID } from '../../../wire/kafka/uuid.js'
import type { KafkaCall, KafkaContext } from '../kafka-handler.js'
import { checkLeaderEpoch, LEADER_EPOCH } from '../leadership.js'
import type { FetchPartition } from './fetch-partition.js'

/** What one read of a partition gave. */
export interface PartitionRead {
  readonly asked: FetchPartition
  readonly response: FetchResponsePartition
  /** Of records. */
  readonly bytes: number
  readonly slices: readonly FileSlice[]
  /** The log, where it could be read. */
  readonly log: PartitionLog | null
}

/** How much a read may give. */
export interface ReadLimits {
  /** Of records. */
  readonly maxBytes: number
  /** Of it, what may be copied: records of another format are converted in memory. */
  readonly maxCopiedBytes: number
  /** Whether one batch may be given however large it is. */
  readonly atLeastOne: boolean
  /** Whether aborted transactions are told. */
  readonly readCommitted: boolean
}

const NOTHING = Buffer.alloc(0)
const UNKNOWN_OFFSET = -1

/** Reads one partition. Never throws: what goes wrong is told in the response. */
export function readPartition(
  asked: FetchPartition,
  limits: ReadLimits,
  call: KafkaCall,
): PartitionRead | Promise<PartitionRead> {
  const { context } = call
  const { topicId, topic: name, partition } = asked
  if (topicId === ZERO_UUID && !context.logs.hasPartition(name, partition)) {
    const response = failure(asked, KAFKA_ERRORS.UNKNOWN_TOPIC_OR_PARTITION.wire)
    return { asked, response, bytes: 0, slices: [], log: null }
  }
  try {
    const topic = findTopic(asked, context)
    const log = context.logs.partition(topic.name, asked.partition)
    checkLeaderEpoch(asked.currentLeaderEpoch)
    const head = headOf(asked, log, limits)
    if (hasDiverged(asked, log)) {
      const divergingEpoch = { epoch: LEADER_EPOCH, endOffset: log.logEndOffset }
      return { asked, response: { ...head, divergingEpoch }, bytes: 0, slices: [], log }
    }
    const found = readLog(topic, log, asked, limits, head.highWatermark, call)
    if (!(found instanceof Promise)) return answer(asked, log, limits, head, found)
    return found
      .then((late) => answer(asked, log, limits, head, late))
      .catch((error: unknown) => failed(asked, error, context))
  } catch (error) {
    return failed(asked, error, context)
  }
}

/** The same as an error of the request that concerns each of its partitions. */
export function failure({ partition }: FetchPartition, errorCode: number): FetchResponsePartition {
  return { partitionIndex: partition, errorCode, highWatermark: UNKNOWN_OFFSET, records: NOTHING }
}

function findTopic({ topic: name, topicId }: FetchPartition, { logs }: KafkaContext): Topic {
  if (topicId === ZERO_UUID) return logs.existingTopic(name)
  const topic = logs.topicById(topicId)
  if (topic === undefined) throw new MyKafkaError('UNKNOWN_TOPIC_ID', `there is no topic with the id ${topicId}`)
  return topic
}

/** What a log gave for the answer. */
interface FoundRecords {
  readonly records: Buffer | readonly FileSlice[]
  readonly bytes: number
  readonly slices: readonly FileSlice[]
}

/** Stored batches as they lie in the segment files; records of another format as batches made of them. */
function readLog(
  topic: Topic,
  log: PartitionLog,
  { fetchOffset }: FetchPartition,
  limits: ReadLimits,
  highWatermark: number,
  { context, peer }: KafkaCall,
): FoundRecords | Promise<FoundRecords> {
  const stored = topic.recordFormat === 'kafka'
  const maxBytes = stored ? limits.maxBytes : Math.min(limits.maxBytes, limits.maxCopiedBytes)
  // A bound of nothing: the offset is checked, no batch is looked for.
  const upperBound = maxBytes > 0 || limits.atLeastOne ? highWatermark : 0
  const request = { offset: fetchOffset, maxBytes, upperBound }
  if (!stored) {
    // What has nothing to give takes no memory either.
    if (fetchOffset >= upperBound) return readAsBatches(log, request).then(asConverted)
    const convert = (most: number) => readAsBatches(log, { ...request, maxBytes: Math.min(maxBytes, most) })
    return context.conversions.run(peer, convert).then(asConverted)
  }
  const found = log.read(request)
  return found instanceof Promise ? found.then(asStored) : asStored(found)
}

function asConverted({ bytes }: EncodedBatches): FoundRecords {
  return { records: bytes, bytes: bytes.length, slices: [] }
}

function asStored({ slices, bytes }: ReadResult): FoundRecords {
  return { records: slices, bytes, slices }
}

/** Whether what the client read last is not what lies there now: its log was cut behind an unclean stop. */
function hasDiverged({ lastFetchedEpoch, fetchOffset }: FetchPartition, log: PartitionLog): boolean {
  return lastFetchedEpoch > LEADER_EPOCH || (lastFetchedEpoch >= 0 && fetchOffset > log.logEndOffset)
}

function answer(
  asked: FetchPartition,
  log: PartitionLog,
  { atLeastOne, maxBytes }: ReadLimits,
  head: FetchResponsePartition,
  found: FoundRecords,
): PartitionRead {
  if (atLeastOne || found.bytes <= maxBytes) {
    const { records, slices, bytes } = found
    return { asked, response: bytes === 0 ? head : { ...head, records }, bytes, slices, log }
  }
  for (const slice of found.slices) slice.release()
  return { asked, response: head, bytes: 0, slices: [], log }
}

/** What is told of the log beside its records. It is asked before they are read: none of them is above it. */
function headOf(
  { partition }: FetchPartition,
  log: PartitionLog,
  { readCommitted }: ReadLimits,
): FetchResponsePartition {
  return {
    partitionIndex: partition,
    errorCode: KAFKA_ERRORS.NONE.wire,
    highWatermark: log.highWatermark,
    // There are no transactions: nothing is open, and nothing was aborted.
    lastStableOffset: log.highWatermark,
    logStartOffset: log.logStartOffset,
    abortedTransactions: readCommitted ? [] : null,
    records: NOTHING,
  }
}

function failed(asked: FetchPartition, error: unknown, { failures }: KafkaContext): PartitionRead {
  return { asked, response: failure(asked, failures.report('Fetch', error)), bytes: 0, slices: [], log: null }
}
