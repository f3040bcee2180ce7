// Made by scripts/generate-kafka-codecs.ts from ../schema/create-partitions.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface CreatePartitionsRequest {
  readonly topics: readonly CreatePartitionsRequestTopic[]
  readonly timeoutMs: number
  readonly validateOnly: boolean
}

export interface CreatePartitionsRequestTopic {
  readonly name: string
  readonly count: number
  readonly assignments: readonly CreatePartitionsRequestAssignment[] | null
}

export interface CreatePartitionsRequestAssignment {
  readonly brokerIds: readonly number[]
}

export interface CreatePartitionsResponse {
  throttleTimeMs?: number | undefined
  results: readonly CreatePartitionsResponseResult[]
}

export interface CreatePartitionsResponseResult {
  name: string
  errorCode: number
  errorMessage?: string | null | undefined
}

/** CreatePartitions, versions 0 to 3. */
export const createPartitionsApi: KafkaApi<CreatePartitionsRequest, CreatePartitionsResponse> = {
  key: 37,
  name: 'CreatePartitions',
  versions: [0, 3],
  flexibleFrom: 2,
  decodeRequest(reader, version) {
    const request = readCreatePartitionsRequest(reader, version)
    reader.endMessage('request', 'CreatePartitions', version)
    return request
  },
  encodeRequest: writeCreatePartitionsRequest,
  decodeResponse(reader, version) {
    const response = readCreatePartitionsResponse(reader, version)
    reader.endMessage('response', 'CreatePartitions', version)
    return response
  },
  encodeResponse: writeCreatePartitionsResponse,
}

function readCreatePartitionsRequestAssignment_brokerIds(reader: KafkaReader, version: number): number[] {
  const length = version >= 2 ? reader.compactArrayLength('brokerIds', 4) : reader.arrayLength('brokerIds', 4)

  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('brokerIds'))
  return array
}

function readCreatePartitionsRequestAssignment(
  reader: KafkaReader,
  version: number,
): CreatePartitionsRequestAssignment {
  const brokerIds = readCreatePartitionsRequestAssignment_brokerIds(reader, version)
  if (version >= 2) reader.skipTags()
  return { brokerIds }
}

function readCreatePartitionsRequestTopic_assignments(
  reader: KafkaReader,
  version: number,
): CreatePartitionsRequestAssignment[] | null {
  const length =
    version >= 2 ? reader.compactNullableArrayLength('assignments', 2) : reader.nullableArrayLength('assignments', 4)
  if (length < 0) return null
  const array: CreatePartitionsRequestAssignment[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readCreatePartitionsRequestAssignment(reader, version))
  return array
}

function readCreatePartitionsRequestTopic(reader: KafkaReader, version: number): CreatePartitionsRequestTopic {
  const name = version >= 2 ? reader.compactString('name') : reader.string('name')
  const count = reader.int32('count')
  const assignments = readCreatePartitionsRequestTopic_assignments(reader, version)
  if (version >= 2) reader.skipTags()
  return { name, count, assignments }
}

function readCreatePartitionsRequest_topics(reader: KafkaReader, version: number): CreatePartitionsRequestTopic[] {
  const length = version >= 2 ? reader.compactArrayLength('topics', 7) : reader.arrayLength('topics', 10)

  const array: CreatePartitionsRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readCreatePartitionsRequestTopic(reader, version))
  return array
}

function readCreatePartitionsRequest(reader: KafkaReader, version: number): CreatePartitionsRequest {
  const topics = readCreatePartitionsRequest_topics(reader, version)
  const timeoutMs = reader.int32('timeoutMs')
  const validateOnly = reader.bool('validateOnly')
  if (version >= 2) reader.skipTags()
  return { topics, timeoutMs, validateOnly }
}

function writeCreatePartitionsRequestAssignment_brokerIds(
  writer: KafkaWriter,
  array: readonly number[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writer.int32(element)
  }
}

function writeCreatePartitionsRequestAssignment(
  writer: KafkaWriter,
  value: CreatePartitionsRequestAssignment,
  version: number,
): void {
  writeCreatePartitionsRequestAssignment_brokerIds(writer, value.brokerIds, version)
  if (version >= 2) {
    writer.noTags()
  }
}

function writeCreatePartitionsRequestTopic_assignments(
  writer: KafkaWriter,
  array: readonly CreatePartitionsRequestAssignment[] | null,
  version: number,
): void {
  if (array === null) {
    if (version >= 2) {
      writer.compactArrayLength(-1)
    } else {
      writer.arrayLength(-1)
    }
    return
  }
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeCreatePartitionsRequestAssignment(writer, element, version)
  }
}

function writeCreatePartitionsRequestTopic(
  writer: KafkaWriter,
  value: CreatePartitionsRequestTopic,
  version: number,
): void {
  if (version >= 2) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writer.int32(value.count)
  writeCreatePartitionsRequestTopic_assignments(writer, value.assignments, version)
  if (version >= 2) {
    writer.noTags()
  }
}

function writeCreatePartitionsRequest_topics(
  writer: KafkaWriter,
  array: readonly CreatePartitionsRequestTopic[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeCreatePartitionsRequestTopic(writer, element, version)
  }
}

function writeCreatePartitionsRequest(writer: KafkaWriter, value: CreatePartitionsRequest, version: number): void {
  writeCreatePartitionsRequest_topics(writer, value.topics, version)
  writer.int32(value.timeoutMs)
  writer.bool(value.validateOnly)
  if (version >= 2) {
    writer.noTags()
  }
}

function readCreatePartitionsResponseResult(reader: KafkaReader, version: number): CreatePartitionsResponseResult {
  const name = version >= 2 ? reader.compactString('name') : reader.string('name')
  const errorCode = reader.int16('errorCode')
  const errorMessage =
    version >= 2 ? reader.compactNullableString('errorMessage') : reader.nullableString('errorMessage')
  if (version >= 2) reader.skipTags()
  return { name, errorCode, errorMessage }
}

function readCreatePartitionsResponse_results(reader: KafkaReader, version: number): CreatePartitionsResponseResult[] {
  const length = version >= 2 ? reader.compactArrayLength('results', 5) : reader.arrayLength('results', 6)

  const array: CreatePartitionsResponseResult[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readCreatePartitionsResponseResult(reader, version))
  return array
}

function readCreatePartitionsResponse(reader: KafkaReader, version: number): CreatePartitionsResponse {
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const results = readCreatePartitionsResponse_results(reader, version)
  if (version >= 2) reader.skipTags()
  return { throttleTimeMs, results }
}

function writeCreatePartitionsResponseResult(
  writer: KafkaWriter,
  value: CreatePartitionsResponseResult,
  version: number,
): void {
  if (version >= 2) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writer.int16(value.errorCode)
  if (version >= 2) {
    writer.compactNullableString(value.errorMessage ?? null)
  } else {
    writer.nullableString(value.errorMessage ?? null)
  }
  if (version >= 2) {
    writer.noTags()
  }
}

function writeCreatePartitionsResponse_results(
  writer: KafkaWriter,
  array: readonly CreatePartitionsResponseResult[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeCreatePartitionsResponseResult(writer, element, version)
  }
}

function writeCreatePartitionsResponse(writer: KafkaWriter, value: CreatePartitionsResponse, version: number): void {
  writer.int32(value.throttleTimeMs ?? 0)
  writeCreatePartitionsResponse_results(writer, value.results, version)
  if (version >= 2) {
    writer.noTags()
  }
}
