// Made by scripts/generate-kafka-codecs.ts from ../schema/offset-commit.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface OffsetCommitRequest {
  readonly groupId: string
  readonly generationIdOrMemberEpoch: number
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly retentionTimeMs: bigint
  readonly topics: readonly OffsetCommitRequestTopic[]
}

export interface OffsetCommitRequestTopic {
  readonly name: string
  readonly partitions: readonly OffsetCommitRequestPartition[]
}

export interface OffsetCommitRequestPartition {
  readonly partitionIndex: number
  readonly committedOffset: number
  readonly committedLeaderEpoch: number
  readonly committedMetadata: string | null
}

export interface OffsetCommitResponse {
  throttleTimeMs?: number | undefined
  topics: readonly OffsetCommitResponseTopic[]
}

export interface OffsetCommitResponseTopic {
  name: string
  partitions: readonly OffsetCommitResponsePartition[]
}

export interface OffsetCommitResponsePartition {
  partitionIndex: number
  errorCode: number
}

/** OffsetCommit, versions 2 to 9. */
export const offsetCommitApi: KafkaApi<OffsetCommitRequest, OffsetCommitResponse> = {
  key: 8,
  name: 'OffsetCommit',
  versions: [2, 9],
  flexibleFrom: 8,
  decodeRequest(reader, version) {
    const request = readOffsetCommitRequest(reader, version)
    reader.endMessage('request', 'OffsetCommit', version)
    return request
  },
  encodeRequest: writeOffsetCommitRequest,
  decodeResponse(reader, version) {
    const response = readOffsetCommitResponse(reader, version)
    reader.endMessage('response', 'OffsetCommit', version)
    return response
  },
  encodeResponse: writeOffsetCommitResponse,
}

function readOffsetCommitRequestPartition(reader: KafkaReader, version: number): OffsetCommitRequestPartition {
  const partitionIndex = reader.int32('partitionIndex')
  const committedOffset = reader.boundedInt64('committedOffset')
  const committedLeaderEpoch = version >= 6 ? reader.int32('committedLeaderEpoch') : -1
  const committedMetadata =
    version >= 8 ? reader.compactNullableString('committedMetadata') : reader.nullableString('committedMetadata')
  if (version >= 8) reader.skipTags()
  return { partitionIndex, committedOffset, committedLeaderEpoch, committedMetadata }
}

function readOffsetCommitRequestTopic_partitions(reader: KafkaReader, version: number): OffsetCommitRequestPartition[] {
  const length =
    version >= 8
      ? reader.compactArrayLength('partitions', 18)
      : version >= 6
        ? reader.arrayLength('partitions', 18)
        : reader.arrayLength('partitions', 14)

  const array: OffsetCommitRequestPartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetCommitRequestPartition(reader, version))
  return array
}

function readOffsetCommitRequestTopic(reader: KafkaReader, version: number): OffsetCommitRequestTopic {
  const name = version >= 8 ? reader.compactString('name') : reader.string('name')
  const partitions = readOffsetCommitRequestTopic_partitions(reader, version)
  if (version >= 8) reader.skipTags()
  return { name, partitions }
}

function readOffsetCommitRequest_topics(reader: KafkaReader, version: number): OffsetCommitRequestTopic[] {
  const length = version >= 8 ? reader.compactArrayLength('topics', 3) : reader.arrayLength('topics', 6)

  const array: OffsetCommitRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetCommitRequestTopic(reader, version))
  return array
}

function readOffsetCommitRequest(reader: KafkaReader, version: number): OffsetCommitRequest {
  const groupId = version >= 8 ? reader.compactString('groupId') : reader.string('groupId')
  const generationIdOrMemberEpoch = reader.int32('generationIdOrMemberEpoch')
  const memberId = version >= 8 ? reader.compactString('memberId') : reader.string('memberId')
  const groupInstanceId =
    version >= 8
      ? reader.compactNullableString('groupInstanceId')
      : version >= 7
        ? reader.nullableString('groupInstanceId')
        : null
  const retentionTimeMs = version >= 5 ? -1n : reader.bigInt64('retentionTimeMs')
  const topics = readOffsetCommitRequest_topics(reader, version)
  if (version >= 8) reader.skipTags()
  return { groupId, generationIdOrMemberEpoch, memberId, groupInstanceId, retentionTimeMs, topics }
}

function writeOffsetCommitRequestPartition(
  writer: KafkaWriter,
  value: OffsetCommitRequestPartition,
  version: number,
): void {
  writer.int32(value.partitionIndex)
  writer.int64(value.committedOffset)
  if (version >= 6) {
    writer.int32(value.committedLeaderEpoch)
  }
  if (version >= 8) {
    writer.compactNullableString(value.committedMetadata)
  } else {
    writer.nullableString(value.committedMetadata)
  }
  if (version >= 8) {
    writer.noTags()
  }
}

function writeOffsetCommitRequestTopic_partitions(
  writer: KafkaWriter,
  array: readonly OffsetCommitRequestPartition[],
  version: number,
): void {
  if (version >= 8) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeOffsetCommitRequestPartition(writer, element, version)
  }
}

function writeOffsetCommitRequestTopic(writer: KafkaWriter, value: OffsetCommitRequestTopic, version: number): void {
  if (version >= 8) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writeOffsetCommitRequestTopic_partitions(writer, value.partitions, version)
  if (version >= 8) {
    writer.noTags()
  }
}

function writeOffsetCommitRequest_topics(
  writer: KafkaWriter,
  array: readonly OffsetCommitRequestTopic[],
  version: number,
): void {
  if (version >= 8) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeOffsetCommitRequestTopic(writer, element, version)
  }
}

function writeOffsetCommitRequest(writer: KafkaWriter, value: OffsetCommitRequest, version: number): void {
  if (version >= 8) {
    writer.compactString(value.groupId)
  } else {
    writer.string(value.groupId)
  }
  writer.int32(value.generationIdOrMemberEpoch)
  if (version >= 8) {
    writer.compactString(value.memberId)
  } else {
    writer.string(value.memberId)
  }
  if (version >= 8) {
    writer.compactNullableString(value.groupInstanceId)
  } else if (version >= 7) {
    writer.nullableString(value.groupInstanceId)
  }
  if (version < 5) {
    writer.bigInt64(value.retentionTimeMs)
  }
  writeOffsetCommitRequest_topics(writer, value.topics, version)
  if (version >= 8) {
    writer.noTags()
  }
}

function readOffsetCommitResponsePartition(reader: KafkaReader, version: number): OffsetCommitResponsePartition {
  const partitionIndex = reader.int32('partitionIndex')
  const errorCode = reader.int16('errorCode')
  if (version >= 8) reader.skipTags()
  return { partitionIndex, errorCode }
}

function readOffsetCommitResponseTopic_partitions(
  reader: KafkaReader,
  version: number,
): OffsetCommitResponsePartition[] {
  const length = version >= 8 ? reader.compactArrayLength('partitions', 7) : reader.arrayLength('partitions', 6)

  const array: OffsetCommitResponsePartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetCommitResponsePartition(reader, version))
  return array
}

function readOffsetCommitResponseTopic(reader: KafkaReader, version: number): OffsetCommitResponseTopic {
  const name = version >= 8 ? reader.compactString('name') : reader.string('name')
  const partitions = readOffsetCommitResponseTopic_partitions(reader, version)
  if (version >= 8) reader.skipTags()
  return { name, partitions }
}

function readOffsetCommitResponse_topics(reader: KafkaReader, version: number): OffsetCommitResponseTopic[] {
  const length = version >= 8 ? reader.compactArrayLength('topics', 3) : reader.arrayLength('topics', 6)

  const array: OffsetCommitResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetCommitResponseTopic(reader, version))
  return array
}

function readOffsetCommitResponse(reader: KafkaReader, version: number): OffsetCommitResponse {
  const throttleTimeMs = version >= 3 ? reader.int32('throttleTimeMs') : 0
  const topics = readOffsetCommitResponse_topics(reader, version)
  if (version >= 8) reader.skipTags()
  return { throttleTimeMs, topics }
}

function writeOffsetCommitResponsePartition(
  writer: KafkaWriter,
  value: OffsetCommitResponsePartition,
  version: number,
): void {
  writer.int32(value.partitionIndex)
  writer.int16(value.errorCode)
  if (version >= 8) {
    writer.noTags()
  }
}

function writeOffsetCommitResponseTopic_partitions(
  writer: KafkaWriter,
  array: readonly OffsetCommitResponsePartition[],
  version: number,
): void {
  if (version >= 8) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeOffsetCommitResponsePartition(writer, element, version)
  }
}

function writeOffsetCommitResponseTopic(writer: KafkaWriter, value: OffsetCommitResponseTopic, version: number): void {
  if (version >= 8) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writeOffsetCommitResponseTopic_partitions(writer, value.partitions, version)
  if (version >= 8) {
    writer.noTags()
  }
}

function writeOffsetCommitResponse_topics(
  writer: KafkaWriter,
  array: readonly OffsetCommitResponseTopic[],
  version: number,
): void {
  if (version >= 8) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeOffsetCommitResponseTopic(writer, element, version)
  }
}

function writeOffsetCommitResponse(writer: KafkaWriter, value: OffsetCommitResponse, version: number): void {
  if (version >= 3) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  writeOffsetCommitResponse_topics(writer, value.topics, version)
  if (version >= 8) {
    writer.noTags()
  }
}
