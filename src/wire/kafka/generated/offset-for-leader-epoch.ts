// Made by scripts/generate-kafka-codecs.ts from ../schema/offset-for-leader-epoch.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface OffsetForLeaderEpochRequest {
  readonly replicaId: number
  readonly topics: readonly OffsetForLeaderEpochRequestTopic[]
}

export interface OffsetForLeaderEpochRequestTopic {
  readonly topic: string
  readonly partitions: readonly OffsetForLeaderEpochRequestPartition[]
}

export interface OffsetForLeaderEpochRequestPartition {
  readonly partition: number
  readonly currentLeaderEpoch: number
  readonly leaderEpoch: number
}

export interface OffsetForLeaderEpochResponse {
  throttleTimeMs?: number | undefined
  topics: readonly OffsetForLeaderEpochResponseTopic[]
}

export interface OffsetForLeaderEpochResponseTopic {
  topic: string
  partitions: readonly OffsetForLeaderEpochResponsePartition[]
}

export interface OffsetForLeaderEpochResponsePartition {
  errorCode: number
  partition: number
  leaderEpoch?: number | undefined
  endOffset?: number | undefined
}

/** OffsetForLeaderEpoch, versions 2 to 4. */
export const offsetForLeaderEpochApi: KafkaApi<OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse> = {
  key: 23,
  name: 'OffsetForLeaderEpoch',
  versions: [2, 4],
  flexibleFrom: 4,
  decodeRequest(reader, version) {
    const request = readOffsetForLeaderEpochRequest(reader, version)
    reader.endMessage('request', 'OffsetForLeaderEpoch', version)
    return request
  },
  encodeRequest: writeOffsetForLeaderEpochRequest,
  decodeResponse(reader, version) {
    const response = readOffsetForLeaderEpochResponse(reader, version)
    reader.endMessage('response', 'OffsetForLeaderEpoch', version)
    return response
  },
  encodeResponse: writeOffsetForLeaderEpochResponse,
}

function readOffsetForLeaderEpochRequestPartition(
  reader: KafkaReader,
  version: number,
): OffsetForLeaderEpochRequestPartition {
  const partition = reader.int32('partition')
  const currentLeaderEpoch = reader.int32('currentLeaderEpoch')
  const leaderEpoch = reader.int32('leaderEpoch')
  if (version >= 4) reader.skipTags()
  return { partition, currentLeaderEpoch, leaderEpoch }
}

function readOffsetForLeaderEpochRequestTopic_partitions(
  reader: KafkaReader,
  version: number,
): OffsetForLeaderEpochRequestPartition[] {
  const length = version >= 4 ? reader.compactArrayLength('partitions', 13) : reader.arrayLength('partitions', 12)

  const array: OffsetForLeaderEpochRequestPartition[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(readOffsetForLeaderEpochRequestPartition(reader, version))
  return array
}

function readOffsetForLeaderEpochRequestTopic(reader: KafkaReader, version: number): OffsetForLeaderEpochRequestTopic {
  const topic = version >= 4 ? reader.compactString('topic') : reader.string('topic')
  const partitions = readOffsetForLeaderEpochRequestTopic_partitions(reader, version)
  if (version >= 4) reader.skipTags()
  return { topic, partitions }
}

function readOffsetForLeaderEpochRequest_topics(
  reader: KafkaReader,
  version: number,
): OffsetForLeaderEpochRequestTopic[] {
  const length = version >= 4 ? reader.compactArrayLength('topics', 3) : reader.arrayLength('topics', 6)

  const array: OffsetForLeaderEpochRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetForLeaderEpochRequestTopic(reader, version))
  return array
}

function readOffsetForLeaderEpochRequest(reader: KafkaReader, version: number): OffsetForLeaderEpochRequest {
  const replicaId = version >= 3 ? reader.int32('replicaId') : -2
  const topics = readOffsetForLeaderEpochRequest_topics(reader, version)
  if (version >= 4) reader.skipTags()
  return { replicaId, topics }
}

function writeOffsetForLeaderEpochRequestPartition(
  writer: KafkaWriter,
  value: OffsetForLeaderEpochRequestPartition,
  version: number,
): void {
  writer.int32(value.partition)
  writer.int32(value.currentLeaderEpoch)
  writer.int32(value.leaderEpoch)
  if (version >= 4) {
    writer.noTags()
  }
}

function writeOffsetForLeaderEpochRequestTopic_partitions(
  writer: KafkaWriter,
  array: readonly OffsetForLeaderEpochRequestPartition[],
  version: number,
): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeOffsetForLeaderEpochRequestPartition(writer, element, version)
  }
}

function writeOffsetForLeaderEpochRequestTopic(
  writer: KafkaWriter,
  value: OffsetForLeaderEpochRequestTopic,
  version: number,
): void {
  if (version >= 4) {
    writer.compactString(value.topic)
  } else {
    writer.string(value.topic)
  }
  writeOffsetForLeaderEpochRequestTopic_partitions(writer, value.partitions, version)
  if (version >= 4) {
    writer.noTags()
  }
}

function writeOffsetForLeaderEpochRequest_topics(
  writer: KafkaWriter,
  array: readonly OffsetForLeaderEpochRequestTopic[],
  version: number,
): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeOffsetForLeaderEpochRequestTopic(writer, element, version)
  }
}

function writeOffsetForLeaderEpochRequest(
  writer: KafkaWriter,
  value: OffsetForLeaderEpochRequest,
  version: number,
): void {
  if (version >= 3) {
    writer.int32(value.replicaId)
  }
  writeOffsetForLeaderEpochRequest_topics(writer, value.topics, version)
  if (version >= 4) {
    writer.noTags()
  }
}

function readOffsetForLeaderEpochResponsePartition(
  reader: KafkaReader,
  version: number,
): OffsetForLeaderEpochResponsePartition {
  const errorCode = reader.int16('errorCode')
  const partition = reader.int32('partition')
  const leaderEpoch = reader.int32('leaderEpoch')
  const endOffset = reader.boundedInt64('endOffset')
  if (version >= 4) reader.skipTags()
  return { errorCode, partition, leaderEpoch, endOffset }
}

function readOffsetForLeaderEpochResponseTopic_partitions(
  reader: KafkaReader,
  version: number,
): OffsetForLeaderEpochResponsePartition[] {
  const length = version >= 4 ? reader.compactArrayLength('partitions', 19) : reader.arrayLength('partitions', 18)

  const array: OffsetForLeaderEpochResponsePartition[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(readOffsetForLeaderEpochResponsePartition(reader, version))
  return array
}

function readOffsetForLeaderEpochResponseTopic(
  reader: KafkaReader,
  version: number,
): OffsetForLeaderEpochResponseTopic {
  const topic = version >= 4 ? reader.compactString('topic') : reader.string('topic')
  const partitions = readOffsetForLeaderEpochResponseTopic_partitions(reader, version)
  if (version >= 4) reader.skipTags()
  return { topic, partitions }
}

function readOffsetForLeaderEpochResponse_topics(
  reader: KafkaReader,
  version: number,
): OffsetForLeaderEpochResponseTopic[] {
  const length = version >= 4 ? reader.compactArrayLength('topics', 3) : reader.arrayLength('topics', 6)

  const array: OffsetForLeaderEpochResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readOffsetForLeaderEpochResponseTopic(reader, version))
  return array
}

function readOffsetForLeaderEpochResponse(reader: KafkaReader, version: number): OffsetForLeaderEpochResponse {
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const topics = readOffsetForLeaderEpochResponse_topics(reader, version)
  if (version >= 4) reader.skipTags()
  return { throttleTimeMs, topics }
}

function writeOffsetForLeaderEpochResponsePartition(
  writer: KafkaWriter,
  value: OffsetForLeaderEpochResponsePartition,
  version: number,
): void {
  writer.int16(value.errorCode)
  writer.int32(value.partition)
  writer.int32(value.leaderEpoch ?? -1)
  writer.int64(value.endOffset ?? -1)
  if (version >= 4) {
    writer.noTags()
  }
}

function writeOffsetForLeaderEpochResponseTopic_partitions(
  writer: KafkaWriter,
  array: readonly OffsetForLeaderEpochResponsePartition[],
  version: number,
): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeOffsetForLeaderEpochResponsePartition(writer, element, version)
  }
}

function writeOffsetForLeaderEpochResponseTopic(
  writer: KafkaWriter,
  value: OffsetForLeaderEpochResponseTopic,
  version: number,
): void {
  if (version >= 4) {
    writer.compactString(value.topic)
  } else {
    writer.string(value.topic)
  }
  writeOffsetForLeaderEpochResponseTopic_partitions(writer, value.partitions, version)
  if (version >= 4) {
    writer.noTags()
  }
}

function writeOffsetForLeaderEpochResponse_topics(
  writer: KafkaWriter,
  array: readonly OffsetForLeaderEpochResponseTopic[],
  version: number,
): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeOffsetForLeaderEpochResponseTopic(writer, element, version)
  }
}

function writeOffsetForLeaderEpochResponse(
  writer: KafkaWriter,
  value: OffsetForLeaderEpochResponse,
  version: number,
): void {
  writer.int32(value.throttleTimeMs ?? 0)
  writeOffsetForLeaderEpochResponse_topics(writer, value.topics, version)
  if (version >= 4) {
    writer.noTags()
  }
}
