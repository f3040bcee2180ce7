// Made by scripts/generate-kafka-codecs.ts from ../schema/offset-delete.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface OffsetDeleteRequest {
  readonly groupId: string
  readonly topics: readonly OffsetDeleteRequestTopic[]
}

export interface OffsetDeleteRequestTopic {
  readonly name: string
  readonly partitions: readonly OffsetDeleteRequestPartition[]
}

export interface OffsetDeleteRequestPartition {
  readonly partitionIndex: number
}

export interface OffsetDeleteResponse {
  errorCode: number
  throttleTimeMs?: number | undefined
  topics: readonly OffsetDeleteResponseTopic[]
}

export interface OffsetDeleteResponseTopic {
  name: string
  partitions: readonly OffsetDeleteResponsePartition[]
}

export interface OffsetDeleteResponsePartition {
  partitionIndex: number
  errorCode: number
}

/** OffsetDelete, versions 0 to 0. */
export const offsetDeleteApi: KafkaApi<OffsetDeleteRequest, OffsetDeleteResponse> = {
  key: 47,
  name: 'OffsetDelete',
  versions: [0, 0],
  flexibleFrom: Number.POSITIVE_INFINITY,
  decodeRequest(reader, version) {
    const request = readOffsetDeleteRequest(reader, version)
    reader.endMessage('request', 'OffsetDelete', version)
    return request
  },
  encodeRequest: writeOffsetDeleteRequest,
  decodeResponse(reader, version) {
    const response = readOffsetDeleteResponse(reader, version)
    reader.endMessage('response', 'OffsetDelete', version)
    return response
  },
  encodeResponse: writeOffsetDeleteResponse,
}

function readOffsetDeleteRequestPartition(reader: KafkaReader, _version: number): OffsetDeleteRequestPartition {
  const partitionIndex = reader.int32('partitionIndex')
  return { partitionIndex }
}

function readOffsetDeleteRequestTopic_partitions(reader: KafkaReader, version: number): OffsetDeleteRequestPartition[] {
  const length = reader.arrayLength('partitions', 4)

  const array: OffsetDeleteRequestPartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetDeleteRequestPartition(reader, version))
  return array
}

function readOffsetDeleteRequestTopic(reader: KafkaReader, version: number): OffsetDeleteRequestTopic {
  const name = reader.string('name')
  const partitions = readOffsetDeleteRequestTopic_partitions(reader, version)
  return { name, partitions }
}

function readOffsetDeleteRequest_topics(reader: KafkaReader, version: number): OffsetDeleteRequestTopic[] {
  const length = reader.arrayLength('topics', 6)

  const array: OffsetDeleteRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetDeleteRequestTopic(reader, version))
  return array
}

function readOffsetDeleteRequest(reader: KafkaReader, version: number): OffsetDeleteRequest {
  const groupId = reader.string('groupId')
  const topics = readOffsetDeleteRequest_topics(reader, version)
  return { groupId, topics }
}

function writeOffsetDeleteRequestPartition(
  writer: KafkaWriter,
  value: OffsetDeleteRequestPartition,
  _version: number,
): void {
  writer.int32(value.partitionIndex)
}

function writeOffsetDeleteRequestTopic_partitions(
  writer: KafkaWriter,
  array: readonly OffsetDeleteRequestPartition[],
  version: number,
): void {
  writer.arrayLength(array.length)
  for (const element of array) {
    writeOffsetDeleteRequestPartition(writer, element, version)
  }
}

function writeOffsetDeleteRequestTopic(writer: KafkaWriter, value: OffsetDeleteRequestTopic, version: number): void {
  writer.string(value.name)
  writeOffsetDeleteRequestTopic_partitions(writer, value.partitions, version)
}

function writeOffsetDeleteRequest_topics(
  writer: KafkaWriter,
  array: readonly OffsetDeleteRequestTopic[],
  version: number,
): void {
  writer.arrayLength(array.length)
  for (const element of array) {
    writeOffsetDeleteRequestTopic(writer, element, version)
  }
}

function writeOffsetDeleteRequest(writer: KafkaWriter, value: OffsetDeleteRequest, version: number): void {
  writer.string(value.groupId)
  writeOffsetDeleteRequest_topics(writer, value.topics, version)
}

function readOffsetDeleteResponsePartition(reader: KafkaReader, _version: number): OffsetDeleteResponsePartition {
  const partitionIndex = reader.int32('partitionIndex')
  const errorCode = reader.int16('errorCode')
  return { partitionIndex, errorCode }
}

function readOffsetDeleteResponseTopic_partitions(
  reader: KafkaReader,
  version: number,
): OffsetDeleteResponsePartition[] {
  const length = reader.arrayLength('partitions', 6)

  const array: OffsetDeleteResponsePartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetDeleteResponsePartition(reader, version))
  return array
}

function readOffsetDeleteResponseTopic(reader: KafkaReader, version: number): OffsetDeleteResponseTopic {
  const name = reader.string('name')
  const partitions = readOffsetDeleteResponseTopic_partitions(reader, version)
  return { name, partitions }
}

function readOffsetDeleteResponse_topics(reader: KafkaReader, version: number): OffsetDeleteResponseTopic[] {
  const length = reader.arrayLength('topics', 6)

  const array: OffsetDeleteResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetDeleteResponseTopic(reader, version))
  return array
}

function readOffsetDeleteResponse(reader: KafkaReader, version: number): OffsetDeleteResponse {
  const errorCode = reader.int16('errorCode')
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const topics = readOffsetDeleteResponse_topics(reader, version)
  return { errorCode, throttleTimeMs, topics }
}

function writeOffsetDeleteResponsePartition(
  writer: KafkaWriter,
  value: OffsetDeleteResponsePartition,
  _version: number,
): void {
  writer.int32(value.partitionIndex)
  writer.int16(value.errorCode)
}

function writeOffsetDeleteResponseTopic_partitions(
  writer: KafkaWriter,
  array: readonly OffsetDeleteResponsePartition[],
  version: number,
): void {
  writer.arrayLength(array.length)
  for (const element of array) {
    writeOffsetDeleteResponsePartition(writer, element, version)
  }
}

function writeOffsetDeleteResponseTopic(writer: KafkaWriter, value: OffsetDeleteResponseTopic, version: number): void {
  writer.string(value.name)
  writeOffsetDeleteResponseTopic_partitions(writer, value.partitions, version)
}

function writeOffsetDeleteResponse_topics(
  writer: KafkaWriter,
  array: readonly OffsetDeleteResponseTopic[],
  version: number,
): void {
  writer.arrayLength(array.length)
  for (const element of array) {
    writeOffsetDeleteResponseTopic(writer, element, version)
  }
}

function writeOffsetDeleteResponse(writer: KafkaWriter, value: OffsetDeleteResponse, version: number): void {
  writer.int16(value.errorCode)
  writer.int32(value.throttleTimeMs ?? 0)
  writeOffsetDeleteResponse_topics(writer, value.topics, version)
}
