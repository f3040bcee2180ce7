// Made by scripts/generate-kafka-codecs.ts from ../schema/delete-groups.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface DeleteGroupsRequest {
  readonly groupsNames: readonly string[]
}

export interface DeleteGroupsResponse {
  throttleTimeMs?: number | undefined
  results: readonly DeleteGroupsResponseResult[]
}

export interface DeleteGroupsResponseResult {
  groupId: string
  errorCode: number
}

/** DeleteGroups, versions 0 to 2. */
export const deleteGroupsApi: KafkaApi<DeleteGroupsRequest, DeleteGroupsResponse> = {
  key: 42,
  name: 'DeleteGroups',
  versions: [0, 2],
  flexibleFrom: 2,
  decodeRequest(reader, version) {
    const request = readDeleteGroupsRequest(reader, version)
    reader.endMessage('request', 'DeleteGroups', version)
    return request
  },
  encodeRequest: writeDeleteGroupsRequest,
  decodeResponse(reader, version) {
    const response = readDeleteGroupsResponse(reader, version)
    reader.endMessage('response', 'DeleteGroups', version)
    return response
  },
  encodeResponse: writeDeleteGroupsResponse,
}

function readDeleteGroupsRequest_groupsNames(reader: KafkaReader, version: number): string[] {
  const length = version >= 2 ? reader.compactArrayLength('groupsNames', 1) : reader.arrayLength('groupsNames', 2)

  const array: string[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(version >= 2 ? reader.compactString('groupsNames') : reader.string('groupsNames'))
  return array
}

function readDeleteGroupsRequest(reader: KafkaReader, version: number): DeleteGroupsRequest {
  const groupsNames = readDeleteGroupsRequest_groupsNames(reader, version)
  if (version >= 2) reader.skipTags()
  return { groupsNames }
}

function writeDeleteGroupsRequest_groupsNames(writer: KafkaWriter, array: readonly string[], version: number): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    if (version >= 2) {
      writer.compactString(element)
    } else {
      writer.string(element)
    }
  }
}

function writeDeleteGroupsRequest(writer: KafkaWriter, value: DeleteGroupsRequest, version: number): void {
  writeDeleteGroupsRequest_groupsNames(writer, value.groupsNames, version)
  if (version >= 2) {
    writer.noTags()
  }
}

function readDeleteGroupsResponseResult(reader: KafkaReader, version: number): DeleteGroupsResponseResult {
  const groupId = version >= 2 ? reader.compactString('groupId') : reader.string('groupId')
  const errorCode = reader.int16('errorCode')
  if (version >= 2) reader.skipTags()
  return { groupId, errorCode }
}

function readDeleteGroupsResponse_results(reader: KafkaReader, version: number): DeleteGroupsResponseResult[] {
  const length = version >= 2 ? reader.compactArrayLength('results', 4) : reader.arrayLength('results', 4)

  const array: DeleteGroupsResponseResult[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDeleteGroupsResponseResult(reader, version))
  return array
}

function readDeleteGroupsResponse(reader: KafkaReader, version: number): DeleteGroupsResponse {
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const results = readDeleteGroupsResponse_results(reader, version)
  if (version >= 2) reader.skipTags()
  return { throttleTimeMs, results }
}

function writeDeleteGroupsResponseResult(
  writer: KafkaWriter,
  value: DeleteGroupsResponseResult,
  version: number,
): void {
  if (version >= 2) {
    writer.compactString(value.groupId)
  } else {
    writer.string(value.groupId)
  }
  writer.int16(value.errorCode)
  if (version >= 2) {
    writer.noTags()
  }
}

function writeDeleteGroupsResponse_results(
  writer: KafkaWriter,
  array: readonly DeleteGroupsResponseResult[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDeleteGroupsResponseResult(writer, element, version)
  }
}

function writeDeleteGroupsResponse(writer: KafkaWriter, value: DeleteGroupsResponse, version: number): void {
  writer.int32(value.throttleTimeMs ?? 0)
  writeDeleteGroupsResponse_results(writer, value.results, version)
  if (version >= 2) {
    writer.noTags()
  }
}
