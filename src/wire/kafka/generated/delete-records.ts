// Made by scripts/generate-kafka-codecs.ts from ../schema/delete-records.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface DeleteRecordsRequest {
  readonly topics: readonly DeleteRecordsRequestTopic[]
  readonly timeoutMs: number
}

export interface DeleteRecordsRequestTopic {
  readonly name: string
  readonly partitions: readonly DeleteRecordsRequestPartition[]
}

export interface DeleteRecordsRequestPartition {
  readonly partitionIndex: number
  readonly offset: number
}

export interface DeleteRecordsResponse {
  throttleTimeMs?: number | undefined
  topics: readonly DeleteRecordsResponseTopic[]
}

export interface DeleteRecordsResponseTopic {
  name: string
  partitions: readonly DeleteRecordsResponsePartition[]
}

export interface DeleteRecordsResponsePartition {
  partitionIndex: number
  lowWatermark: number
  errorCode: number
}

/** DeleteRecords, versions 0 to 2. */
export const deleteRecordsApi: KafkaApi<DeleteRecordsRequest, DeleteRecordsResponse> = {
  key: 21,
  name: 'DeleteRecords',
  versions: [0, 2],
  flexibleFrom: 2,
  decodeRequest(reader, version) {
    const request = readDeleteRecordsRequest(reader, version)
    reader.endMessage('request', 'DeleteRecords', version)
    return request
  },
  encodeRequest: writeDeleteRecordsRequest,
  decodeResponse(reader, version) {
    const response = readDeleteRecordsResponse(reader, version)
    reader.endMessage('response', 'DeleteRecords', version)
    return response
  },
  encodeResponse: writeDeleteRecordsResponse,
}

function readDeleteRecordsRequestPartition(reader: KafkaReader, version: number): DeleteRecordsRequestPartition {
  const partitionIndex = reader.int32('partitionIndex')
  const offset = reader.boundedInt64('offset')
  if (version >= 2) reader.skipTags()
  return { partitionIndex, offset }
}

function readDeleteRecordsRequestTopic_partitions(
  reader: KafkaReader,
  version: number,
): DeleteRecordsRequestPartition[] {
  const length = version >= 2 ? reader.compactArrayLength('partitions', 13) : reader.arrayLength('partitions', 12)

  const array: DeleteRecordsRequestPartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDeleteRecordsRequestPartition(reader, version))
  return array
}

function readDeleteRecordsRequestTopic(reader: KafkaReader, version: number): DeleteRecordsRequestTopic {
  const name = version >= 2 ? reader.compactString('name') : reader.string('name')
  const partitions = readDeleteRecordsRequestTopic_partitions(reader, version)
  if (version >= 2) reader.skipTags()
  return { name, partitions }
}

function readDeleteRecordsRequest_topics(reader: KafkaReader, version: number): DeleteRecordsRequestTopic[] {
  const length = version >= 2 ? reader.compactArrayLength('topics', 3) : reader.arrayLength('topics', 6)

  const array: DeleteRecordsRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDeleteRecordsRequestTopic(reader, version))
  return array
}

function readDeleteRecordsRequest(reader: KafkaReader, version: number): DeleteRecordsRequest {
  const topics = readDeleteRecordsRequest_topics(reader, version)
  const timeoutMs = reader.int32('timeoutMs')
  if (version >= 2) reader.skipTags()
  return { topics, timeoutMs }
}

function writeDeleteRecordsRequestPartition(
  writer: KafkaWriter,
  value: DeleteRecordsRequestPartition,
  version: number,
): void {
  writer.int32(value.partitionIndex)
  writer.int64(value.offset)
  if (version >= 2) {
    writer.noTags()
  }
}

function writeDeleteRecordsRequestTopic_partitions(
  writer: KafkaWriter,
  array: readonly DeleteRecordsRequestPartition[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDeleteRecordsRequestPartition(writer, element, version)
  }
}

function writeDeleteRecordsRequestTopic(writer: KafkaWriter, value: DeleteRecordsRequestTopic, version: number): void {
  if (version >= 2) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writeDeleteRecordsRequestTopic_partitions(writer, value.partitions, version)
  if (version >= 2) {
    writer.noTags()
  }
}

function writeDeleteRecordsRequest_topics(
  writer: KafkaWriter,
  array: readonly DeleteRecordsRequestTopic[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDeleteRecordsRequestTopic(writer, element, version)
  }
}

function writeDeleteRecordsRequest(writer: KafkaWriter, value: DeleteRecordsRequest, version: number): void {
  writeDeleteRecordsRequest_topics(writer, value.topics, version)
  writer.int32(value.timeoutMs)
  if (version >= 2) {
    writer.noTags()
  }
}

function readDeleteRecordsResponsePartition(reader: KafkaReader, version: number): DeleteRecordsResponsePartition {
  const partitionIndex = reader.int32('partitionIndex')
  const lowWatermark = reader.boundedInt64('lowWatermark')
  const errorCode = reader.int16('errorCode')
  if (version >= 2) reader.skipTags()
  return { partitionIndex, lowWatermark, errorCode }
}

function readDeleteRecordsResponseTopic_partitions(
  reader: KafkaReader,
  version: number,
): DeleteRecordsResponsePartition[] {
  const length = version >= 2 ? reader.compactArrayLength('partitions', 15) : reader.arrayLength('partitions', 14)

  const array: DeleteRecordsResponsePartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDeleteRecordsResponsePartition(reader, version))
  return array
}

function readDeleteRecordsResponseTopic(reader: KafkaReader, version: number): DeleteRecordsResponseTopic {
  const name = version >= 2 ? reader.compactString('name') : reader.string('name')
  const partitions = readDeleteRecordsResponseTopic_partitions(reader, version)
  if (version >= 2) reader.skipTags()
  return { name, partitions }
}

function readDeleteRecordsResponse_topics(reader: KafkaReader, version: number): DeleteRecordsResponseTopic[] {
  const length = version >= 2 ? reader.compactArrayLength('topics', 3) : reader.arrayLength('topics', 6)

  const array: DeleteRecordsResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDeleteRecordsResponseTopic(reader, version))
  return array
}

function readDeleteRecordsResponse(reader: KafkaReader, version: number): DeleteRecordsResponse {
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const topics = readDeleteRecordsResponse_topics(reader, version)
  if (version >= 2) reader.skipTags()
  return { throttleTimeMs, topics }
}

function writeDeleteRecordsResponsePartition(
  writer: KafkaWriter,
  value: DeleteRecordsResponsePartition,
  version: number,
): void {
  writer.int32(value.partitionIndex)
  writer.int64(value.lowWatermark)
  writer.int16(value.errorCode)
  if (version >= 2) {
    writer.noTags()
  }
}

function writeDeleteRecordsResponseTopic_partitions(
  writer: KafkaWriter,
  array: readonly DeleteRecordsResponsePartition[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDeleteRecordsResponsePartition(writer, element, version)
  }
}

function writeDeleteRecordsResponseTopic(
  writer: KafkaWriter,
  value: DeleteRecordsResponseTopic,
  version: number,
): void {
  if (version >= 2) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writeDeleteRecordsResponseTopic_partitions(writer, value.partitions, version)
  if (version >= 2) {
    writer.noTags()
  }
}

function writeDeleteRecordsResponse_topics(
  writer: KafkaWriter,
  array: readonly DeleteRecordsResponseTopic[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDeleteRecordsResponseTopic(writer, element, version)
  }
}

function writeDeleteRecordsResponse(writer: KafkaWriter, value: DeleteRecordsResponse, version: number): void {
  writer.int32(value.throttleTimeMs ?? 0)
  writeDeleteRecordsResponse_topics(writer, value.topics, version)
  if (version >= 2) {
    writer.noTags()
  }
}
