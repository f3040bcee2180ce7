// Made by scripts/generate-kafka-codecs.ts from ../schema/describe-groups.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface DescribeGroupsRequest {
  readonly groups: readonly string[]
  readonly includeAuthorizedOperations: boolean
}

export interface DescribeGroupsResponse {
  throttleTimeMs?: number | undefined
  groups: readonly DescribeGroupsResponseGroup[]
}

export interface DescribeGroupsResponseGroup {
  errorCode: number
  groupId: string
  groupState: string
  protocolType: string
  protocolData: string
  members: readonly DescribeGroupsResponseMember[]
  authorizedOperations?: number | undefined
}

export interface DescribeGroupsResponseMember {
  memberId: string
  groupInstanceId?: string | null | undefined
  clientId: string
  clientHost: string
  memberMetadata: Buffer
  memberAssignment: Buffer
}

/** DescribeGroups, versions 0 to 5. */
export const describeGroupsApi: KafkaApi<DescribeGroupsRequest, DescribeGroupsResponse> = {
  key: 15,
  name: 'DescribeGroups',
  versions: [0, 5],
  flexibleFrom: 5,
  decodeRequest(reader, version) {
    const request = readDescribeGroupsRequest(reader, version)
    reader.endMessage('request', 'DescribeGroups', version)
    return request
  },
  encodeRequest: writeDescribeGroupsRequest,
  decodeResponse(reader, version) {
    const response = readDescribeGroupsResponse(reader, version)
    reader.endMessage('response', 'DescribeGroups', version)
    return response
  },
  encodeResponse: writeDescribeGroupsResponse,
}

function readDescribeGroupsRequest_groups(reader: KafkaReader, version: number): string[] {
  const length = version >= 5 ? reader.compactArrayLength('groups', 1) : reader.arrayLength('groups', 2)

  const array: string[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(version >= 5 ? reader.compactString('groups') : reader.string('groups'))
  return array
}

function readDescribeGroupsRequest(reader: KafkaReader, version: number): DescribeGroupsRequest {
  const groups = readDescribeGroupsRequest_groups(reader, version)
  const includeAuthorizedOperations = version >= 3 ? reader.bool('includeAuthorizedOperations') : false
  if (version >= 5) reader.skipTags()
  return { groups, includeAuthorizedOperations }
}

function writeDescribeGroupsRequest_groups(writer: KafkaWriter, array: readonly string[], version: number): void {
  if (version >= 5) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    if (version >= 5) {
      writer.compactString(element)
    } else {
      writer.string(element)
    }
  }
}

function writeDescribeGroupsRequest(writer: KafkaWriter, value: DescribeGroupsRequest, version: number): void {
  writeDescribeGroupsRequest_groups(writer, value.groups, version)
  if (version >= 3) {
    writer.bool(value.includeAuthorizedOperations)
  }
  if (version >= 5) {
    writer.noTags()
  }
}

function readDescribeGroupsResponseMember(reader: KafkaReader, version: number): DescribeGroupsResponseMember {
  const memberId = version >= 5 ? reader.compactString('memberId') : reader.string('memberId')
  const groupInstanceId =
    version >= 5
      ? reader.compactNullableString('groupInstanceId')
      : version >= 4
        ? reader.nullableString('groupInstanceId')
        : null
  const clientId = version >= 5 ? reader.compactString('clientId') : reader.string('clientId')
  const clientHost = version >= 5 ? reader.compactString('clientHost') : reader.string('clientHost')
  const memberMetadata = version >= 5 ? reader.compactBytes('memberMetadata') : reader.bytes('memberMetadata')
  const memberAssignment = version >= 5 ? reader.compactBytes('memberAssignment') : reader.bytes('memberAssignment')
  if (version >= 5) reader.skipTags()
  return { memberId, groupInstanceId, clientId, clientHost, memberMetadata, memberAssignment }
}

function readDescribeGroupsResponseGroup_members(reader: KafkaReader, version: number): DescribeGroupsResponseMember[] {
  const length =
    version >= 5
      ? reader.compactArrayLength('members', 7)
      : version >= 4
        ? reader.arrayLength('members', 16)
        : reader.arrayLength('members', 14)

  const array: DescribeGroupsResponseMember[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDescribeGroupsResponseMember(reader, version))
  return array
}

function readDescribeGroupsResponseGroup(reader: KafkaReader, version: number): DescribeGroupsResponseGroup {
  const errorCode = reader.int16('errorCode')
  const groupId = version >= 5 ? reader.compactString('groupId') : reader.string('groupId')
  const groupState = version >= 5 ? reader.compactString('groupState') : reader.string('groupState')
  const protocolType = version >= 5 ? reader.compactString('protocolType') : reader.string('protocolType')
  const protocolData = version >= 5 ? reader.compactString('protocolData') : reader.string('protocolData')
  const members = readDescribeGroupsResponseGroup_members(reader, version)
  const authorizedOperations = version >= 3 ? reader.int32('authorizedOperations') : -2147483648
  if (version >= 5) reader.skipTags()
  return { errorCode, groupId, groupState, protocolType, protocolData, members, authorizedOperations }
}

function readDescribeGroupsResponse_groups(reader: KafkaReader, version: number): DescribeGroupsResponseGroup[] {
  const length =
    version >= 5
      ? reader.compactArrayLength('groups', 12)
      : version >= 3
        ? reader.arrayLength('groups', 18)
        : reader.arrayLength('groups', 14)

  const array: DescribeGroupsResponseGroup[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDescribeGroupsResponseGroup(reader, version))
  return array
}

function readDescribeGroupsResponse(reader: KafkaReader, version: number): DescribeGroupsResponse {
  const throttleTimeMs = version >= 1 ? reader.int32('throttleTimeMs') : 0
  const groups = readDescribeGroupsResponse_groups(reader, version)
  if (version >= 5) reader.skipTags()
  return { throttleTimeMs, groups }
}

function writeDescribeGroupsResponseMember(
  writer: KafkaWriter,
  value: DescribeGroupsResponseMember,
  version: number,
): void {
  if (version >= 5) {
    writer.compactString(value.memberId)
  } else {
    writer.string(value.memberId)
  }
  if (version >= 5) {
    writer.compactNullableString(value.groupInstanceId ?? null)
  } else if (version >= 4) {
    writer.nullableString(value.groupInstanceId ?? null)
  }
  if (version >= 5) {
    writer.compactString(value.clientId)
  } else {
    writer.string(value.clientId)
  }
  if (version >= 5) {
    writer.compactString(value.clientHost)
  } else {
    writer.string(value.clientHost)
  }
  if (version >= 5) {
    writer.compactBytes(value.memberMetadata)
  } else {
    writer.bytes(value.memberMetadata)
  }
  if (version >= 5) {
    writer.compactBytes(value.memberAssignment)
  } else {
    writer.bytes(value.memberAssignment)
  }
  if (version >= 5) {
    writer.noTags()
  }
}

function writeDescribeGroupsResponseGroup_members(
  writer: KafkaWriter,
  array: readonly DescribeGroupsResponseMember[],
  version: number,
): void {
  if (version >= 5) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDescribeGroupsResponseMember(writer, element, version)
  }
}

function writeDescribeGroupsResponseGroup(
  writer: KafkaWriter,
  value: DescribeGroupsResponseGroup,
  version: number,
): void {
  writer.int16(value.errorCode)
  if (version >= 5) {
    writer.compactString(value.groupId)
  } else {
    writer.string(value.groupId)
  }
  if (version >= 5) {
    writer.compactString(value.groupState)
  } else {
    writer.string(value.groupState)
  }
  if (version >= 5) {
    writer.compactString(value.protocolType)
  } else {
    writer.string(value.protocolType)
  }
  if (version >= 5) {
    writer.compactString(value.protocolData)
  } else {
    writer.string(value.protocolData)
  }
  writeDescribeGroupsResponseGroup_members(writer, value.members, version)
  if (version >= 3) {
    writer.int32(value.authorizedOperations ?? -2147483648)
  }
  if (version >= 5) {
    writer.noTags()
  }
}

function writeDescribeGroupsResponse_groups(
  writer: KafkaWriter,
  array: readonly DescribeGroupsResponseGroup[],
  version: number,
): void {
  if (version >= 5) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDescribeGroupsResponseGroup(writer, element, version)
  }
}

function writeDescribeGroupsResponse(writer: KafkaWriter, value: DescribeGroupsResponse, version: number): void {
  if (version >= 1) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  writeDescribeGroupsResponse_groups(writer, value.groups, version)
  if (version >= 5) {
    writer.noTags()
  }
}
