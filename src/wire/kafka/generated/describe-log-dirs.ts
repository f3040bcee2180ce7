// Made by scripts/generate-kafka-codecs.ts from ../schema/describe-log-dirs.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface DescribeLogDirsRequest {
  readonly topics: readonly DescribeLogDirsRequestTopic[] | null
}

export interface DescribeLogDirsRequestTopic {
  readonly topic: string
  readonly partitions: readonly number[]
}

export interface DescribeLogDirsResponse {
  throttleTimeMs?: number | undefined
  errorCode: number
  results: readonly DescribeLogDirsResponseResult[]
}

export interface DescribeLogDirsResponseResult {
  errorCode: number
  logDir: string
  topics: readonly DescribeLogDirsResponseTopic[]
  totalBytes?: bigint | undefined
  usableBytes?: bigint | undefined
}

export interface DescribeLogDirsResponseTopic {
  name: string
  partitions: readonly DescribeLogDirsResponsePartition[]
}

export interface DescribeLogDirsResponsePartition {
  partitionIndex: number
  partitionSize: bigint
  offsetLag: number
  isFutureKey: boolean
}

/** DescribeLogDirs, versions 0 to 4. */
export const describeLogDirsApi: KafkaApi<DescribeLogDirsRequest, DescribeLogDirsResponse> = {
  key: 35,
  name: 'DescribeLogDirs',
  versions: [0, 4],
  flexibleFrom: 2,
  decodeRequest(reader, version) {
    const request = readDescribeLogDirsRequest(reader, version)
    reader.endMessage('request', 'DescribeLogDirs', version)
    return request
  },
  encodeRequest: writeDescribeLogDirsRequest,
  decodeResponse(reader, version) {
    const response = readDescribeLogDirsResponse(reader, version)
    reader.endMessage('response', 'DescribeLogDirs', version)
    return response
  },
  encodeResponse: writeDescribeLogDirsResponse,
}

function readDescribeLogDirsRequestTopic_partitions(reader: KafkaReader, version: number): number[] {
  const length = version >= 2 ? reader.compactArrayLength('partitions', 4) : reader.arrayLength('partitions', 4)

  const array: number[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.int32('partitions'))
  return array
}

function readDescribeLogDirsRequestTopic(reader: KafkaReader, version: number): DescribeLogDirsRequestTopic {
  const topic = version >= 2 ? reader.compactString('topic') : reader.string('topic')
  const partitions = readDescribeLogDirsRequestTopic_partitions(reader, version)
  if (version >= 2) reader.skipTags()
  return { topic, partitions }
}

function readDescribeLogDirsRequest_topics(reader: KafkaReader, version: number): DescribeLogDirsRequestTopic[] | null {
  const length = version >= 2 ? reader.compactNullableArrayLength('topics', 3) : reader.nullableArrayLength('topics', 6)
  if (length < 0) return null
  const array: DescribeLogDirsRequestTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDescribeLogDirsRequestTopic(reader, version))
  return array
}

function readDescribeLogDirsRequest(reader: KafkaReader, version: number): DescribeLogDirsRequest {
  const topics = readDescribeLogDirsRequest_topics(reader, version)
  if (version >= 2) reader.skipTags()
  return { topics }
}

function writeDescribeLogDirsRequestTopic_partitions(
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

function writeDescribeLogDirsRequestTopic(
  writer: KafkaWriter,
  value: DescribeLogDirsRequestTopic,
  version: number,
): void {
  if (version >= 2) {
    writer.compactString(value.topic)
  } else {
    writer.string(value.topic)
  }
  writeDescribeLogDirsRequestTopic_partitions(writer, value.partitions, version)
  if (version >= 2) {
    writer.noTags()
  }
}

function writeDescribeLogDirsRequest_topics(
  writer: KafkaWriter,
  array: readonly DescribeLogDirsRequestTopic[] | null,
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
    writeDescribeLogDirsRequestTopic(writer, element, version)
  }
}

function writeDescribeLogDirsRequest(writer: KafkaWriter, value: DescribeLogDirsRequest, version: number): void {
  writeDescribeLogDirsRequest_topics(writer, value.topics, version)
  if (version >= 2) {
    writer.noTags()
  }
}

function readDescribeLogDirsResponsePartition(reader: KafkaReader, version: number): DescribeLogDirsResponsePartition {
  const partitionIndex = reader.int32('partitionIndex')
  const partitionSize = reader.bigInt64('partitionSize')
  const offsetLag = reader.boundedInt64('offsetLag')
  const isFutureKey = reader.bool('isFutureKey')
  if (version >= 2) reader.skipTags()
  return { partitionIndex, partitionSize, offsetLag, isFutureKey }
}

function readDescribeLogDirsResponseTopic_partitions(
  reader: KafkaReader,
  version: number,
): DescribeLogDirsResponsePartition[] {
  const length = version >= 2 ? reader.compactArrayLength('partitions', 22) : reader.arrayLength('partitions', 21)

  const array: DescribeLogDirsResponsePartition[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDescribeLogDirsResponsePartition(reader, version))
  return array
}

function readDescribeLogDirsResponseTopic(reader: KafkaReader, version: number): DescribeLogDirsResponseTopic {
  const name = version >= 2 ? reader.compactString('name') : reader.string('name')
  const partitions = readDescribeLogDirsResponseTopic_partitions(reader, version)
  if (version >= 2) reader.skipTags()
  return { name, partitions }
}

function readDescribeLogDirsResponseResult_topics(
  reader: KafkaReader,
  version: number,
): DescribeLogDirsResponseTopic[] {
  const length = version >= 2 ? reader.compactArrayLength('topics', 3) : reader.arrayLength('topics', 6)

  const array: DescribeLogDirsResponseTopic[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDescribeLogDirsResponseTopic(reader, version))
  return array
}

function readDescribeLogDirsResponseResult(reader: KafkaReader, version: number): DescribeLogDirsResponseResult {
  const errorCode = reader.int16('errorCode')
  const logDir = version >= 2 ? reader.compactString('logDir') : reader.string('logDir')
  const topics = readDescribeLogDirsResponseResult_topics(reader, version)
  const totalBytes = version >= 4 ? reader.bigInt64('totalBytes') : -1n
  const usableBytes = version >= 4 ? reader.bigInt64('usableBytes') : -1n
  if (version >= 2) reader.skipTags()
  return { errorCode, logDir, topics, totalBytes, usableBytes }
}

function readDescribeLogDirsResponse_results(reader: KafkaReader, version: number): DescribeLogDirsResponseResult[] {
  const length =
    version >= 4
      ? reader.compactArrayLength('results', 21)
      : version >= 2
        ? reader.compactArrayLength('results', 5)
        : reader.arrayLength('results', 8)

  const array: DescribeLogDirsResponseResult[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDescribeLogDirsResponseResult(reader, version))
  return array
}

function readDescribeLogDirsResponse(reader: KafkaReader, version: number): DescribeLogDirsResponse {
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const errorCode = version >= 3 ? reader.int16('errorCode') : 0
  const results = readDescribeLogDirsResponse_results(reader, version)
  if (version >= 2) reader.skipTags()
  return { throttleTimeMs, errorCode, results }
}

function writeDescribeLogDirsResponsePartition(
  writer: KafkaWriter,
  value: DescribeLogDirsResponsePartition,
  version: number,
): void {
  writer.int32(value.partitionIndex)
  writer.bigInt64(value.partitionSize)
  writer.int64(value.offsetLag)
  writer.bool(value.isFutureKey)
  if (version >= 2) {
    writer.noTags()
  }
}

function writeDescribeLogDirsResponseTopic_partitions(
  writer: KafkaWriter,
  array: readonly DescribeLogDirsResponsePartition[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDescribeLogDirsResponsePartition(writer, element, version)
  }
}

function writeDescribeLogDirsResponseTopic(
  writer: KafkaWriter,
  value: DescribeLogDirsResponseTopic,
  version: number,
): void {
  if (version >= 2) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writeDescribeLogDirsResponseTopic_partitions(writer, value.partitions, version)
  if (version >= 2) {
    writer.noTags()
  }
}

function writeDescribeLogDirsResponseResult_topics(
  writer: KafkaWriter,
  array: readonly DescribeLogDirsResponseTopic[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDescribeLogDirsResponseTopic(writer, element, version)
  }
}

function writeDescribeLogDirsResponseResult(
  writer: KafkaWriter,
  value: DescribeLogDirsResponseResult,
  version: number,
): void {
  writer.int16(value.errorCode)
  if (version >= 2) {
    writer.compactString(value.logDir)
  } else {
    writer.string(value.logDir)
  }
  writeDescribeLogDirsResponseResult_topics(writer, value.topics, version)
  if (version >= 4) {
    writer.bigInt64(value.totalBytes ?? -1n)
  }
  if (version >= 4) {
    writer.bigInt64(value.usableBytes ?? -1n)
  }
  if (version >= 2) {
    writer.noTags()
  }
}

function writeDescribeLogDirsResponse_results(
  writer: KafkaWriter,
  array: readonly DescribeLogDirsResponseResult[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDescribeLogDirsResponseResult(writer, element, version)
  }
}

function writeDescribeLogDirsResponse(writer: KafkaWriter, value: DescribeLogDirsResponse, version: number): void {
  writer.int32(value.throttleTimeMs ?? 0)
  if (version >= 3) {
    writer.int16(value.errorCode)
  }
  writeDescribeLogDirsResponse_results(writer, value.results, version)
  if (version >= 2) {
    writer.noTags()
  }
}
