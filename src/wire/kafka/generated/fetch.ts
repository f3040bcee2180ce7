// Made by scripts/generate-kafka-codecs.ts from ../schema/fetch.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter, Records } from '../kafka-writer.js'
import { ZERO_UUID } from '../uuid.js'

export interface FetchRequest {
  readonly clusterId: string | null
  readonly replicaId: number
  readonly replicaState: FetchRequestReplicaState | null
  readonly maxWaitMs: number
  readonly minBytes: number
  readonly maxBytes: number
  readonly isolationLevel: number
  readonly sessionId: number
  readonly sessionEpoch: number
  readonly topics: readonly FetchRequestTopic[]
  readonly forgottenTopicsData: readonly FetchRequestForgottenTopic[]
  readonly rackId: string
}

export interface FetchRequestForgottenTopic {
  readonly topic: string
  readonly topicId: string
  readonly partitions: readonly number[]
}

export interface FetchRequestTopic {
  readonly topic: string
  readonly topicId: string
  readonly partitions: readonly FetchRequestPartition[]
}

export interface FetchRequestPartition {
  readonly partition: number
  readonly currentLeaderEpoch: number
  readonly fetchOffset: number
  readonly lastFetchedEpoch: number
  readonly logStartOffset: number
  readonly partitionMaxBytes: number
  readonly replicaDirectoryId: string
}

export interface FetchRequestReplicaState {
  readonly replicaId: number
  readonly replicaEpoch: bigint
}

export interface FetchResponse {
  throttleTimeMs?: number | undefined
  errorCode?: number | undefined
  sessionId?: number | undefined
  responses: readonly FetchResponseTopic[]
  nodeEndpoints?: readonly FetchResponseNodeEndpoint[] | undefined
}

export interface FetchResponseNodeEndpoint {
  nodeId: number
  host: string
  port: number
  rack?: string | null | undefined
}

export interface FetchResponseTopic {
  topic?: string | undefined
  topicId: string
  partitions: readonly FetchResponsePartition[]
}

export interface FetchResponsePartition {
  partitionIndex: number
  errorCode: number
  highWatermark: number
  lastStableOffset?: number | undefined
  logStartOffset?: number | undefined
  divergingEpoch?: FetchResponseEpochEndOffset | null | undefined
  currentLeader?: FetchResponseLeader | null | undefined
  snapshotId?: FetchResponseSnapshotId | null | undefined
  abortedTransactions?: readonly FetchResponseAbortedTransaction[] | null | undefined
  preferredReadReplica?: number | undefined
  records: Records | null
}

export interface FetchResponseAbortedTransaction {
  producerId: number
  firstOffset: number
}

export interface FetchResponseSnapshotId {
  endOffset?: number | undefined
  epoch?: number | undefined
}

export interface FetchResponseLeader {
  leaderId?: number | undefined
  leaderEpoch?: number | undefined
}

export interface FetchResponseEpochEndOffset {
  epoch?: number | undefined
  endOffset?: number | undefined
}

/** Fetch, versions 4 to 17. */
export const fetchApi: KafkaApi<FetchRequest, FetchResponse> = {
  key: 1,
  name: 'Fetch',
  versions: [4, 17],
  flexibleFrom: 12,
  decodeRequest(reader, version) {
    const request = readFetchRequest(reader, version)
    reader.endMessage('request', 'Fetch', version)
    return request
  },
  encodeRequest: writeFetchRequest,
  decodeResponse(reader, version) {
    const response = readFetchResponse(reader, version)
    reader.endMessage('response', 'Fetch', version)
    return response
  },
  encodeResponse: writeFetchResponse,
}

function readFetchRequestReplicaState(reader: KafkaReader, _version: number): FetchRequestReplicaState {
  const replicaId = reader.int32('replicaId')
  const replicaEpoch = reader.bigInt64('replicaEpoch')
  reader.skipTags()
  return { replicaId, replicaEpoch }
}

function readFetchRequestPartition(reader: KafkaReader, version: number): FetchRequestPartition {
  const partition = reader.int32('partition')
  const currentLeaderEpoch = version >= 9 ? reader.int32('currentLeaderEpoch') : -1
  const fetchOffset = reader.boundedInt64('fetchOffset')
  const lastFetchedEpoch = version >= 12 ? reader.int32('lastFetchedEpoch') : -1
  const logStartOffset = version >= 5 ? reader.boundedInt64('logStartOffset') : -1
  const partitionMaxBytes = reader.int32('partitionMaxBytes')
  let replicaDirectoryId: FetchRequestPartition['replicaDirectoryId'] = ZERO_UUID
  if (version >= 12) {
    let tag = -1
    for (let left = reader.tagCount(); left > 0 && !reader.failed; left--) {
      tag = reader.tag(tag)
      const end = reader.tagEnd()
      if (version >= 17 && tag === 0) {
        replicaDirectoryId = reader.uuid('replicaDirectoryId')
        reader.endTag(end, 'replicaDirectoryId')
      } else reader.skipTag(end)
    }
  }
  return {
    partition,
    currentLeaderEpoch,
    fetchOffset,
    lastFetchedEpoch,
    logStartOffset,
    partitionMaxBytes,
    replicaDirectoryId,
  }
}

function readFetchRequestTopic_partitions(reader: KafkaReader, version: number): FetchRequestPartition[] {
  const length =
    version >= 12
      ? reader.compactArrayLength('partitions', 33)
      : version >= 9
        ? reader.arrayLength('partitions', 28)
        : version >= 5
          ? reader.arrayLength('partitions', 24)
          : reader.arrayLength('partitions', 16)

  const array: FetchRequestPartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readFetchRequestPartition(reader, version))
  return array
}

function readFetchRequestTopic(reader: KafkaReader, version: number): FetchRequestTopic {
  const topic = version >= 13 ? '' : version >= 12 ? reader.compactString('topic') : reader.string('topic')
  const topicId = version >= 13 ? reader.uuid('topicId') : ZERO_UUID
  const partitions = readFetchRequestTopic_partitions(reader, version)
  if (version >= 12) reader.skipTags()
  return { topic, topicId, partitions }
}

function readFetchRequestForgottenTopic_partitions(reader: KafkaReader, version: number): number[] {
  const length = version >= 12 ? reader.compactArrayLength('partitions', 4) : reader.arrayLength('partitions', 4)

  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('partitions'))
  return array
}

function readFetchRequestForgottenTopic(reader: KafkaReader, version: number): FetchRequestForgottenTopic {
  const topic = version >= 13 ? '' : version >= 12 ? reader.compactString('topic') : reader.string('topic')
  const topicId = version >= 13 ? reader.uuid('topicId') : ZERO_UUID
  const partitions = readFetchRequestForgottenTopic_partitions(reader, version)
  if (version >= 12) reader.skipTags()
  return { topic, topicId, partitions }
}

function readFetchRequest_topics(reader: KafkaReader, version: number): FetchRequestTopic[] {
  const length =
    version >= 13
      ? reader.compactArrayLength('topics', 18)
      : version >= 12
        ? reader.compactArrayLength('topics', 3)
        : reader.arrayLength('topics', 6)

  const array: FetchRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readFetchRequestTopic(reader, version))
  return array
}

function readFetchRequest_forgottenTopicsData(reader: KafkaReader, version: number): FetchRequestForgottenTopic[] {
  const length =
    version >= 13
      ? reader.compactArrayLength('forgottenTopicsData', 18)
      : version >= 12
        ? reader.compactArrayLength('forgottenTopicsData', 3)
        : reader.arrayLength('forgottenTopicsData', 6)

  const array: FetchRequestForgottenTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readFetchRequestForgottenTopic(reader, version))
  return array
}

function readFetchRequest(reader: KafkaReader, version: number): FetchRequest {
  const replicaId = version >= 15 ? -1 : reader.int32('replicaId')
  const maxWaitMs = reader.int32('maxWaitMs')
  const minBytes = reader.int32('minBytes')
  const maxBytes = reader.int32('maxBytes')
  const isolationLevel = reader.int8('isolationLevel')
  const sessionId = version >= 7 ? reader.int32('sessionId') : 0
  const sessionEpoch = version >= 7 ? reader.int32('sessionEpoch') : -1
  const topics = readFetchRequest_topics(reader, version)
  const forgottenTopicsData = version >= 7 ? readFetchRequest_forgottenTopicsData(reader, version) : []
  const rackId = version >= 12 ? reader.compactString('rackId') : version >= 11 ? reader.string('rackId') : ''
  let clusterId: FetchRequest['clusterId'] = null
  let replicaState: FetchRequest['replicaState'] = null
  if (version >= 12) {
    let tag = -1
    for (let left = reader.tagCount(); left > 0 && !reader.failed; left--) {
      tag = reader.tag(tag)
      const end = reader.tagEnd()
      if (tag === 0) {
        clusterId = reader.compactNullableString('clusterId')
        reader.endTag(end, 'clusterId')
      } else if (version >= 15 && tag === 1) {
        replicaState = readFetchRequestReplicaState(reader, version)
        reader.endTag(end, 'replicaState')
      } else reader.skipTag(end)
    }
  }
  return {
    clusterId,
    replicaId,
    replicaState,
    maxWaitMs,
    minBytes,
    maxBytes,
    isolationLevel,
    sessionId,
    sessionEpoch,
    topics,
    forgottenTopicsData,
    rackId,
  }
}

function writeFetchRequestReplicaState(writer: KafkaWriter, value: FetchRequestReplicaState, _version: number): void {
  writer.int32(value.replicaId)
  writer.bigInt64(value.replicaEpoch)
  writer.noTags()
}

function writeFetchRequestPartition(writer: KafkaWriter, value: FetchRequestPartition, version: number): void {
  writer.int32(value.partition)
  if (version >= 9) {
    writer.int32(value.currentLeaderEpoch)
  }
  writer.int64(value.fetchOffset)
  if (version >= 12) {
    writer.int32(value.lastFetchedEpoch)
  }
  if (version >= 5) {
    writer.int64(value.logStartOffset)
  }
  writer.int32(value.partitionMaxBytes)
  if (version >= 12) {
    const replicaDirectoryId = value.replicaDirectoryId
    const hasReplicaDirectoryId = version >= 17 && replicaDirectoryId !== ZERO_UUID
    writer.unsignedVarint(hasReplicaDirectoryId ? 1 : 0)
    if (hasReplicaDirectoryId) {
      const begun = writer.tag(0)
      writer.uuid(replicaDirectoryId)
      writer.endTag(begun)
    }
  }
}

function writeFetchRequestTopic_partitions(
  writer: KafkaWriter,
  array: readonly FetchRequestPartition[],
  version: number,
): void {
  if (version >= 12) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeFetchRequestPartition(writer, element, version)
  }
}

function writeFetchRequestTopic(writer: KafkaWriter, value: FetchRequestTopic, version: number): void {
  if (version < 13) {
    if (version >= 12) {
      writer.compactString(value.topic)
    } else {
      writer.string(value.topic)
    }
  }
  if (version >= 13) {
    writer.uuid(value.topicId)
  }
  writeFetchRequestTopic_partitions(writer, value.partitions, version)
  if (version >= 12) {
    writer.noTags()
  }
}

function writeFetchRequestForgottenTopic_partitions(
  writer: KafkaWriter,
  array: readonly number[],
  version: number,
): void {
  if (version >= 12) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writer.int32(element)
  }
}

function writeFetchRequestForgottenTopic(
  writer: KafkaWriter,
  value: FetchRequestForgottenTopic,
  version: number,
): void {
  if (version < 13) {
    if (version >= 12) {
      writer.compactString(value.topic)
    } else {
      writer.string(value.topic)
    }
  }
  if (version >= 13) {
    writer.uuid(value.topicId)
  }
  writeFetchRequestForgottenTopic_partitions(writer, value.partitions, version)
  if (version >= 12) {
    writer.noTags()
  }
}

function writeFetchRequest_topics(writer: KafkaWriter, array: readonly FetchRequestTopic[], version: number): void {
  if (version >= 12) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeFetchRequestTopic(writer, element, version)
  }
}

function writeFetchRequest_forgottenTopicsData(
  writer: KafkaWriter,
  array: readonly FetchRequestForgottenTopic[],
  version: number,
): void {
  if (version >= 12) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeFetchRequestForgottenTopic(writer, element, version)
  }
}

function writeFetchRequest(writer: KafkaWriter, value: FetchRequest, version: number): void {
  if (version < 15) {
    writer.int32(value.replicaId)
  }
  writer.int32(value.maxWaitMs)
  writer.int32(value.minBytes)
  writer.int32(value.maxBytes)
  writer.int8(value.isolationLevel)
  if (version >= 7) {
    writer.int32(value.sessionId)
  }
  if (version >= 7) {
    writer.int32(value.sessionEpoch)
  }
  writeFetchRequest_topics(writer, value.topics, version)
  if (version >= 7) {
    writeFetchRequest_forgottenTopicsData(writer, value.forgottenTopicsData, version)
  }
  if (version >= 12) {
    writer.compactString(value.rackId)
  } else if (version >= 11) {
    writer.string(value.rackId)
  }
  if (version >= 12) {
    const clusterId = value.clusterId
    const replicaState = value.replicaState
    const hasClusterId = clusterId !== null
    const hasReplicaState = version >= 15 && replicaState !== null
    writer.unsignedVarint((hasClusterId ? 1 : 0) + (hasReplicaState ? 1 : 0))
    if (hasClusterId) {
      const begun = writer.tag(0)
      writer.compactNullableString(clusterId)
      writer.endTag(begun)
    }
    if (hasReplicaState) {
      const begun = writer.tag(1)
      writeFetchRequestReplicaState(writer, replicaState, version)
      writer.endTag(begun)
    }
  }
}

function readFetchResponseEpochEndOffset(reader: KafkaReader, _version: number): FetchResponseEpochEndOffset {
  const epoch = reader.int32('epoch')
  const endOffset = reader.boundedInt64('endOffset')
  reader.skipTags()
  return { epoch, endOffset }
}

function readFetchResponseLeader(reader: KafkaReader, _version: number): FetchResponseLeader {
  const leaderId = reader.int32('leaderId')
  const leaderEpoch = reader.int32('leaderEpoch')
  reader.skipTags()
  return { leaderId, leaderEpoch }
}

function readFetchResponseSnapshotId(reader: KafkaReader, _version: number): FetchResponseSnapshotId {
  const endOffset = reader.boundedInt64('endOffset')
  const epoch = reader.int32('epoch')
  reader.skipTags()
  return { endOffset, epoch }
}

function readFetchResponseAbortedTransaction(reader: KafkaReader, version: number): FetchResponseAbortedTransaction {
  const producerId = reader.int64('producerId')
  const firstOffset = reader.boundedInt64('firstOffset')
  if (version >= 12) reader.skipTags()
  return { producerId, firstOffset }
}

function readFetchResponsePartition_abortedTransactions(
  reader: KafkaReader,
  version: number,
): FetchResponseAbortedTransaction[] | null {
  const length =
    version >= 12
      ? reader.compactNullableArrayLength('abortedTransactions', 17)
      : reader.nullableArrayLength('abortedTransactions', 16)
  if (length < 0) return null
  const array: FetchResponseAbortedTransaction[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readFetchResponseAbortedTransaction(reader, version))
  return array
}

function readFetchResponsePartition(reader: KafkaReader, version: number): FetchResponsePartition {
  const partitionIndex = reader.int32('partitionIndex')
  const errorCode = reader.int16('errorCode')
  const highWatermark = reader.boundedInt64('highWatermark')
  const lastStableOffset = reader.boundedInt64('lastStableOffset')
  const logStartOffset = version >= 5 ? reader.boundedInt64('logStartOffset') : -1
  const abortedTransactions = readFetchResponsePartition_abortedTransactions(reader, version)
  const preferredReadReplica = version >= 11 ? reader.int32('preferredReadReplica') : -1
  const records = version >= 12 ? reader.compactNullableBytes('records') : reader.nullableBytes('records')
  let divergingEpoch: FetchResponsePartition['divergingEpoch'] = null
  let currentLeader: FetchResponsePartition['currentLeader'] = null
  let snapshotId: FetchResponsePartition['snapshotId'] = null
  if (version >= 12) {
    let tag = -1
    for (let left = reader.tagCount(); left > 0 && !reader.failed; left--) {
      tag = reader.tag(tag)
      const end = reader.tagEnd()
      if (tag === 0) {
        divergingEpoch = readFetchResponseEpochEndOffset(reader, version)
        reader.endTag(end, 'divergingEpoch')
      } else if (tag === 1) {
        currentLeader = readFetchResponseLeader(reader, version)
        reader.endTag(end, 'currentLeader')
      } else if (tag === 2) {
        snapshotId = readFetchResponseSnapshotId(reader, version)
        reader.endTag(end, 'snapshotId')
      } else reader.skipTag(end)
    }
  }
  return {
    partitionIndex,
    errorCode,
    highWatermark,
    lastStableOffset,
    logStartOffset,
    divergingEpoch,
    currentLeader,
    snapshotId,
    abortedTransactions,
    preferredReadReplica,
    records,
  }
}

function readFetchResponseTopic_partitions(reader: KafkaReader, version: number): FetchResponsePartition[] {
  const length =
    version >= 12
      ? reader.compactArrayLength('partitions', 37)
      : version >= 11
        ? reader.arrayLength('partitions', 42)
        : version >= 5
          ? reader.arrayLength('partitions', 38)
          : reader.arrayLength('partitions', 30)

  const array: FetchResponsePartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readFetchResponsePartition(reader, version))
  return array
}

function readFetchResponseTopic(reader: KafkaReader, version: number): FetchResponseTopic {
  const topic = version >= 13 ? '' : version >= 12 ? reader.compactString('topic') : reader.string('topic')
  const topicId = version >= 13 ? reader.uuid('topicId') : ZERO_UUID
  const partitions = readFetchResponseTopic_partitions(reader, version)
  if (version >= 12) reader.skipTags()
  return { topic, topicId, partitions }
}

function readFetchResponseNodeEndpoint(reader: KafkaReader, _version: number): FetchResponseNodeEndpoint {
  const nodeId = reader.int32('nodeId')
  const host = reader.compactString('host')
  const port = reader.int32('port')
  const rack = reader.compactNullableString('rack')
  reader.skipTags()
  return { nodeId, host, port, rack }
}

function readFetchResponse_responses(reader: KafkaReader, version: number): FetchResponseTopic[] {
  const length =
    version >= 13
      ? reader.compactArrayLength('responses', 18)
      : version >= 12
        ? reader.compactArrayLength('responses', 3)
        : reader.arrayLength('responses', 6)

  const array: FetchResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readFetchResponseTopic(reader, version))
  return array
}

function readFetchResponse_nodeEndpoints(reader: KafkaReader, version: number): FetchResponseNodeEndpoint[] {
  const length = reader.compactArrayLength('nodeEndpoints', 11)

  const array: FetchResponseNodeEndpoint[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readFetchResponseNodeEndpoint(reader, version))
  return array
}

function readFetchResponse(reader: KafkaReader, version: number): FetchResponse {
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const errorCode = version >= 7 ? reader.int16('errorCode') : 0
  const sessionId = version >= 7 ? reader.int32('sessionId') : 0
  const responses = readFetchResponse_responses(reader, version)
  let nodeEndpoints: FetchResponse['nodeEndpoints'] = []
  if (version >= 12) {
    let tag = -1
    for (let left = reader.tagCount(); left > 0 && !reader.failed; left--) {
      tag = reader.tag(tag)
      const end = reader.tagEnd()
      if (version >= 16 && tag === 0) {
        nodeEndpoints = readFetchResponse_nodeEndpoints(reader, version)
        reader.endTag(end, 'nodeEndpoints')
      } else reader.skipTag(end)
    }
  }
  return { throttleTimeMs, errorCode, sessionId, responses, nodeEndpoints }
}

function writeFetchResponseEpochEndOffset(
  writer: KafkaWriter,
  value: FetchResponseEpochEndOffset,
  _version: number,
): void {
  writer.int32(value.epoch ?? -1)
  writer.int64(value.endOffset ?? -1)
  writer.noTags()
}

function writeFetchResponseLeader(writer: KafkaWriter, value: FetchResponseLeader, _version: number): void {
  writer.int32(value.leaderId ?? -1)
  writer.int32(value.leaderEpoch ?? -1)
  writer.noTags()
}

function writeFetchResponseSnapshotId(writer: KafkaWriter, value: FetchResponseSnapshotId, _version: number): void {
  writer.int64(value.endOffset ?? -1)
  writer.int32(value.epoch ?? -1)
  writer.noTags()
}

function writeFetchResponseAbortedTransaction(
  writer: KafkaWriter,
  value: FetchResponseAbortedTransaction,
  version: number,
): void {
  writer.int64(value.producerId)
  writer.int64(value.firstOffset)
  if (version >= 12) {
    writer.noTags()
  }
}

function writeFetchResponsePartition_abortedTransactions(
  writer: KafkaWriter,
  array: readonly FetchResponseAbortedTransaction[] | null,
  version: number,
): void {
  if (array === null) {
    if (version >= 12) {
      writer.compactArrayLength(-1)
    } else {
      writer.arrayLength(-1)
    }
    return
  }
  if (version >= 12) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeFetchResponseAbortedTransaction(writer, element, version)
  }
}

function writeFetchResponsePartition(writer: KafkaWriter, value: FetchResponsePartition, version: number): void {
  writer.int32(value.partitionIndex)
  writer.int16(value.errorCode)
  writer.int64(value.highWatermark)
  writer.int64(value.lastStableOffset ?? -1)
  if (version >= 5) {
    writer.int64(value.logStartOffset ?? -1)
  }
  writeFetchResponsePartition_abortedTransactions(writer, value.abortedTransactions ?? null, version)
  if (version >= 11) {
    writer.int32(value.preferredReadReplica ?? -1)
  }
  if (version >= 12) {
    writer.compactRecords(value.records)
  } else {
    writer.records(value.records)
  }
  if (version >= 12) {
    const divergingEpoch = value.divergingEpoch ?? null
    const currentLeader = value.currentLeader ?? null
    const snapshotId = value.snapshotId ?? null
    const hasDivergingEpoch = divergingEpoch !== null
    const hasCurrentLeader = currentLeader !== null
    const hasSnapshotId = snapshotId !== null
    writer.unsignedVarint((hasDivergingEpoch ? 1 : 0) + (hasCurrentLeader ? 1 : 0) + (hasSnapshotId ? 1 : 0))
    if (hasDivergingEpoch) {
      const begun = writer.tag(0)
      writeFetchResponseEpochEndOffset(writer, divergingEpoch, version)
      writer.endTag(begun)
    }
    if (hasCurrentLeader) {
      const begun = writer.tag(1)
      writeFetchResponseLeader(writer, currentLeader, version)
      writer.endTag(begun)
    }
    if (hasSnapshotId) {
      const begun = writer.tag(2)
      writeFetchResponseSnapshotId(writer, snapshotId, version)
      writer.endTag(begun)
    }
  }
}

function writeFetchResponseTopic_partitions(
  writer: KafkaWriter,
  array: readonly FetchResponsePartition[],
  version: number,
): void {
  if (version >= 12) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeFetchResponsePartition(writer, element, version)
  }
}

function writeFetchResponseTopic(writer: KafkaWriter, value: FetchResponseTopic, version: number): void {
  if (version < 13) {
    if (version >= 12) {
      writer.compactString(value.topic ?? '')
    } else {
      writer.string(value.topic ?? '')
    }
  }
  if (version >= 13) {
    writer.uuid(value.topicId)
  }
  writeFetchResponseTopic_partitions(writer, value.partitions, version)
  if (version >= 12) {
    writer.noTags()
  }
}

function writeFetchResponseNodeEndpoint(writer: KafkaWriter, value: FetchResponseNodeEndpoint, _version: number): void {
  writer.int32(value.nodeId)
  writer.compactString(value.host)
  writer.int32(value.port)
  writer.compactNullableString(value.rack ?? null)
  writer.noTags()
}

function writeFetchResponse_responses(
  writer: KafkaWriter,
  array: readonly FetchResponseTopic[],
  version: number,
): void {
  if (version >= 12) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeFetchResponseTopic(writer, element, version)
  }
}

function writeFetchResponse_nodeEndpoints(
  writer: KafkaWriter,
  array: readonly FetchResponseNodeEndpoint[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeFetchResponseNodeEndpoint(writer, element, version)
  }
}

function writeFetchResponse(writer: KafkaWriter, value: FetchResponse, version: number): void {
  writer.int32(value.throttleTimeMs ?? 0)
  if (version >= 7) {
    writer.int16(value.errorCode ?? 0)
  }
  if (version >= 7) {
    writer.int32(value.sessionId ?? 0)
  }
  writeFetchResponse_responses(writer, value.responses, version)
  if (version >= 12) {
    const nodeEndpoints = value.nodeEndpoints ?? []
    const hasNodeEndpoints = version >= 16 && nodeEndpoints.length > 0
    writer.unsignedVarint(hasNodeEndpoints ? 1 : 0)
    if (hasNodeEndpoints) {
      const begun = writer.tag(0)
      writeFetchResponse_nodeEndpoints(writer, nodeEndpoints, version)
      writer.endTag(begun)
    }
  }
}
