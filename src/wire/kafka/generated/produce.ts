// Made by scripts/generate-kafka-codecs.ts from ../schema/produce.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface ProduceRequest {
  readonly transactionalId: string | null
  readonly acks: number
  readonly timeoutMs: number
  readonly topicData: readonly ProduceRequestTopic[]
}

export interface ProduceRequestTopic {
  readonly name: string
  readonly partitionData: readonly ProduceRequestPartition[]
}

export interface ProduceRequestPartition {
  readonly index: number
  readonly records: Buffer | null
}

export interface ProduceResponse {
  responses: readonly ProduceResponseTopic[]
  throttleTimeMs?: number | undefined
  nodeEndpoints?: readonly ProduceResponseNodeEndpoint[] | undefined
}

export interface ProduceResponseNodeEndpoint {
  nodeId: number
  host: string
  port: number
  rack?: string | null | undefined
}

export interface ProduceResponseTopic {
  name: string
  partitionResponses: readonly ProduceResponsePartition[]
}

export interface ProduceResponsePartition {
  index: number
  errorCode: number
  baseOffset: number
  logAppendTimeMs?: number | undefined
  logStartOffset?: number | undefined
  recordErrors: readonly ProduceResponseRecordError[]
  errorMessage?: string | null | undefined
  currentLeader?: ProduceResponseLeader | null | undefined
}

export interface ProduceResponseLeader {
  leaderId?: number | undefined
  leaderEpoch?: number | undefined
}

export interface ProduceResponseRecordError {
  batchIndex: number
  batchIndexErrorMessage?: string | null | undefined
}

/** Produce, versions 3 to 11. */
export const produceApi: KafkaApi<ProduceRequest, ProduceResponse> = {
  key: 0,
  name: 'Produce',
  versions: [3, 11],
  flexibleFrom: 9,
  decodeRequest(reader, version) {
    const request = readProduceRequest(reader, version)
    reader.endMessage('request', 'Produce', version)
    return request
  },
  encodeRequest: writeProduceRequest,
  decodeResponse(reader, version) {
    const response = readProduceResponse(reader, version)
    reader.endMessage('response', 'Produce', version)
    return response
  },
  encodeResponse: writeProduceResponse,
}

function readProduceRequestPartition(reader: KafkaReader, version: number): ProduceRequestPartition {
  const index = reader.int32('index')
  const records = version >= 9 ? reader.compactNullableBytes('records') : reader.nullableBytes('records')
  if (version >= 9) reader.skipTags()
  return { index, records }
}

function readProduceRequestTopic_partitionData(reader: KafkaReader, version: number): ProduceRequestPartition[] {
  const length = version >= 9 ? reader.compactArrayLength('partitionData', 6) : reader.arrayLength('partitionData', 8)

  const array: ProduceRequestPartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readProduceRequestPartition(reader, version))
  return array
}

function readProduceRequestTopic(reader: KafkaReader, version: number): ProduceRequestTopic {
  const name = version >= 9 ? reader.compactString('name') : reader.string('name')
  const partitionData = readProduceRequestTopic_partitionData(reader, version)
  if (version >= 9) reader.skipTags()
  return { name, partitionData }
}

function readProduceRequest_topicData(reader: KafkaReader, version: number): ProduceRequestTopic[] {
  const length = version >= 9 ? reader.compactArrayLength('topicData', 3) : reader.arrayLength('topicData', 6)

  const array: ProduceRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readProduceRequestTopic(reader, version))
  return array
}

function readProduceRequest(reader: KafkaReader, version: number): ProduceRequest {
  const transactionalId =
    version >= 9 ? reader.compactNullableString('transactionalId') : reader.nullableString('transactionalId')
  const acks = reader.int16('acks')
  const timeoutMs = reader.int32('timeoutMs')
  const topicData = readProduceRequest_topicData(reader, version)
  if (version >= 9) reader.skipTags()
  return { transactionalId, acks, timeoutMs, topicData }
}

function writeProduceRequestPartition(writer: KafkaWriter, value: ProduceRequestPartition, version: number): void {
  writer.int32(value.index)
  if (version >= 9) {
    writer.compactRecords(value.records)
  } else {
    writer.records(value.records)
  }
  if (version >= 9) {
    writer.noTags()
  }
}

function writeProduceRequestTopic_partitionData(
  writer: KafkaWriter,
  array: readonly ProduceRequestPartition[],
  version: number,
): void {
  if (version >= 9) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeProduceRequestPartition(writer, element, version)
  }
}

function writeProduceRequestTopic(writer: KafkaWriter, value: ProduceRequestTopic, version: number): void {
  if (version >= 9) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writeProduceRequestTopic_partitionData(writer, value.partitionData, version)
  if (version >= 9) {
    writer.noTags()
  }
}

function writeProduceRequest_topicData(
  writer: KafkaWriter,
  array: readonly ProduceRequestTopic[],
  version: number,
): void {
  if (version >= 9) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeProduceRequestTopic(writer, element, version)
  }
}

function writeProduceRequest(writer: KafkaWriter, value: ProduceRequest, version: number): void {
  if (version >= 9) {
    writer.compactNullableString(value.transactionalId)
  } else {
    writer.nullableString(value.transactionalId)
  }
  writer.int16(value.acks)
  writer.int32(value.timeoutMs)
  writeProduceRequest_topicData(writer, value.topicData, version)
  if (version >= 9) {
    writer.noTags()
  }
}

function readProduceResponseRecordError(reader: KafkaReader, version: number): ProduceResponseRecordError {
  const batchIndex = reader.int32('batchIndex')
  const batchIndexErrorMessage =
    version >= 9
      ? reader.compactNullableString('batchIndexErrorMessage')
      : reader.nullableString('batchIndexErrorMessage')
  if (version >= 9) reader.skipTags()
  return { batchIndex, batchIndexErrorMessage }
}

function readProduceResponseLeader(reader: KafkaReader, _version: number): ProduceResponseLeader {
  const leaderId = reader.int32('leaderId')
  const leaderEpoch = reader.int32('leaderEpoch')
  reader.skipTags()
  return { leaderId, leaderEpoch }
}

function readProduceResponsePartition_recordErrors(reader: KafkaReader, version: number): ProduceResponseRecordError[] {
  const length = version >= 9 ? reader.compactArrayLength('recordErrors', 6) : reader.arrayLength('recordErrors', 6)

  const array: ProduceResponseRecordError[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readProduceResponseRecordError(reader, version))
  return array
}

function readProduceResponsePartition(reader: KafkaReader, version: number): ProduceResponsePartition {
  const index = reader.int32('index')
  const errorCode = reader.int16('errorCode')
  const baseOffset = reader.boundedInt64('baseOffset')
  const logAppendTimeMs = reader.boundedInt64('logAppendTimeMs')
  const logStartOffset = version >= 5 ? reader.boundedInt64('logStartOffset') : -1
  const recordErrors = version >= 8 ? readProduceResponsePartition_recordErrors(reader, version) : []
  const errorMessage =
    version >= 9
      ? reader.compactNullableString('errorMessage')
      : version >= 8
        ? reader.nullableString('errorMessage')
        : null
  let currentLeader: ProduceResponsePartition['currentLeader'] = null
  if (version >= 9) {
    let tag = -1
    for (let left = reader.tagCount(); left > 0 && !reader.failed; left--) {
      tag = reader.tag(tag)
      const end = reader.tagEnd()
      if (version >= 10 && tag === 0) {
        currentLeader = readProduceResponseLeader(reader, version)
        reader.endTag(end, 'currentLeader')
      } else reader.skipTag(end)
    }
  }
  return { index, errorCode, baseOffset, logAppendTimeMs, logStartOffset, recordErrors, errorMessage, currentLeader }
}

function readProduceResponseTopic_partitionResponses(reader: KafkaReader, version: number): ProduceResponsePartition[] {
  const length =
    version >= 9
      ? reader.compactArrayLength('partitionResponses', 33)
      : version >= 8
        ? reader.arrayLength('partitionResponses', 36)
        : version >= 5
          ? reader.arrayLength('partitionResponses', 30)
          : reader.arrayLength('partitionResponses', 22)

  const array: ProduceResponsePartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readProduceResponsePartition(reader, version))
  return array
}

function readProduceResponseTopic(reader: KafkaReader, version: number): ProduceResponseTopic {
  const name = version >= 9 ? reader.compactString('name') : reader.string('name')
  const partitionResponses = readProduceResponseTopic_partitionResponses(reader, version)
  if (version >= 9) reader.skipTags()
  return { name, partitionResponses }
}

function readProduceResponseNodeEndpoint(reader: KafkaReader, _version: number): ProduceResponseNodeEndpoint {
  const nodeId = reader.int32('nodeId')
  const host = reader.compactString('host')
  const port = reader.int32('port')
  const rack = reader.compactNullableString('rack')
  reader.skipTags()
  return { nodeId, host, port, rack }
}

function readProduceResponse_responses(reader: KafkaReader, version: number): ProduceResponseTopic[] {
  const length = version >= 9 ? reader.compactArrayLength('responses', 3) : reader.arrayLength('responses', 6)

  const array: ProduceResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readProduceResponseTopic(reader, version))
  return array
}

function readProduceResponse_nodeEndpoints(reader: KafkaReader, version: number): ProduceResponseNodeEndpoint[] {
  const length = reader.compactArrayLength('nodeEndpoints', 11)

  const array: ProduceResponseNodeEndpoint[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readProduceResponseNodeEndpoint(reader, version))
  return array
}

function readProduceResponse(reader: KafkaReader, version: number): ProduceResponse {
  const responses = readProduceResponse_responses(reader, version)
  const throttleTimeMs = reader.int32('throttleTimeMs')
  let nodeEndpoints: ProduceResponse['nodeEndpoints'] = []
  if (version >= 9) {
    let tag = -1
    for (let left = reader.tagCount(); left > 0 && !reader.failed; left--) {
      tag = reader.tag(tag)
      const end = reader.tagEnd()
      if (version >= 10 && tag === 0) {
        nodeEndpoints = readProduceResponse_nodeEndpoints(reader, version)
        reader.endTag(end, 'nodeEndpoints')
      } else reader.skipTag(end)
    }
  }
  return { responses, throttleTimeMs, nodeEndpoints }
}

function writeProduceResponseRecordError(
  writer: KafkaWriter,
  value: ProduceResponseRecordError,
  version: number,
): void {
  writer.int32(value.batchIndex)
  if (version >= 9) {
    writer.compactNullableString(value.batchIndexErrorMessage ?? null)
  } else {
    writer.nullableString(value.batchIndexErrorMessage ?? null)
  }
  if (version >= 9) {
    writer.noTags()
  }
}

function writeProduceResponseLeader(writer: KafkaWriter, value: ProduceResponseLeader, _version: number): void {
  writer.int32(value.leaderId ?? -1)
  writer.int32(value.leaderEpoch ?? -1)
  writer.noTags()
}

function writeProduceResponsePartition_recordErrors(
  writer: KafkaWriter,
  array: readonly ProduceResponseRecordError[],
  version: number,
): void {
  if (version >= 9) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeProduceResponseRecordError(writer, element, version)
  }
}

function writeProduceResponsePartition(writer: KafkaWriter, value: ProduceResponsePartition, version: number): void {
  writer.int32(value.index)
  writer.int16(value.errorCode)
  writer.int64(value.baseOffset)
  writer.int64(value.logAppendTimeMs ?? -1)
  if (version >= 5) {
    writer.int64(value.logStartOffset ?? -1)
  }
  if (version >= 8) {
    writeProduceResponsePartition_recordErrors(writer, value.recordErrors, version)
  }
  if (version >= 9) {
    writer.compactNullableString(value.errorMessage ?? null)
  } else if (version >= 8) {
    writer.nullableString(value.errorMessage ?? null)
  }
  if (version >= 9) {
    const currentLeader = value.currentLeader ?? null
    const hasCurrentLeader = version >= 10 && currentLeader !== null
    writer.unsignedVarint(hasCurrentLeader ? 1 : 0)
    if (hasCurrentLeader) {
      const begun = writer.tag(0)
      writeProduceResponseLeader(writer, currentLeader, version)
      writer.endTag(begun)
    }
  }
}

function writeProduceResponseTopic_partitionResponses(
  writer: KafkaWriter,
  array: readonly ProduceResponsePartition[],
  version: number,
): void {
  if (version >= 9) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeProduceResponsePartition(writer, element, version)
  }
}

function writeProduceResponseTopic(writer: KafkaWriter, value: ProduceResponseTopic, version: number): void {
  if (version >= 9) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writeProduceResponseTopic_partitionResponses(writer, value.partitionResponses, version)
  if (version >= 9) {
    writer.noTags()
  }
}

function writeProduceResponseNodeEndpoint(
  writer: KafkaWriter,
  value: ProduceResponseNodeEndpoint,
  _version: number,
): void {
  writer.int32(value.nodeId)
  writer.compactString(value.host)
  writer.int32(value.port)
  writer.compactNullableString(value.rack ?? null)
  writer.noTags()
}

function writeProduceResponse_responses(
  writer: KafkaWriter,
  array: readonly ProduceResponseTopic[],
  version: number,
): void {
  if (version >= 9) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeProduceResponseTopic(writer, element, version)
  }
}

function writeProduceResponse_nodeEndpoints(
  writer: KafkaWriter,
  array: readonly ProduceResponseNodeEndpoint[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeProduceResponseNodeEndpoint(writer, element, version)
  }
}

function writeProduceResponse(writer: KafkaWriter, value: ProduceResponse, version: number): void {
  writeProduceResponse_responses(writer, value.responses, version)
  writer.int32(value.throttleTimeMs ?? 0)
  if (version >= 9) {
    const nodeEndpoints = value.nodeEndpoints ?? []
    const hasNodeEndpoints = version >= 10 && nodeEndpoints.length > 0
    writer.unsignedVarint(hasNodeEndpoints ? 1 : 0)
    if (hasNodeEndpoints) {
      const begun = writer.tag(0)
      writeProduceResponse_nodeEndpoints(writer, nodeEndpoints, version)
      writer.endTag(begun)
    }
  }
}
