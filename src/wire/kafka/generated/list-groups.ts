// Made by scripts/generate-kafka-codecs.ts from ../schema/list-groups.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface ListGroupsRequest {
  readonly statesFilter: readonly string[]
  readonly typesFilter: readonly string[]
}

export interface ListGroupsResponse {
  throttleTimeMs?: number | undefined
  errorCode: number
  groups: readonly ListGroupsResponseGroup[]
}

export interface ListGroupsResponseGroup {
  groupId: string
  protocolType: string
  groupState: string
  groupType: string
}

/** ListGroups, versions 0 to 5. */
export const listGroupsApi: KafkaApi<ListGroupsRequest, ListGroupsResponse> = {
  key: 16,
  name: 'ListGroups',
  versions: [0, 5],
  flexibleFrom: 3,
  decodeRequest(reader, version) {
    const request = readListGroupsRequest(reader, version)
    reader.endMessage('request', 'ListGroups', version)
    return request
  },
  encodeRequest: writeListGroupsRequest,
  decodeResponse(reader, version) {
    const response = readListGroupsResponse(reader, version)
    reader.endMessage('response', 'ListGroups', version)
    return response
  },
  encodeResponse: writeListGroupsResponse,
}

function readListGroupsRequest_statesFilter(reader: KafkaReader, _version: number): string[] {
  const length = reader.compactArrayLength('statesFilter', 1)

  const array: string[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.compactString('statesFilter'))
  return array
}

function readListGroupsRequest_typesFilter(reader: KafkaReader, _version: number): string[] {
  const length = reader.compactArrayLength('typesFilter', 1)

  const array: string[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.compactString('typesFilter'))
  return array
}

function readListGroupsRequest(reader: KafkaReader, version: number): ListGroupsRequest {
  const statesFilter = version >= 4 ? readListGroupsRequest_statesFilter(reader, version) : []
  const typesFilter = version >= 5 ? readListGroupsRequest_typesFilter(reader, version) : []
  if (version >= 3) reader.skipTags()
  return { statesFilter, typesFilter }
}

function writeListGroupsRequest_statesFilter(writer: KafkaWriter, array: readonly string[], _version: number): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writer.compactString(element)
  }
}

function writeListGroupsRequest_typesFilter(writer: KafkaWriter, array: readonly string[], _version: number): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writer.compactString(element)
  }
}

function writeListGroupsRequest(writer: KafkaWriter, value: ListGroupsRequest, version: number): void {
  if (version >= 4) {
    writeListGroupsRequest_statesFilter(writer, value.statesFilter, version)
  }
  if (version >= 5) {
    writeListGroupsRequest_typesFilter(writer, value.typesFilter, version)
  }
  if (version >= 3) {
    writer.noTags()
  }
}

function readListGroupsResponseGroup(reader: KafkaReader, version: number): ListGroupsResponseGroup {
  const groupId = version >= 3 ? reader.compactString('groupId') : reader.string('groupId')
  const protocolType = version >= 3 ? reader.compactString('protocolType') : reader.string('protocolType')
  const groupState = version >= 4 ? reader.compactString('groupState') : ''
  const groupType = version >= 5 ? reader.compactString('groupType') : ''
  if (version >= 3) reader.skipTags()
  return { groupId, protocolType, groupState, groupType }
}

function readListGroupsResponse_groups(reader: KafkaReader, version: number): ListGroupsResponseGroup[] {
  const length =
    version >= 5
      ? reader.compactArrayLength('groups', 5)
      : version >= 4
        ? reader.compactArrayLength('groups', 4)
        : version >= 3
          ? reader.compactArrayLength('groups', 3)
          : reader.arrayLength('groups', 4)

  const array: ListGroupsResponseGroup[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readListGroupsResponseGroup(reader, version))
  return array
}

function readListGroupsResponse(reader: KafkaReader, version: number): ListGroupsResponse {
  const throttleTimeMs = version >= 1 ? reader.int32('throttleTimeMs') : 0
  const errorCode = reader.int16('errorCode')
  const groups = readListGroupsResponse_groups(reader, version)
  if (version >= 3) reader.skipTags()
  return { throttleTimeMs, errorCode, groups }
}

function writeListGroupsResponseGroup(writer: KafkaWriter, value: ListGroupsResponseGroup, version: number): void {
  if (version >= 3) {
    writer.compactString(value.groupId)
  } else {
    writer.string(value.groupId)
  }
  if (version >= 3) {
    writer.compactString(value.protocolType)
  } else {
    writer.string(value.protocolType)
  }
  if (version >= 4) {
    writer.compactString(value.groupState)
  }
  if (version >= 5) {
    writer.compactString(value.groupType)
  }
  if (version >= 3) {
    writer.noTags()
  }
}

function writeListGroupsResponse_groups(
  writer: KafkaWriter,
  array: readonly ListGroupsResponseGroup[],
  version: number,
): void {
  if (version >= 3) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeListGroupsResponseGroup(writer, element, version)
  }
}

function writeListGroupsResponse(writer: KafkaWriter, value: ListGroupsResponse, version: number): void {
  if (version >= 1) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  writer.int16(value.errorCode)
  writeListGroupsResponse_groups(writer, value.groups, version)
  if (version >= 3) {
    writer.noTags()
  }
}
