// Made by scripts/generate-kafka-codecs.ts from ../schema/list-offsets.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface ListOffsetsRequest {
  readonly replicaId: number
  readonly isolationLevel: number
  readonly topics: readonly ListOffsetsRequestTopic[]
}

export interface ListOffsetsRequestTopic {
  readonly name: string
  readonly partitions: readonly ListOffsetsRequestPartition[]
}

export interface ListOffsetsRequestPartition {
  readonly partitionIndex: number
  readonly currentLeaderEpoch: number
  readonly timestamp: number
}

export interface ListOffsetsResponse {
  throttleTimeMs?: number | undefined
  topics: readonly ListOffsetsResponseTopic[]
}

export interface ListOffsetsResponseTopic {
  name: string
  partitions: readonly ListOffsetsResponsePartition[]
}

export interface ListOffsetsResponsePartition {
  partitionIndex: number
  errorCode: number
  timestamp?: number | undefined
  offset?: number | undefined
  leaderEpoch?: number | undefined
}

/** ListOffsets, versions 1 to 9. */
export const listOffsetsApi: KafkaApi<ListOffsetsRequest, ListOffsetsResponse> = {
  key: 2,
  name: 'ListOffsets',
  versions: [1, 9],
  flexibleFrom: 6,
  decodeRequest(reader, version) {
    const request = readListOffsetsRequest(reader, version)
    reader.endMessage('request', 'ListOffsets', version)
    return request
  },
  encodeRequest: writeListOffsetsRequest,
  decodeResponse(reader, version) {
    const response = readListOffsetsResponse(reader, version)
    reader.endMessage('response', 'ListOffsets', version)
    return response
  },
  encodeResponse: writeListOffsetsResponse,
}

function readListOffsetsRequestPartition(reader: KafkaReader, version: number): ListOffsetsRequestPartition {
  const partitionIndex = reader.int32('partitionIndex')
  const currentLeaderEpoch = version >= 4 ? reader.int32('currentLeaderEpoch') : -1
  const timestamp = reader.boundedInt64('timestamp')
  if (version >= 6) reader.skipTags()
  return { partitionIndex, currentLeaderEpoch, timestamp }
}

function readListOffsetsRequestTopic_partitions(reader: KafkaReader, version: number): ListOffsetsRequestPartition[] {
  const length =
    version >= 6
      ? reader.compactArrayLength('partitions', 17)
      : version >= 4
        ? reader.arrayLength('partitions', 16)
        : reader.arrayLength('partitions', 12)

  const array: ListOffsetsRequestPartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readListOffsetsRequestPartition(reader, version))
  return array
}

function readListOffsetsRequestTopic(reader: KafkaReader, version: number): ListOffsetsRequestTopic {
  const name = version >= 6 ? reader.compactString('name') : reader.string('name')
  const partitions = readListOffsetsRequestTopic_partitions(reader, version)
  if (version >= 6) reader.skipTags()
  return { name, partitions }
}

function readListOffsetsRequest_topics(reader: KafkaReader, version: number): ListOffsetsRequestTopic[] {
  const length = version >= 6 ? reader.compactArrayLength('topics', 3) : reader.arrayLength('topics', 6)

  const array: ListOffsetsRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readListOffsetsRequestTopic(reader, version))
  return array
}

function readListOffsetsRequest(reader: KafkaReader, version: number): ListOffsetsRequest {
  const replicaId = reader.int32('replicaId')
  const isolationLevel = version >= 2 ? reader.int8('isolationLevel') : 0
  const topics = readListOffsetsRequest_topics(reader, version)
  if (version >= 6) reader.skipTags()
  return { replicaId, isolationLevel, topics }
}

function writeListOffsetsRequestPartition(
  writer: KafkaWriter,
  value: ListOffsetsRequestPartition,
  version: number,
): void {
  writer.int32(value.partitionIndex)
  if (version >= 4) {
    writer.int32(value.currentLeaderEpoch)
  }
  writer.int64(value.timestamp)
  if (version >= 6) {
    writer.noTags()
  }
}

function writeListOffsetsRequestTopic_partitions(
  writer: KafkaWriter,
  array: readonly ListOffsetsRequestPartition[],
  version: number,
): void {
  if (version >= 6) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeListOffsetsRequestPartition(writer, element, version)
  }
}

function writeListOffsetsRequestTopic(writer: KafkaWriter, value: ListOffsetsRequestTopic, version: number): void {
  if (version >= 6) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writeListOffsetsRequestTopic_partitions(writer, value.partitions, version)
  if (version >= 6) {
    writer.noTags()
  }
}

function writeListOffsetsRequest_topics(
  writer: KafkaWriter,
  array: readonly ListOffsetsRequestTopic[],
  version: number,
): void {
  if (version >= 6) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeListOffsetsRequestTopic(writer, element, version)
  }
}

function writeListOffsetsRequest(writer: KafkaWriter, value: ListOffsetsRequest, version: number): void {
  writer.int32(value.replicaId)
  if (version >= 2) {
    writer.int8(value.isolationLevel)
  }
  writeListOffsetsRequest_topics(writer, value.topics, version)
  if (version >= 6) {
    writer.noTags()
  }
}

function readListOffsetsResponsePartition(reader: KafkaReader, version: number): ListOffsetsResponsePartition {
  const partitionIndex = reader.int32('partitionIndex')
  const errorCode = reader.int16('errorCode')
  const timestamp = reader.boundedInt64('timestamp')
  const offset = reader.boundedInt64('offset')
  const leaderEpoch = version >= 4 ? reader.int32('leaderEpoch') : -1
  if (version >= 6) reader.skipTags()
  return { partitionIndex, errorCode, timestamp, offset, leaderEpoch }
}

function readListOffsetsResponseTopic_partitions(reader: KafkaReader, version: number): ListOffsetsResponsePartition[] {
  const length =
    version >= 6
      ? reader.compactArrayLength('partitions', 27)
      : version >= 4
        ? reader.arrayLength('partitions', 26)
        : reader.arrayLength('partitions', 22)

  const array: ListOffsetsResponsePartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readListOffsetsResponsePartition(reader, version))
  return array
}

function readListOffsetsResponseTopic(reader: KafkaReader, version: number): ListOffsetsResponseTopic {
  const name = version >= 6 ? reader.compactString('name') : reader.string('name')
  const partitions = readListOffsetsResponseTopic_partitions(reader, version)
  if (version >= 6) reader.skipTags()
  return { name, partitions }
}

function readListOffsetsResponse_topics(reader: KafkaReader, version: number): ListOffsetsResponseTopic[] {
  const length = version >= 6 ? reader.compactArrayLength('topics', 3) : reader.arrayLength('topics', 6)

  const array: ListOffsetsResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readListOffsetsResponseTopic(reader, version))
  return array
}

function readListOffsetsResponse(reader: KafkaReader, version: number): ListOffsetsResponse {
  const throttleTimeMs = version >= 2 ? reader.int32('throttleTimeMs') : 0
  const topics = readListOffsetsResponse_topics(reader, version)
  if (version >= 6) reader.skipTags()
  return { throttleTimeMs, topics }
}

function writeListOffsetsResponsePartition(
  writer: KafkaWriter,
  value: ListOffsetsResponsePartition,
  version: number,
): void {
  writer.int32(value.partitionIndex)
  writer.int16(value.errorCode)
  writer.int64(value.timestamp ?? -1)
  writer.int64(value.offset ?? -1)
  if (version >= 4) {
    writer.int32(value.leaderEpoch ?? -1)
  }
  if (version >= 6) {
    writer.noTags()
  }
}

function writeListOffsetsResponseTopic_partitions(
  writer: KafkaWriter,
  array: readonly ListOffsetsResponsePartition[],
  version: number,
): void {
  if (version >= 6) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeListOffsetsResponsePartition(writer, element, version)
  }
}

function writeListOffsetsResponseTopic(writer: KafkaWriter, value: ListOffsetsResponseTopic, version: number): void {
  if (version >= 6) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writeListOffsetsResponseTopic_partitions(writer, value.partitions, version)
  if (version >= 6) {
    writer.noTags()
  }
}

function writeListOffsetsResponse_topics(
  writer: KafkaWriter,
  array: readonly ListOffsetsResponseTopic[],
  version: number,
): void {
  if (version >= 6) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeListOffsetsResponseTopic(writer, element, version)
  }
}

function writeListOffsetsResponse(writer: KafkaWriter, value: ListOffsetsResponse, version: number): void {
  if (version >= 2) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  writeListOffsetsResponse_topics(writer, value.topics, version)
  if (version >= 6) {
    writer.noTags()
  }
}
