// Made by scripts/generate-kafka-codecs.ts from ../schema/delete-topics.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import { type KafkaWriter, nonNull } from '../kafka-writer.js'
import { ZERO_UUID } from '../uuid.js'

export interface DeleteTopicsRequest {
  readonly topics: readonly DeleteTopicsRequestTopic[]
  readonly topicNames: readonly string[]
  readonly timeoutMs: number
}

export interface DeleteTopicsRequestTopic {
  readonly name: string | null
  readonly topicId: string
}

export interface DeleteTopicsResponse {
  throttleTimeMs?: number | undefined
  responses: readonly DeleteTopicsResponseTopic[]
}

export interface DeleteTopicsResponseTopic {
  name: string | null
  topicId: string
  errorCode: number
  errorMessage?: string | null | undefined
}

/** DeleteTopics, versions 0 to 6. */
export const deleteTopicsApi: KafkaApi<DeleteTopicsRequest, DeleteTopicsResponse> = {
  key: 20,
  name: 'DeleteTopics',
  versions: [0, 6],
  flexibleFrom: 4,
  decodeRequest(reader, version) {
    const request = readDeleteTopicsRequest(reader, version)
    reader.endMessage('request', 'DeleteTopics', version)
    return request
  },
  encodeRequest: writeDeleteTopicsRequest,
  decodeResponse(reader, version) {
    const response = readDeleteTopicsResponse(reader, version)
    reader.endMessage('response', 'DeleteTopics', version)
    return response
  },
  encodeResponse: writeDeleteTopicsResponse,
}

function readDeleteTopicsRequestTopic(reader: KafkaReader, _version: number): DeleteTopicsRequestTopic {
  const name = reader.compactNullableString('name')
  const topicId = reader.uuid('topicId')
  reader.skipTags()
  return { name, topicId }
}

function readDeleteTopicsRequest_topics(reader: KafkaReader, version: number): DeleteTopicsRequestTopic[] {
  const length = reader.compactArrayLength('topics', 18)

  const array: DeleteTopicsRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDeleteTopicsRequestTopic(reader, version))
  return array
}

function readDeleteTopicsRequest_topicNames(reader: KafkaReader, version: number): string[] {
  const length = version >= 4 ? reader.compactArrayLength('topicNames', 1) : reader.arrayLength('topicNames', 2)

  const array: string[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(version >= 4 ? reader.compactString('topicNames') : reader.string('topicNames'))
  return array
}

function readDeleteTopicsRequest(reader: KafkaReader, version: number): DeleteTopicsRequest {
  const topics = version >= 6 ? readDeleteTopicsRequest_topics(reader, version) : []
  const topicNames = version >= 6 ? [] : readDeleteTopicsRequest_topicNames(reader, version)
  const timeoutMs = reader.int32('timeoutMs')
  if (version >= 4) reader.skipTags()
  return { topics, topicNames, timeoutMs }
}

function writeDeleteTopicsRequestTopic(writer: KafkaWriter, value: DeleteTopicsRequestTopic, _version: number): void {
  writer.compactNullableString(value.name)
  writer.uuid(value.topicId)
  writer.noTags()
}

function writeDeleteTopicsRequest_topics(
  writer: KafkaWriter,
  array: readonly DeleteTopicsRequestTopic[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeDeleteTopicsRequestTopic(writer, element, version)
  }
}

function writeDeleteTopicsRequest_topicNames(writer: KafkaWriter, array: readonly string[], version: number): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    if (version >= 4) {
      writer.compactString(element)
    } else {
      writer.string(element)
    }
  }
}

function writeDeleteTopicsRequest(writer: KafkaWriter, value: DeleteTopicsRequest, version: number): void {
  if (version >= 6) {
    writeDeleteTopicsRequest_topics(writer, value.topics, version)
  }
  if (version < 6) {
    writeDeleteTopicsRequest_topicNames(writer, value.topicNames, version)
  }
  writer.int32(value.timeoutMs)
  if (version >= 4) {
    writer.noTags()
  }
}

function readDeleteTopicsResponseTopic(reader: KafkaReader, version: number): DeleteTopicsResponseTopic {
  const name =
    version >= 6
      ? reader.compactNullableString('name')
      : version >= 4
        ? reader.compactString('name')
        : reader.string('name')
  const topicId = version >= 6 ? reader.uuid('topicId') : ZERO_UUID
  const errorCode = reader.int16('errorCode')
  const errorMessage = version >= 5 ? reader.compactNullableString('errorMessage') : null
  if (version >= 4) reader.skipTags()
  return { name, topicId, errorCode, errorMessage }
}

function readDeleteTopicsResponse_responses(reader: KafkaReader, version: number): DeleteTopicsResponseTopic[] {
  const length =
    version >= 6
      ? reader.compactArrayLength('responses', 21)
      : version >= 5
        ? reader.compactArrayLength('responses', 5)
        : version >= 4
          ? reader.compactArrayLength('responses', 4)
          : reader.arrayLength('responses', 4)

  const array: DeleteTopicsResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDeleteTopicsResponseTopic(reader, version))
  return array
}

function readDeleteTopicsResponse(reader: KafkaReader, version: number): DeleteTopicsResponse {
  const throttleTimeMs = version >= 1 ? reader.int32('throttleTimeMs') : 0
  const responses = readDeleteTopicsResponse_responses(reader, version)
  if (version >= 4) reader.skipTags()
  return { throttleTimeMs, responses }
}

function writeDeleteTopicsResponseTopic(writer: KafkaWriter, value: DeleteTopicsResponseTopic, version: number): void {
  if (version >= 6) {
    writer.compactNullableString(value.name)
  } else if (version >= 4) {
    writer.compactString(nonNull(value.name, 'name', version))
  } else {
    writer.string(nonNull(value.name, 'name', version))
  }
  if (version >= 6) {
    writer.uuid(value.topicId)
  }
  writer.int16(value.errorCode)
  if (version >= 5) {
    writer.compactNullableString(value.errorMessage ?? null)
  }
  if (version >= 4) {
    writer.noTags()
  }
}

function writeDeleteTopicsResponse_responses(
  writer: KafkaWriter,
  array: readonly DeleteTopicsResponseTopic[],
  version: number,
): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDeleteTopicsResponseTopic(writer, element, version)
  }
}

function writeDeleteTopicsResponse(writer: KafkaWriter, value: DeleteTopicsResponse, version: number): void {
  if (version >= 1) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  writeDeleteTopicsResponse_responses(writer, value.responses, version)
  if (version >= 4) {
    writer.noTags()
  }
}
