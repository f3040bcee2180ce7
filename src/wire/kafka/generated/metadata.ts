// Made by scripts/generate-kafka-codecs.ts from ../schema/metadata.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import { type KafkaWriter, nonNull } from '../kafka-writer.js'
import { ZERO_UUID } from '../uuid.js'

export interface MetadataRequest {
  readonly topics: readonly MetadataRequestTopic[] | null
  readonly allowAutoTopicCreation: boolean
  readonly includeClusterAuthorizedOperations: boolean
  readonly includeTopicAuthorizedOperations: boolean
}

export interface MetadataRequestTopic {
  readonly topicId: string
  readonly name: string | null
}

export interface MetadataResponse {
  throttleTimeMs?: number | undefined
  brokers: readonly MetadataResponseBroker[]
  clusterId?: string | null | undefined
  controllerId?: number | undefined
  topics: readonly MetadataResponseTopic[]
  clusterAuthorizedOperations?: number | undefined
}

export interface MetadataResponseTopic {
  errorCode: number
  name: string | null
  topicId: string
  isInternal?: boolean | undefined
  partitions: readonly MetadataResponsePartition[]
  topicAuthorizedOperations?: number | undefined
}

export interface MetadataResponsePartition {
  errorCode: number
  partitionIndex: number
  leaderId: number
  leaderEpoch?: number | undefined
  replicaNodes: readonly number[]
  isrNodes: readonly number[]
  offlineReplicas: readonly number[]
}

export interface MetadataResponseBroker {
  nodeId: number
  host: string
  port: number
  rack?: string | null | undefined
}

/** Metadata, versions 0 to 12. */
export const metadataApi: KafkaApi<MetadataRequest, MetadataResponse> = {
  key: 3,
  name: 'Metadata',
  versions: [0, 12],
  flexibleFrom: 9,
  decodeRequest(reader, version) {
    const request = readMetadataRequest(reader, version)
    reader.endMessage('request', 'Metadata', version)
    return request
  },
  encodeRequest: writeMetadataRequest,
  decodeResponse(reader, version) {
    const response = readMetadataResponse(reader, version)
    reader.endMessage('response', 'Metadata', version)
    return response
  },
  encodeResponse: writeMetadataResponse,
}

function readMetadataRequestTopic(reader: KafkaReader, version: number): MetadataRequestTopic {
  const topicId = version >= 10 ? reader.uuid('topicId') : ZERO_UUID
  const name =
    version >= 10
      ? reader.compactNullableString('name')
      : version >= 9
        ? reader.compactString('name')
        : reader.string('name')
  if (version >= 9) reader.skipTags()
  return { topicId, name }
}

function readMetadataRequest_topics(reader: KafkaReader, version: number): MetadataRequestTopic[] | null {
  const length =
    version >= 10
      ? reader.compactNullableArrayLength('topics', 18)
      : version >= 9
        ? reader.compactNullableArrayLength('topics', 2)
        : version >= 1
          ? reader.nullableArrayLength('topics', 2)
          : reader.arrayLength('topics', 2)
  if (length < 0) return null
  const array: MetadataRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readMetadataRequestTopic(reader, version))
  return array
}

function readMetadataRequest(reader: KafkaReader, version: number): MetadataRequest {
  const topics = readMetadataRequest_topics(reader, version)
  const allowAutoTopicCreation = version >= 4 ? reader.bool('allowAutoTopicCreation') : true
  const includeClusterAuthorizedOperations =
    version >= 11 ? false : version >= 8 ? reader.bool('includeClusterAuthorizedOperations') : false
  const includeTopicAuthorizedOperations = version >= 8 ? reader.bool('includeTopicAuthorizedOperations') : false
  if (version >= 9) reader.skipTags()
  return { topics, allowAutoTopicCreation, includeClusterAuthorizedOperations, includeTopicAuthorizedOperations }
}

function writeMetadataRequestTopic(writer: KafkaWriter, value: MetadataRequestTopic, version: number): void {
  if (version >= 10) {
    writer.uuid(value.topicId)
  }
  if (version >= 10) {
    writer.compactNullableString(value.name)
  } else if (version >= 9) {
    writer.compactString(nonNull(value.name, 'name', version))
  } else {
    writer.string(nonNull(value.name, 'name', version))
  }
  if (version >= 9) {
    writer.noTags()
  }
}

function writeMetadataRequest_topics(
  writer: KafkaWriter,
  array: readonly MetadataRequestTopic[] | null,
  version: number,
): void {
  if (array === null) {
    if (version >= 9) {
      writer.compactArrayLength(-1)
    } else {
      writer.arrayLength(-1)
    }
    return
  }
  if (version >= 9) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeMetadataRequestTopic(writer, element, version)
  }
}

function writeMetadataRequest(writer: KafkaWriter, value: MetadataRequest, version: number): void {
  if (version >= 1) {
    writeMetadataRequest_topics(writer, value.topics, version)
  } else {
    writeMetadataRequest_topics(writer, nonNull(value.topics, 'topics', version), version)
  }
  if (version >= 4) {
    writer.bool(value.allowAutoTopicCreation)
  }
  if (version < 11) {
    if (version >= 8) {
      writer.bool(value.includeClusterAuthorizedOperations)
    }
  }
  if (version >= 8) {
    writer.bool(value.includeTopicAuthorizedOperations)
  }
  if (version >= 9) {
    writer.noTags()
  }
}

function readMetadataResponseBroker(reader: KafkaReader, version: number): MetadataResponseBroker {
  const nodeId = reader.int32('nodeId')
  const host = version >= 9 ? reader.compactString('host') : reader.string('host')
  const port = reader.int32('port')
  const rack = version >= 9 ? reader.compactNullableString('rack') : version >= 1 ? reader.nullableString('rack') : null
  if (version >= 9) reader.skipTags()
  return { nodeId, host, port, rack }
}

function readMetadataResponsePartition_replicaNodes(reader: KafkaReader, version: number): number[] {
  const length = version >= 9 ? reader.compactArrayLength('replicaNodes', 4) : reader.arrayLength('replicaNodes', 4)

  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('replicaNodes'))
  return array
}

function readMetadataResponsePartition_isrNodes(reader: KafkaReader, version: number): number[] {
  const length = version >= 9 ? reader.compactArrayLength('isrNodes', 4) : reader.arrayLength('isrNodes', 4)

  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('isrNodes'))
  return array
}

function readMetadataResponsePartition_offlineReplicas(reader: KafkaReader, version: number): number[] {
  const length =
    version >= 9 ? reader.compactArrayLength('offlineReplicas', 4) : reader.arrayLength('offlineReplicas', 4)

  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('offlineReplicas'))
  return array
}

function readMetadataResponsePartition(reader: KafkaReader, version: number): MetadataResponsePartition {
  const errorCode = reader.int16('errorCode')
  const partitionIndex = reader.int32('partitionIndex')
  const leaderId = reader.int32('leaderId')
  const leaderEpoch = version >= 7 ? reader.int32('leaderEpoch') : -1
  const replicaNodes = readMetadataResponsePartition_replicaNodes(reader, version)
  const isrNodes = readMetadataResponsePartition_isrNodes(reader, version)
  const offlineReplicas = version >= 5 ? readMetadataResponsePartition_offlineReplicas(reader, version) : []
  if (version >= 9) reader.skipTags()
  return { errorCode, partitionIndex, leaderId, leaderEpoch, replicaNodes, isrNodes, offlineReplicas }
}

function readMetadataResponseTopic_partitions(reader: KafkaReader, version: number): MetadataResponsePartition[] {
  const length =
    version >= 9
      ? reader.compactArrayLength('partitions', 18)
      : version >= 7
        ? reader.arrayLength('partitions', 26)
        : version >= 5
          ? reader.arrayLength('partitions', 22)
          : reader.arrayLength('partitions', 18)

  const array: MetadataResponsePartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readMetadataResponsePartition(reader, version))
  return array
}

function readMetadataResponseTopic(reader: KafkaReader, version: number): MetadataResponseTopic {
  const errorCode = reader.int16('errorCode')
  const name =
    version >= 12
      ? reader.compactNullableString('name')
      : version >= 9
        ? reader.compactString('name')
        : reader.string('name')
  const topicId = version >= 10 ? reader.uuid('topicId') : ZERO_UUID
  const isInternal = version >= 1 ? reader.bool('isInternal') : false
  const partitions = readMetadataResponseTopic_partitions(reader, version)
  const topicAuthorizedOperations = version >= 8 ? reader.int32('topicAuthorizedOperations') : -2147483648
  if (version >= 9) reader.skipTags()
  return { errorCode, name, topicId, isInternal, partitions, topicAuthorizedOperations }
}

function readMetadataResponse_brokers(reader: KafkaReader, version: number): MetadataResponseBroker[] {
  const length =
    version >= 9
      ? reader.compactArrayLength('brokers', 11)
      : version >= 1
        ? reader.arrayLength('brokers', 12)
        : reader.arrayLength('brokers', 10)

  const array: MetadataResponseBroker[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readMetadataResponseBroker(reader, version))
  return array
}

function readMetadataResponse_topics(reader: KafkaReader, version: number): MetadataResponseTopic[] {
  const length =
    version >= 10
      ? reader.compactArrayLength('topics', 26)
      : version >= 9
        ? reader.compactArrayLength('topics', 10)
        : version >= 8
          ? reader.arrayLength('topics', 13)
          : version >= 1
            ? reader.arrayLength('topics', 9)
            : reader.arrayLength('topics', 8)

  const array: MetadataResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readMetadataResponseTopic(reader, version))
  return array
}

function readMetadataResponse(reader: KafkaReader, version: number): MetadataResponse {
  const throttleTimeMs = version >= 3 ? reader.int32('throttleTimeMs') : 0
  const brokers = readMetadataResponse_brokers(reader, version)
  const clusterId =
    version >= 9 ? reader.compactNullableString('clusterId') : version >= 2 ? reader.nullableString('clusterId') : null
  const controllerId = version >= 1 ? reader.int32('controllerId') : -1
  const topics = readMetadataResponse_topics(reader, version)
  const clusterAuthorizedOperations =
    version >= 11 ? -2147483648 : version >= 8 ? reader.int32('clusterAuthorizedOperations') : -2147483648
  if (version >= 9) reader.skipTags()
  return { throttleTimeMs, brokers, clusterId, controllerId, topics, clusterAuthorizedOperations }
}

function writeMetadataResponseBroker(writer: KafkaWriter, value: MetadataResponseBroker, version: number): void {
  writer.int32(value.nodeId)
  if (version >= 9) {
    writer.compactString(value.host)
  } else {
    writer.string(value.host)
  }
  writer.int32(value.port)
  if (version >= 9) {
    writer.compactNullableString(value.rack ?? null)
  } else if (version >= 1) {
    writer.nullableString(value.rack ?? null)
  }
  if (version >= 9) {
    writer.noTags()
  }
}

function writeMetadataResponsePartition_replicaNodes(
  writer: KafkaWriter,
  array: readonly number[],
  version: number,
): void {
  if (version >= 9) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writer.int32(element)
  }
}

function writeMetadataResponsePartition_isrNodes(writer: KafkaWriter, array: readonly number[], version: number): void {
  if (version >= 9) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writer.int32(element)
  }
}

function writeMetadataResponsePartition_offlineReplicas(
  writer: KafkaWriter,
  array: readonly number[],
  version: number,
): void {
  if (version >= 9) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writer.int32(element)
  }
}

function writeMetadataResponsePartition(writer: KafkaWriter, value: MetadataResponsePartition, version: number): void {
  writer.int16(value.errorCode)
  writer.int32(value.partitionIndex)
  writer.int32(value.leaderId)
  if (version >= 7) {
    writer.int32(value.leaderEpoch ?? -1)
  }
  writeMetadataResponsePartition_replicaNodes(writer, value.replicaNodes, version)
  writeMetadataResponsePartition_isrNodes(writer, value.isrNodes, version)
  if (version >= 5) {
    writeMetadataResponsePartition_offlineReplicas(writer, value.offlineReplicas, version)
  }
  if (version >= 9) {
    writer.noTags()
  }
}

function writeMetadataResponseTopic_partitions(
  writer: KafkaWriter,
  array: readonly MetadataResponsePartition[],
  version: number,
): void {
  if (version >= 9) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeMetadataResponsePartition(writer, element, version)
  }
}

function writeMetadataResponseTopic(writer: KafkaWriter, value: MetadataResponseTopic, version: number): void {
  writer.int16(value.errorCode)
  if (version >= 12) {
    writer.compactNullableString(value.name)
  } else if (version >= 9) {
    writer.compactString(nonNull(value.name, 'name', version))
  } else {
    writer.string(nonNull(value.name, 'name', version))
  }
  if (version >= 10) {
    writer.uuid(value.topicId)
  }
  if (version >= 1) {
    writer.bool(value.isInternal ?? false)
  }
  writeMetadataResponseTopic_partitions(writer, value.partitions, version)
  if (version >= 8) {
    writer.int32(value.topicAuthorizedOperations ?? -2147483648)
  }
  if (version >= 9) {
    writer.noTags()
  }
}

function writeMetadataResponse_brokers(
  writer: KafkaWriter,
  array: readonly MetadataResponseBroker[],
  version: number,
): void {
  if (version >= 9) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeMetadataResponseBroker(writer, element, version)
  }
}

function writeMetadataResponse_topics(
  writer: KafkaWriter,
  array: readonly MetadataResponseTopic[],
  version: number,
): void {
  if (version >= 9) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeMetadataResponseTopic(writer, element, version)
  }
}

function writeMetadataResponse(writer: KafkaWriter, value: MetadataResponse, version: number): void {
  if (version >= 3) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  writeMetadataResponse_brokers(writer, value.brokers, version)
  if (version >= 9) {
    writer.compactNullableString(value.clusterId ?? null)
  } else if (version >= 2) {
    writer.nullableString(value.clusterId ?? null)
  }
  if (version >= 1) {
    writer.int32(value.controllerId ?? -1)
  }
  writeMetadataResponse_topics(writer, value.topics, version)
  if (version < 11) {
    if (version >= 8) {
      writer.int32(value.clusterAuthorizedOperations ?? -2147483648)
    }
  }
  if (version >= 9) {
    writer.noTags()
  }
}
