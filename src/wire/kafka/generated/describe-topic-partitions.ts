// Made by scripts/generate-kafka-codecs.ts from ../schema/describe-topic-partitions.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface DescribeTopicPartitionsRequest {
  readonly topics: readonly DescribeTopicPartitionsRequestTopic[]
  readonly responsePartitionLimit: number
  readonly cursor: DescribeTopicPartitionsRequestCursor | null
}

export interface DescribeTopicPartitionsRequestCursor {
  readonly topicName: string
  readonly partitionIndex: number
}

export interface DescribeTopicPartitionsRequestTopic {
  readonly name: string
}

export interface DescribeTopicPartitionsResponse {
  throttleTimeMs?: number | undefined
  topics: readonly DescribeTopicPartitionsResponseTopic[]
  nextCursor?: DescribeTopicPartitionsResponseCursor | null | undefined
}

export interface DescribeTopicPartitionsResponseCursor {
  topicName: string
  partitionIndex: number
}

export interface DescribeTopicPartitionsResponseTopic {
  errorCode: number
  name: string | null
  topicId: string
  isInternal?: boolean | undefined
  partitions: readonly DescribeTopicPartitionsResponsePartition[]
  topicAuthorizedOperations?: number | undefined
}

export interface DescribeTopicPartitionsResponsePartition {
  errorCode: number
  partitionIndex: number
  leaderId: number
  leaderEpoch?: number | undefined
  replicaNodes: readonly number[]
  isrNodes: readonly number[]
  eligibleLeaderReplicas?: readonly number[] | null | undefined
  lastKnownElr?: readonly number[] | null | undefined
  offlineReplicas: readonly number[]
}

/** DescribeTopicPartitions, versions 0 to 0. */
export const describeTopicPartitionsApi: KafkaApi<DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse> = {
  key: 75,
  name: 'DescribeTopicPartitions',
  versions: [0, 0],
  flexibleFrom: 0,
  decodeRequest(reader, version) {
    const request = readDescribeTopicPartitionsRequest(reader, version)
    reader.endMessage('request', 'DescribeTopicPartitions', version)
    return request
  },
  encodeRequest: writeDescribeTopicPartitionsRequest,
  decodeResponse(reader, version) {
    const response = readDescribeTopicPartitionsResponse(reader, version)
    reader.endMessage('response', 'DescribeTopicPartitions', version)
    return response
  },
  encodeResponse: writeDescribeTopicPartitionsResponse,
}

function readDescribeTopicPartitionsRequestTopic(
  reader: KafkaReader,
  _version: number,
): DescribeTopicPartitionsRequestTopic {
  const name = reader.compactString('name')
  reader.skipTags()
  return { name }
}

function readDescribeTopicPartitionsRequestCursor(
  reader: KafkaReader,
  _version: number,
): DescribeTopicPartitionsRequestCursor {
  const topicName = reader.compactString('topicName')
  const partitionIndex = reader.int32('partitionIndex')
  reader.skipTags()
  return { topicName, partitionIndex }
}

function readDescribeTopicPartitionsRequest_topics(
  reader: KafkaReader,
  version: number,
): DescribeTopicPartitionsRequestTopic[] {
  const length = reader.compactArrayLength('topics', 2)

  const array: DescribeTopicPartitionsRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(readDescribeTopicPartitionsRequestTopic(reader, version))
  return array
}

function readDescribeTopicPartitionsRequest(reader: KafkaReader, version: number): DescribeTopicPartitionsRequest {
  const topics = readDescribeTopicPartitionsRequest_topics(reader, version)
  const responsePartitionLimit = reader.int32('responsePartitionLimit')
  const cursor = reader.present('cursor') ? readDescribeTopicPartitionsRequestCursor(reader, version) : null
  reader.skipTags()
  return { topics, responsePartitionLimit, cursor }
}

function writeDescribeTopicPartitionsRequestTopic(
  writer: KafkaWriter,
  value: DescribeTopicPartitionsRequestTopic,
  _version: number,
): void {
  writer.compactString(value.name)
  writer.noTags()
}

function writeDescribeTopicPartitionsRequestCursor(
  writer: KafkaWriter,
  value: DescribeTopicPartitionsRequestCursor,
  _version: number,
): void {
  writer.compactString(value.topicName)
  writer.int32(value.partitionIndex)
  writer.noTags()
}

function writeDescribeTopicPartitionsRequest_topics(
  writer: KafkaWriter,
  array: readonly DescribeTopicPartitionsRequestTopic[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeDescribeTopicPartitionsRequestTopic(writer, element, version)
  }
}

function writeDescribeTopicPartitionsRequest_cursor(
  writer: KafkaWriter,
  value: DescribeTopicPartitionsRequestCursor | null,
  version: number,
): void {
  writer.present(value !== null)
  if (value !== null) writeDescribeTopicPartitionsRequestCursor(writer, value, version)
}

function writeDescribeTopicPartitionsRequest(
  writer: KafkaWriter,
  value: DescribeTopicPartitionsRequest,
  version: number,
): void {
  writeDescribeTopicPartitionsRequest_topics(writer, value.topics, version)
  writer.int32(value.responsePartitionLimit)
  writeDescribeTopicPartitionsRequest_cursor(writer, value.cursor, version)
  writer.noTags()
}

function readDescribeTopicPartitionsResponsePartition_replicaNodes(reader: KafkaReader, _version: number): number[] {
  const length = reader.compactArrayLength('replicaNodes', 4)

  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('replicaNodes'))
  return array
}

function readDescribeTopicPartitionsResponsePartition_isrNodes(reader: KafkaReader, _version: number): number[] {
  const length = reader.compactArrayLength('isrNodes', 4)

  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('isrNodes'))
  return array
}

function readDescribeTopicPartitionsResponsePartition_eligibleLeaderReplicas(
  reader: KafkaReader,
  _version: number,
): number[] | null {
  const length = reader.compactNullableArrayLength('eligibleLeaderReplicas', 4)
  if (length < 0) return null
  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('eligibleLeaderReplicas'))
  return array
}

function readDescribeTopicPartitionsResponsePartition_lastKnownElr(
  reader: KafkaReader,
  _version: number,
): number[] | null {
  const length = reader.compactNullableArrayLength('lastKnownElr', 4)
  if (length < 0) return null
  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('lastKnownElr'))
  return array
}

function readDescribeTopicPartitionsResponsePartition_offlineReplicas(reader: KafkaReader, _version: number): number[] {
  const length = reader.compactArrayLength('offlineReplicas', 4)

  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('offlineReplicas'))
  return array
}

function readDescribeTopicPartitionsResponsePartition(
  reader: KafkaReader,
  version: number,
): DescribeTopicPartitionsResponsePartition {
  const errorCode = reader.int16('errorCode')
  const partitionIndex = reader.int32('partitionIndex')
  const leaderId = reader.int32('leaderId')
  const leaderEpoch = reader.int32('leaderEpoch')
  const replicaNodes = readDescribeTopicPartitionsResponsePartition_replicaNodes(reader, version)
  const isrNodes = readDescribeTopicPartitionsResponsePartition_isrNodes(reader, version)
  const eligibleLeaderReplicas = readDescribeTopicPartitionsResponsePartition_eligibleLeaderReplicas(reader, version)
  const lastKnownElr = readDescribeTopicPartitionsResponsePartition_lastKnownElr(reader, version)
  const offlineReplicas = readDescribeTopicPartitionsResponsePartition_offlineReplicas(reader, version)
  reader.skipTags()
  return {
    errorCode,
    partitionIndex,
    leaderId,
    leaderEpoch,
    replicaNodes,
    isrNodes,
    eligibleLeaderReplicas,
    lastKnownElr,
    offlineReplicas,
  }
}

function readDescribeTopicPartitionsResponseTopic_partitions(
  reader: KafkaReader,
  version: number,
): DescribeTopicPartitionsResponsePartition[] {
  const length = reader.compactArrayLength('partitions', 20)

  const array: DescribeTopicPartitionsResponsePartition[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(readDescribeTopicPartitionsResponsePartition(reader, version))
  return array
}

function readDescribeTopicPartitionsResponseTopic(
  reader: KafkaReader,
  version: number,
): DescribeTopicPartitionsResponseTopic {
  const errorCode = reader.int16('errorCode')
  const name = reader.compactNullableString('name')
  const topicId = reader.uuid('topicId')
  const isInternal = reader.bool('isInternal')
  const partitions = readDescribeTopicPartitionsResponseTopic_partitions(reader, version)
  const topicAuthorizedOperations = reader.int32('topicAuthorizedOperations')
  reader.skipTags()
  return { errorCode, name, topicId, isInternal, partitions, topicAuthorizedOperations }
}

function readDescribeTopicPartitionsResponseCursor(
  reader: KafkaReader,
  _version: number,
): DescribeTopicPartitionsResponseCursor {
  const topicName = reader.compactString('topicName')
  const partitionIndex = reader.int32('partitionIndex')
  reader.skipTags()
  return { topicName, partitionIndex }
}

function readDescribeTopicPartitionsResponse_topics(
  reader: KafkaReader,
  version: number,
): DescribeTopicPartitionsResponseTopic[] {
  const length = reader.compactArrayLength('topics', 26)

  const array: DescribeTopicPartitionsResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(readDescribeTopicPartitionsResponseTopic(reader, version))
  return array
}

function readDescribeTopicPartitionsResponse(reader: KafkaReader, version: number): DescribeTopicPartitionsResponse {
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const topics = readDescribeTopicPartitionsResponse_topics(reader, version)
  const nextCursor = reader.present('nextCursor') ? readDescribeTopicPartitionsResponseCursor(reader, version) : null
  reader.skipTags()
  return { throttleTimeMs, topics, nextCursor }
}

function writeDescribeTopicPartitionsResponsePartition_replicaNodes(
  writer: KafkaWriter,
  array: readonly number[],
  _version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writer.int32(element)
  }
}

function writeDescribeTopicPartitionsResponsePartition_isrNodes(
  writer: KafkaWriter,
  array: readonly number[],
  _version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writer.int32(element)
  }
}

function writeDescribeTopicPartitionsResponsePartition_eligibleLeaderReplicas(
  writer: KafkaWriter,
  array: readonly number[] | null,
  _version: number,
): void {
  if (array === null) {
    writer.compactArrayLength(-1)
    return
  }
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writer.int32(element)
  }
}

function writeDescribeTopicPartitionsResponsePartition_lastKnownElr(
  writer: KafkaWriter,
  array: readonly number[] | null,
  _version: number,
): void {
  if (array === null) {
    writer.compactArrayLength(-1)
    return
  }
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writer.int32(element)
  }
}

function writeDescribeTopicPartitionsResponsePartition_offlineReplicas(
  writer: KafkaWriter,
  array: readonly number[],
  _version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writer.int32(element)
  }
}

function writeDescribeTopicPartitionsResponsePartition(
  writer: KafkaWriter,
  value: DescribeTopicPartitionsResponsePartition,
  version: number,
): void {
  writer.int16(value.errorCode)
  writer.int32(value.partitionIndex)
  writer.int32(value.leaderId)
  writer.int32(value.leaderEpoch ?? -1)
  writeDescribeTopicPartitionsResponsePartition_replicaNodes(writer, value.replicaNodes, version)
  writeDescribeTopicPartitionsResponsePartition_isrNodes(writer, value.isrNodes, version)
  writeDescribeTopicPartitionsResponsePartition_eligibleLeaderReplicas(
    writer,
    value.eligibleLeaderReplicas ?? null,
    version,
  )
  writeDescribeTopicPartitionsResponsePartition_lastKnownElr(writer, value.lastKnownElr ?? null, version)
  writeDescribeTopicPartitionsResponsePartition_offlineReplicas(writer, value.offlineReplicas, version)
  writer.noTags()
}

function writeDescribeTopicPartitionsResponseTopic_partitions(
  writer: KafkaWriter,
  array: readonly DescribeTopicPartitionsResponsePartition[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeDescribeTopicPartitionsResponsePartition(writer, element, version)
  }
}

function writeDescribeTopicPartitionsResponseTopic(
  writer: KafkaWriter,
  value: DescribeTopicPartitionsResponseTopic,
  version: number,
): void {
  writer.int16(value.errorCode)
  writer.compactNullableString(value.name)
  writer.uuid(value.topicId)
  writer.bool(value.isInternal ?? false)
  writeDescribeTopicPartitionsResponseTopic_partitions(writer, value.partitions, version)
  writer.int32(value.topicAuthorizedOperations ?? -2147483648)
  writer.noTags()
}

function writeDescribeTopicPartitionsResponseCursor(
  writer: KafkaWriter,
  value: DescribeTopicPartitionsResponseCursor,
  _version: number,
): void {
  writer.compactString(value.topicName)
  writer.int32(value.partitionIndex)
  writer.noTags()
}

function writeDescribeTopicPartitionsResponse_topics(
  writer: KafkaWriter,
  array: readonly DescribeTopicPartitionsResponseTopic[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeDescribeTopicPartitionsResponseTopic(writer, element, version)
  }
}

function writeDescribeTopicPartitionsResponse_nextCursor(
  writer: KafkaWriter,
  value: DescribeTopicPartitionsResponseCursor | null,
  version: number,
): void {
  writer.present(value !== null)
  if (value !== null) writeDescribeTopicPartitionsResponseCursor(writer, value, version)
}

function writeDescribeTopicPartitionsResponse(
  writer: KafkaWriter,
  value: DescribeTopicPartitionsResponse,
  version: number,
): void {
  writer.int32(value.throttleTimeMs ?? 0)
  writeDescribeTopicPartitionsResponse_topics(writer, value.topics, version)
  writeDescribeTopicPartitionsResponse_nextCursor(writer, value.nextCursor ?? null, version)
  writer.noTags()
}
