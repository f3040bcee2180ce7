// Made by scripts/generate-kafka-codecs.ts from ../schema/create-topics.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'
import { ZERO_UUID } from '../uuid.js'

export interface CreateTopicsRequest {
  readonly topics: readonly CreateTopicsRequestTopic[]
  readonly timeoutMs: number
  readonly validateOnly: boolean
}

export interface CreateTopicsRequestTopic {
  readonly name: string
  readonly numPartitions: number
  readonly replicationFactor: number
  readonly assignments: readonly CreateTopicsRequestAssignment[]
  readonly configs: readonly CreateTopicsRequestConfig[]
}

export interface CreateTopicsRequestConfig {
  readonly name: string
  readonly value: string | null
}

export interface CreateTopicsRequestAssignment {
  readonly partitionIndex: number
  readonly brokerIds: readonly number[]
}

export interface CreateTopicsResponse {
  throttleTimeMs?: number | undefined
  topics: readonly CreateTopicsResponseTopic[]
}

export interface CreateTopicsResponseTopic {
  name: string
  topicId: string
  errorCode: number
  errorMessage: string | null
  topicConfigErrorCode?: number | undefined
  numPartitions?: number | undefined
  replicationFactor?: number | undefined
  configs: readonly CreateTopicsResponseConfig[] | null
}

export interface CreateTopicsResponseConfig {
  name: string
  value: string | null
  readOnly: boolean
  configSource?: number | undefined
  isSensitive: boolean
}

/** CreateTopics, versions 0 to 7. */
export const createTopicsApi: KafkaApi<CreateTopicsRequest, CreateTopicsResponse> = {
  key: 19,
  name: 'CreateTopics',
  versions: [0, 7],
  flexibleFrom: 5,
  decodeRequest(reader, version) {
    const request = readCreateTopicsRequest(reader, version)
    reader.endMessage('request', 'CreateTopics', version)
    return request
  },
  encodeRequest: writeCreateTopicsRequest,
  decodeResponse(reader, version) {
    const response = readCreateTopicsResponse(reader, version)
    reader.endMessage('response', 'CreateTopics', version)
    return response
  },
  encodeResponse: writeCreateTopicsResponse,
}

function readCreateTopicsRequestAssignment_brokerIds(reader: KafkaReader, version: number): number[] {
  const length = version >= 5 ? reader.compactArrayLength('brokerIds', 4) : reader.arrayLength('brokerIds', 4)

  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('brokerIds'))
  return array
}

function readCreateTopicsRequestAssignment(reader: KafkaReader, version: number): CreateTopicsRequestAssignment {
  const partitionIndex = reader.int32('partitionIndex')
  const brokerIds = readCreateTopicsRequestAssignment_brokerIds(reader, version)
  if (version >= 5) reader.skipTags()
  return { partitionIndex, brokerIds }
}

function readCreateTopicsRequestConfig(reader: KafkaReader, version: number): CreateTopicsRequestConfig {
  const name = version >= 5 ? reader.compactString('name') : reader.string('name')
  const value = version >= 5 ? reader.compactNullableString('value') : reader.nullableString('value')
  if (version >= 5) reader.skipTags()
  return { name, value }
}

function readCreateTopicsRequestTopic_assignments(
  reader: KafkaReader,
  version: number,
): CreateTopicsRequestAssignment[] {
  const length = version >= 5 ? reader.compactArrayLength('assignments', 6) : reader.arrayLength('assignments', 8)

  const array: CreateTopicsRequestAssignment[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readCreateTopicsRequestAssignment(reader, version))
  return array
}

function readCreateTopicsRequestTopic_configs(reader: KafkaReader, version: number): CreateTopicsRequestConfig[] {
  const length = version >= 5 ? reader.compactArrayLength('configs', 3) : reader.arrayLength('configs', 4)

  const array: CreateTopicsRequestConfig[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readCreateTopicsRequestConfig(reader, version))
  return array
}

function readCreateTopicsRequestTopic(reader: KafkaReader, version: number): CreateTopicsRequestTopic {
  const name = version >= 5 ? reader.compactString('name') : reader.string('name')
  const numPartitions = reader.int32('numPartitions')
  const replicationFactor = reader.int16('replicationFactor')
  const assignments = readCreateTopicsRequestTopic_assignments(reader, version)
  const configs = readCreateTopicsRequestTopic_configs(reader, version)
  if (version >= 5) reader.skipTags()
  return { name, numPartitions, replicationFactor, assignments, configs }
}

function readCreateTopicsRequest_topics(reader: KafkaReader, version: number): CreateTopicsRequestTopic[] {
  const length = version >= 5 ? reader.compactArrayLength('topics', 10) : reader.arrayLength('topics', 16)

  const array: CreateTopicsRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readCreateTopicsRequestTopic(reader, version))
  return array
}

function readCreateTopicsRequest(reader: KafkaReader, version: number): CreateTopicsRequest {
  const topics = readCreateTopicsRequest_topics(reader, version)
  const timeoutMs = reader.int32('timeoutMs')
  const validateOnly = version >= 1 ? reader.bool('validateOnly') : false
  if (version >= 5) reader.skipTags()
  return { topics, timeoutMs, validateOnly }
}

function writeCreateTopicsRequestAssignment_brokerIds(
  writer: KafkaWriter,
  array: readonly number[],
  version: number,
): void {
  if (version >= 5) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writer.int32(element)
  }
}

function writeCreateTopicsRequestAssignment(
  writer: KafkaWriter,
  value: CreateTopicsRequestAssignment,
  version: number,
): void {
  writer.int32(value.partitionIndex)
  writeCreateTopicsRequestAssignment_brokerIds(writer, value.brokerIds, version)
  if (version >= 5) {
    writer.noTags()
  }
}

function writeCreateTopicsRequestConfig(writer: KafkaWriter, value: CreateTopicsRequestConfig, version: number): void {
  if (version >= 5) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  if (version >= 5) {
    writer.compactNullableString(value.value)
  } else {
    writer.nullableString(value.value)
  }
  if (version >= 5) {
    writer.noTags()
  }
}

function writeCreateTopicsRequestTopic_assignments(
  writer: KafkaWriter,
  array: readonly CreateTopicsRequestAssignment[],
  version: number,
): void {
  if (version >= 5) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeCreateTopicsRequestAssignment(writer, element, version)
  }
}

function writeCreateTopicsRequestTopic_configs(
  writer: KafkaWriter,
  array: readonly CreateTopicsRequestConfig[],
  version: number,
): void {
  if (version >= 5) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeCreateTopicsRequestConfig(writer, element, version)
  }
}

function writeCreateTopicsRequestTopic(writer: KafkaWriter, value: CreateTopicsRequestTopic, version: number): void {
  if (version >= 5) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writer.int32(value.numPartitions)
  writer.int16(value.replicationFactor)
  writeCreateTopicsRequestTopic_assignments(writer, value.assignments, version)
  writeCreateTopicsRequestTopic_configs(writer, value.configs, version)
  if (version >= 5) {
    writer.noTags()
  }
}

function writeCreateTopicsRequest_topics(
  writer: KafkaWriter,
  array: readonly CreateTopicsRequestTopic[],
  version: number,
): void {
  if (version >= 5) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeCreateTopicsRequestTopic(writer, element, version)
  }
}

function writeCreateTopicsRequest(writer: KafkaWriter, value: CreateTopicsRequest, version: number): void {
  writeCreateTopicsRequest_topics(writer, value.topics, version)
  writer.int32(value.timeoutMs)
  if (version >= 1) {
    writer.bool(value.validateOnly)
  }
  if (version >= 5) {
    writer.noTags()
  }
}

function readCreateTopicsResponseConfig(reader: KafkaReader, _version: number): CreateTopicsResponseConfig {
  const name = reader.compactString('name')
  const value = reader.compactNullableString('value')
  const readOnly = reader.bool('readOnly')
  const configSource = reader.int8('configSource')
  const isSensitive = reader.bool('isSensitive')
  reader.skipTags()
  return { name, value, readOnly, configSource, isSensitive }
}

function readCreateTopicsResponseTopic_configs(
  reader: KafkaReader,
  version: number,
): CreateTopicsResponseConfig[] | null {
  const length = reader.compactNullableArrayLength('configs', 6)
  if (length < 0) return null
  const array: CreateTopicsResponseConfig[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readCreateTopicsResponseConfig(reader, version))
  return array
}

function readCreateTopicsResponseTopic(reader: KafkaReader, version: number): CreateTopicsResponseTopic {
  const name = version >= 5 ? reader.compactString('name') : reader.string('name')
  const topicId = version >= 7 ? reader.uuid('topicId') : ZERO_UUID
  const errorCode = reader.int16('errorCode')
  const errorMessage =
    version >= 5
      ? reader.compactNullableString('errorMessage')
      : version >= 1
        ? reader.nullableString('errorMessage')
        : null
  const numPartitions = version >= 5 ? reader.int32('numPartitions') : -1
  const replicationFactor = version >= 5 ? reader.int16('replicationFactor') : -1
  const configs = version >= 5 ? readCreateTopicsResponseTopic_configs(reader, version) : null
  let topicConfigErrorCode: CreateTopicsResponseTopic['topicConfigErrorCode'] = 0
  if (version >= 5) {
    let tag = -1
    for (let left = reader.tagCount(); left > 0 && !reader.failed; left--) {
      tag = reader.tag(tag)
      const end = reader.tagEnd()
      if (tag === 0) {
        topicConfigErrorCode = reader.int16('topicConfigErrorCode')
        reader.endTag(end, 'topicConfigErrorCode')
      } else reader.skipTag(end)
    }
  }
  return { name, topicId, errorCode, errorMessage, topicConfigErrorCode, numPartitions, replicationFactor, configs }
}

function readCreateTopicsResponse_topics(reader: KafkaReader, version: number): CreateTopicsResponseTopic[] {
  const length =
    version >= 7
      ? reader.compactArrayLength('topics', 28)
      : version >= 5
        ? reader.compactArrayLength('topics', 12)
        : version >= 1
          ? reader.arrayLength('topics', 6)
          : reader.arrayLength('topics', 4)

  const array: CreateTopicsResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readCreateTopicsResponseTopic(reader, version))
  return array
}

function readCreateTopicsResponse(reader: KafkaReader, version: number): CreateTopicsResponse {
  const throttleTimeMs = version >= 2 ? reader.int32('throttleTimeMs') : 0
  const topics = readCreateTopicsResponse_topics(reader, version)
  if (version >= 5) reader.skipTags()
  return { throttleTimeMs, topics }
}

function writeCreateTopicsResponseConfig(
  writer: KafkaWriter,
  value: CreateTopicsResponseConfig,
  _version: number,
): void {
  writer.compactString(value.name)
  writer.compactNullableString(value.value)
  writer.bool(value.readOnly)
  writer.int8(value.configSource ?? -1)
  writer.bool(value.isSensitive)
  writer.noTags()
}

function writeCreateTopicsResponseTopic_configs(
  writer: KafkaWriter,
  array: readonly CreateTopicsResponseConfig[] | null,
  version: number,
): void {
  if (array === null) {
    writer.compactArrayLength(-1)
    return
  }
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeCreateTopicsResponseConfig(writer, element, version)
  }
}

function writeCreateTopicsResponseTopic(writer: KafkaWriter, value: CreateTopicsResponseTopic, version: number): void {
  if (version >= 5) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  if (version >= 7) {
    writer.uuid(value.topicId)
  }
  writer.int16(value.errorCode)
  if (version >= 5) {
    writer.compactNullableString(value.errorMessage)
  } else if (version >= 1) {
    writer.nullableString(value.errorMessage)
  }
  if (version >= 5) {
    writer.int32(value.numPartitions ?? -1)
  }
  if (version >= 5) {
    writer.int16(value.replicationFactor ?? -1)
  }
  if (version >= 5) {
    writeCreateTopicsResponseTopic_configs(writer, value.configs, version)
  }
  if (version >= 5) {
    const topicConfigErrorCode = value.topicConfigErrorCode ?? 0
    const hasTopicConfigErrorCode = topicConfigErrorCode !== 0
    writer.unsignedVarint(hasTopicConfigErrorCode ? 1 : 0)
    if (hasTopicConfigErrorCode) {
      const begun = writer.tag(0)
      writer.int16(topicConfigErrorCode)
      writer.endTag(begun)
    }
  }
}

function writeCreateTopicsResponse_topics(
  writer: KafkaWriter,
  array: readonly CreateTopicsResponseTopic[],
  version: number,
): void {
  if (version >= 5) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeCreateTopicsResponseTopic(writer, element, version)
  }
}

function writeCreateTopicsResponse(writer: KafkaWriter, value: CreateTopicsResponse, version: number): void {
  if (version >= 2) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  writeCreateTopicsResponse_topics(writer, value.topics, version)
  if (version >= 5) {
    writer.noTags()
  }
}
