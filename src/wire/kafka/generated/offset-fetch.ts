// Made by scripts/generate-kafka-codecs.ts from ../schema/offset-fetch.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import { type KafkaWriter, nonNull } from '../kafka-writer.js'

export interface OffsetFetchRequest {
  readonly groupId: string
  readonly topics: readonly OffsetFetchRequestTopic[] | null
  readonly groups: readonly OffsetFetchRequestGroup[]
  readonly requireStable: boolean
}

export interface OffsetFetchRequestGroup {
  readonly groupId: string
  readonly memberId: string | null
  readonly memberEpoch: number
  readonly topics: readonly OffsetFetchRequestGroupTopic[] | null
}

export interface OffsetFetchRequestGroupTopic {
  readonly name: string
  readonly partitionIndexes: readonly number[]
}

export interface OffsetFetchRequestTopic {
  readonly name: string
  readonly partitionIndexes: readonly number[]
}

export interface OffsetFetchResponse {
  throttleTimeMs?: number | undefined
  topics: readonly OffsetFetchResponseTopic[]
  errorCode?: number | undefined
  groups: readonly OffsetFetchResponseGroup[]
}

export interface OffsetFetchResponseGroup {
  groupId: string
  topics: readonly OffsetFetchResponseGroupTopic[]
  errorCode?: number | undefined
}

export interface OffsetFetchResponseGroupTopic {
  name: string
  partitions: readonly OffsetFetchResponseGroupPartition[]
}

export interface OffsetFetchResponseGroupPartition {
  partitionIndex: number
  committedOffset: number
  committedLeaderEpoch?: number | undefined
  metadata: string | null
  errorCode: number
}

export interface OffsetFetchResponseTopic {
  name: string
  partitions: readonly OffsetFetchResponsePartition[]
}

export interface OffsetFetchResponsePartition {
  partitionIndex: number
  committedOffset: number
  committedLeaderEpoch?: number | undefined
  metadata: string | null
  errorCode: number
}

/** OffsetFetch, versions 1 to 9. */
export const offsetFetchApi: KafkaApi<OffsetFetchRequest, OffsetFetchResponse> = {
  key: 9,
  name: 'OffsetFetch',
  versions: [1, 9],
  flexibleFrom: 6,
  decodeRequest(reader, version) {
    const request = readOffsetFetchRequest(reader, version)
    reader.endMessage('request', 'OffsetFetch', version)
    return request
  },
  encodeRequest: writeOffsetFetchRequest,
  decodeResponse(reader, version) {
    const response = readOffsetFetchResponse(reader, version)
    reader.endMessage('response', 'OffsetFetch', version)
    return response
  },
  encodeResponse: writeOffsetFetchResponse,
}

function readOffsetFetchRequestTopic_partitionIndexes(reader: KafkaReader, version: number): number[] {
  const length =
    version >= 6 ? reader.compactArrayLength('partitionIndexes', 4) : reader.arrayLength('partitionIndexes', 4)

  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('partitionIndexes'))
  return array
}

function readOffsetFetchRequestTopic(reader: KafkaReader, version: number): OffsetFetchRequestTopic {
  const name = version >= 6 ? reader.compactString('name') : reader.string('name')
  const partitionIndexes = readOffsetFetchRequestTopic_partitionIndexes(reader, version)
  if (version >= 6) reader.skipTags()
  return { name, partitionIndexes }
}

function readOffsetFetchRequestGroupTopic_partitionIndexes(reader: KafkaReader, _version: number): number[] {
  const length = reader.compactArrayLength('partitionIndexes', 4)

  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('partitionIndexes'))
  return array
}

function readOffsetFetchRequestGroupTopic(reader: KafkaReader, version: number): OffsetFetchRequestGroupTopic {
  const name = reader.compactString('name')
  const partitionIndexes = readOffsetFetchRequestGroupTopic_partitionIndexes(reader, version)
  reader.skipTags()
  return { name, partitionIndexes }
}

function readOffsetFetchRequestGroup_topics(
  reader: KafkaReader,
  version: number,
): OffsetFetchRequestGroupTopic[] | null {
  const length = reader.compactNullableArrayLength('topics', 3)
  if (length < 0) return null
  const array: OffsetFetchRequestGroupTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetFetchRequestGroupTopic(reader, version))
  return array
}

function readOffsetFetchRequestGroup(reader: KafkaReader, version: number): OffsetFetchRequestGroup {
  const groupId = reader.compactString('groupId')
  const memberId = version >= 9 ? reader.compactNullableString('memberId') : null
  const memberEpoch = version >= 9 ? reader.int32('memberEpoch') : -1
  const topics = readOffsetFetchRequestGroup_topics(reader, version)
  reader.skipTags()
  return { groupId, memberId, memberEpoch, topics }
}

function readOffsetFetchRequest_topics(reader: KafkaReader, version: number): OffsetFetchRequestTopic[] | null {
  const length =
    version >= 6
      ? reader.compactNullableArrayLength('topics', 3)
      : version >= 2
        ? reader.nullableArrayLength('topics', 6)
        : reader.arrayLength('topics', 6)
  if (length < 0) return null
  const array: OffsetFetchRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetFetchRequestTopic(reader, version))
  return array
}

function readOffsetFetchRequest_groups(reader: KafkaReader, version: number): OffsetFetchRequestGroup[] {
  const length = version >= 9 ? reader.compactArrayLength('groups', 8) : reader.compactArrayLength('groups', 3)

  const array: OffsetFetchRequestGroup[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetFetchRequestGroup(reader, version))
  return array
}

function readOffsetFetchRequest(reader: KafkaReader, version: number): OffsetFetchRequest {
  const groupId = version >= 8 ? '' : version >= 6 ? reader.compactString('groupId') : reader.string('groupId')
  const topics = version >= 8 ? null : readOffsetFetchRequest_topics(reader, version)
  const groups = version >= 8 ? readOffsetFetchRequest_groups(reader, version) : []
  const requireStable = version >= 7 ? reader.bool('requireStable') : false
  if (version >= 6) reader.skipTags()
  return { groupId, topics, groups, requireStable }
}

function writeOffsetFetchRequestTopic_partitionIndexes(
  writer: KafkaWriter,
  array: readonly number[],
  version: number,
): void {
  if (version >= 6) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writer.int32(element)
  }
}

function writeOffsetFetchRequestTopic(writer: KafkaWriter, value: OffsetFetchRequestTopic, version: number): void {
  if (version >= 6) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writeOffsetFetchRequestTopic_partitionIndexes(writer, value.partitionIndexes, version)
  if (version >= 6) {
    writer.noTags()
  }
}

function writeOffsetFetchRequestGroupTopic_partitionIndexes(
  writer: KafkaWriter,
  array: readonly number[],
  _version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writer.int32(element)
  }
}

function writeOffsetFetchRequestGroupTopic(
  writer: KafkaWriter,
  value: OffsetFetchRequestGroupTopic,
  version: number,
): void {
  writer.compactString(value.name)
  writeOffsetFetchRequestGroupTopic_partitionIndexes(writer, value.partitionIndexes, version)
  writer.noTags()
}

function writeOffsetFetchRequestGroup_topics(
  writer: KafkaWriter,
  array: readonly OffsetFetchRequestGroupTopic[] | null,
  version: number,
): void {
  if (array === null) {
    writer.compactArrayLength(-1)
    return
  }
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeOffsetFetchRequestGroupTopic(writer, element, version)
  }
}

function writeOffsetFetchRequestGroup(writer: KafkaWriter, value: OffsetFetchRequestGroup, version: number): void {
  writer.compactString(value.groupId)
  if (version >= 9) {
    writer.compactNullableString(value.memberId)
  }
  if (version >= 9) {
    writer.int32(value.memberEpoch)
  }
  writeOffsetFetchRequestGroup_topics(writer, value.topics, version)
  writer.noTags()
}

function writeOffsetFetchRequest_topics(
  writer: KafkaWriter,
  array: readonly OffsetFetchRequestTopic[] | null,
  version: number,
): void {
  if (array === null) {
    if (version >= 6) {
      writer.compactArrayLength(-1)
    } else {
      writer.arrayLength(-1)
    }
    return
  }
  if (version >= 6) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeOffsetFetchRequestTopic(writer, element, version)
  }
}

function writeOffsetFetchRequest_groups(
  writer: KafkaWriter,
  array: readonly OffsetFetchRequestGroup[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeOffsetFetchRequestGroup(writer, element, version)
  }
}

function writeOffsetFetchRequest(writer: KafkaWriter, value: OffsetFetchRequest, version: number): void {
  if (version < 8) {
    if (version >= 6) {
      writer.compactString(value.groupId)
    } else {
      writer.string(value.groupId)
    }
  }
  if (version < 8) {
    if (version >= 2) {
      writeOffsetFetchRequest_topics(writer, value.topics, version)
    } else {
      writeOffsetFetchRequest_topics(writer, nonNull(value.topics, 'topics', version), version)
    }
  }
  if (version >= 8) {
    writeOffsetFetchRequest_groups(writer, value.groups, version)
  }
  if (version >= 7) {
    writer.bool(value.requireStable)
  }
  if (version >= 6) {
    writer.noTags()
  }
}

function readOffsetFetchResponsePartition(reader: KafkaReader, version: number): OffsetFetchResponsePartition {
  const partitionIndex = reader.int32('partitionIndex')
  const committedOffset = reader.boundedInt64('committedOffset')
  const committedLeaderEpoch = version >= 5 ? reader.int32('committedLeaderEpoch') : -1
  const metadata = version >= 6 ? reader.compactNullableString('metadata') : reader.nullableString('metadata')
  const errorCode = reader.int16('errorCode')
  if (version >= 6) reader.skipTags()
  return { partitionIndex, committedOffset, committedLeaderEpoch, metadata, errorCode }
}

function readOffsetFetchResponseTopic_partitions(reader: KafkaReader, version: number): OffsetFetchResponsePartition[] {
  const length =
    version >= 6
      ? reader.compactArrayLength('partitions', 20)
      : version >= 5
        ? reader.arrayLength('partitions', 20)
        : reader.arrayLength('partitions', 16)

  const array: OffsetFetchResponsePartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetFetchResponsePartition(reader, version))
  return array
}

function readOffsetFetchResponseTopic(reader: KafkaReader, version: number): OffsetFetchResponseTopic {
  const name = version >= 6 ? reader.compactString('name') : reader.string('name')
  const partitions = readOffsetFetchResponseTopic_partitions(reader, version)
  if (version >= 6) reader.skipTags()
  return { name, partitions }
}

function readOffsetFetchResponseGroupPartition(
  reader: KafkaReader,
  _version: number,
): OffsetFetchResponseGroupPartition {
  const partitionIndex = reader.int32('partitionIndex')
  const committedOffset = reader.boundedInt64('committedOffset')
  const committedLeaderEpoch = reader.int32('committedLeaderEpoch')
  const metadata = reader.compactNullableString('metadata')
  const errorCode = reader.int16('errorCode')
  reader.skipTags()
  return { partitionIndex, committedOffset, committedLeaderEpoch, metadata, errorCode }
}

function readOffsetFetchResponseGroupTopic_partitions(
  reader: KafkaReader,
  version: number,
): OffsetFetchResponseGroupPartition[] {
  const length = reader.compactArrayLength('partitions', 20)

  const array: OffsetFetchResponseGroupPartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetFetchResponseGroupPartition(reader, version))
  return array
}

function readOffsetFetchResponseGroupTopic(reader: KafkaReader, version: number): OffsetFetchResponseGroupTopic {
  const name = reader.compactString('name')
  const partitions = readOffsetFetchResponseGroupTopic_partitions(reader, version)
  reader.skipTags()
  return { name, partitions }
}

function readOffsetFetchResponseGroup_topics(reader: KafkaReader, version: number): OffsetFetchResponseGroupTopic[] {
  const length = reader.compactArrayLength('topics', 3)

  const array: OffsetFetchResponseGroupTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetFetchResponseGroupTopic(reader, version))
  return array
}

function readOffsetFetchResponseGroup(reader: KafkaReader, version: number): OffsetFetchResponseGroup {
  const groupId = reader.compactString('groupId')
  const topics = readOffsetFetchResponseGroup_topics(reader, version)
  const errorCode = reader.int16('errorCode')
  reader.skipTags()
  return { groupId, topics, errorCode }
}

function readOffsetFetchResponse_topics(reader: KafkaReader, version: number): OffsetFetchResponseTopic[] {
  const length = version >= 6 ? reader.compactArrayLength('topics', 3) : reader.arrayLength('topics', 6)

  const array: OffsetFetchResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetFetchResponseTopic(reader, version))
  return array
}

function readOffsetFetchResponse_groups(reader: KafkaReader, version: number): OffsetFetchResponseGroup[] {
  const length = reader.compactArrayLength('groups', 5)

  const array: OffsetFetchResponseGroup[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetFetchResponseGroup(reader, version))
  return array
}

function readOffsetFetchResponse(reader: KafkaReader, version: number): OffsetFetchResponse {
  const throttleTimeMs = version >= 3 ? reader.int32('throttleTimeMs') : 0
  const topics = version >= 8 ? [] : readOffsetFetchResponse_topics(reader, version)
  const errorCode = version >= 8 ? 0 : version >= 2 ? reader.int16('errorCode') : 0
  const groups = version >= 8 ? readOffsetFetchResponse_groups(reader, version) : []
  if (version >= 6) reader.skipTags()
  return { throttleTimeMs, topics, errorCode, groups }
}

function writeOffsetFetchResponsePartition(
  writer: KafkaWriter,
  value: OffsetFetchResponsePartition,
  version: number,
): void {
  writer.int32(value.partitionIndex)
  writer.int64(value.committedOffset)
  if (version >= 5) {
    writer.int32(value.committedLeaderEpoch ?? -1)
  }
  if (version >= 6) {
    writer.compactNullableString(value.metadata)
  } else {
    writer.nullableString(value.metadata)
  }
  writer.int16(value.errorCode)
  if (version >= 6) {
    writer.noTags()
  }
}

function writeOffsetFetchResponseTopic_partitions(
  writer: KafkaWriter,
  array: readonly OffsetFetchResponsePartition[],
  version: number,
): void {
  if (version >= 6) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeOffsetFetchResponsePartition(writer, element, version)
  }
}

function writeOffsetFetchResponseTopic(writer: KafkaWriter, value: OffsetFetchResponseTopic, version: number): void {
  if (version >= 6) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writeOffsetFetchResponseTopic_partitions(writer, value.partitions, version)
  if (version >= 6) {
    writer.noTags()
  }
}

function writeOffsetFetchResponseGroupPartition(
  writer: KafkaWriter,
  value: OffsetFetchResponseGroupPartition,
  _version: number,
): void {
  writer.int32(value.partitionIndex)
  writer.int64(value.committedOffset)
  writer.int32(value.committedLeaderEpoch ?? -1)
  writer.compactNullableString(value.metadata)
  writer.int16(value.errorCode)
  writer.noTags()
}

function writeOffsetFetchResponseGroupTopic_partitions(
  writer: KafkaWriter,
  array: readonly OffsetFetchResponseGroupPartition[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeOffsetFetchResponseGroupPartition(writer, element, version)
  }
}

function writeOffsetFetchResponseGroupTopic(
  writer: KafkaWriter,
  value: OffsetFetchResponseGroupTopic,
  version: number,
): void {
  writer.compactString(value.name)
  writeOffsetFetchResponseGroupTopic_partitions(writer, value.partitions, version)
  writer.noTags()
}

function writeOffsetFetchResponseGroup_topics(
  writer: KafkaWriter,
  array: readonly OffsetFetchResponseGroupTopic[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeOffsetFetchResponseGroupTopic(writer, element, version)
  }
}

function writeOffsetFetchResponseGroup(writer: KafkaWriter, value: OffsetFetchResponseGroup, version: number): void {
  writer.compactString(value.groupId)
  writeOffsetFetchResponseGroup_topics(writer, value.topics, version)
  writer.int16(value.errorCode ?? 0)
  writer.noTags()
}

function writeOffsetFetchResponse_topics(
  writer: KafkaWriter,
  array: readonly OffsetFetchResponseTopic[],
  version: number,
): void {
  if (version >= 6) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeOffsetFetchResponseTopic(writer, element, version)
  }
}

function writeOffsetFetchResponse_groups(
  writer: KafkaWriter,
  array: readonly OffsetFetchResponseGroup[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeOffsetFetchResponseGroup(writer, element, version)
  }
}

function writeOffsetFetchResponse(writer: KafkaWriter, value: OffsetFetchResponse, version: number): void {
  if (version >= 3) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  if (version < 8) {
    writeOffsetFetchResponse_topics(writer, value.topics, version)
  }
  if (version < 8) {
    if (version >= 2) {
      writer.int16(value.errorCode ?? 0)
    }
  }
  if (version >= 8) {
    writeOffsetFetchResponse_groups(writer, value.groups, version)
  }
  if (version >= 6) {
    writer.noTags()
  }
}
