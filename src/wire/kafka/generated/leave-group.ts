// Made by scripts/generate-kafka-codecs.ts from ../schema/leave-group.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface LeaveGroupRequest {
  readonly groupId: string
  readonly memberId: string
  readonly members: readonly LeaveGroupRequestMember[]
}

export interface LeaveGroupRequestMember {
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly reason: string | null
}

export interface LeaveGroupResponse {
  throttleTimeMs?: number | undefined
  errorCode: number
  members: readonly LeaveGroupResponseMember[]
}

export interface LeaveGroupResponseMember {
  memberId: string
  groupInstanceId: string | null
  errorCode: number
}

/** LeaveGroup, versions 0 to 5. */
export const leaveGroupApi: KafkaApi<LeaveGroupRequest, LeaveGroupResponse> = {
  key: 13,
  name: 'LeaveGroup',
  versions: [0, 5],
  flexibleFrom: 4,
  decodeRequest(reader, version) {
    const request = readLeaveGroupRequest(reader, version)
    reader.endMessage('request', 'LeaveGroup', version)
    return request
  },
  encodeRequest: writeLeaveGroupRequest,
  decodeResponse(reader, version) {
    const response = readLeaveGroupResponse(reader, version)
    reader.endMessage('response', 'LeaveGroup', version)
    return response
  },
  encodeResponse: writeLeaveGroupResponse,
}

function readLeaveGroupRequestMember(reader: KafkaReader, version: number): LeaveGroupRequestMember {
  const memberId = version >= 4 ? reader.compactString('memberId') : reader.string('memberId')
  const groupInstanceId =
    version >= 4 ? reader.compactNullableString('groupInstanceId') : reader.nullableString('groupInstanceId')
  const reason = version >= 5 ? reader.compactNullableString('reason') : null
  if (version >= 4) reader.skipTags()
  return { memberId, groupInstanceId, reason }
}

function readLeaveGroupRequest_members(reader: KafkaReader, version: number): LeaveGroupRequestMember[] {
  const length =
    version >= 5
      ? reader.compactArrayLength('members', 4)
      : version >= 4
        ? reader.compactArrayLength('members', 3)
        : reader.arrayLength('members', 4)

  const array: LeaveGroupRequestMember[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readLeaveGroupRequestMember(reader, version))
  return array
}

function readLeaveGroupRequest(reader: KafkaReader, version: number): LeaveGroupRequest {
  const groupId = version >= 4 ? reader.compactString('groupId') : reader.string('groupId')
  const memberId = version >= 3 ? '' : reader.string('memberId')
  const members = version >= 3 ? readLeaveGroupRequest_members(reader, version) : []
  if (version >= 4) reader.skipTags()
  return { groupId, memberId, members }
}

function writeLeaveGroupRequestMember(writer: KafkaWriter, value: LeaveGroupRequestMember, version: number): void {
  if (version >= 4) {
    writer.compactString(value.memberId)
  } else {
    writer.string(value.memberId)
  }
  if (version >= 4) {
    writer.compactNullableString(value.groupInstanceId)
  } else {
    writer.nullableString(value.groupInstanceId)
  }
  if (version >= 5) {
    writer.compactNullableString(value.reason)
  }
  if (version >= 4) {
    writer.noTags()
  }
}

function writeLeaveGroupRequest_members(
  writer: KafkaWriter,
  array: readonly LeaveGroupRequestMember[],
  version: number,
): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeLeaveGroupRequestMember(writer, element, version)
  }
}

function writeLeaveGroupRequest(writer: KafkaWriter, value: LeaveGroupRequest, version: number): void {
  if (version >= 4) {
    writer.compactString(value.groupId)
  } else {
    writer.string(value.groupId)
  }
  if (version < 3) {
    writer.string(value.memberId)
  }
  if (version >= 3) {
    writeLeaveGroupRequest_members(writer, value.members, version)
  }
  if (version >= 4) {
    writer.noTags()
  }
}

function readLeaveGroupResponseMember(reader: KafkaReader, version: number): LeaveGroupResponseMember {
  const memberId = version >= 4 ? reader.compactString('memberId') : reader.string('memberId')
  const groupInstanceId =
    version >= 4 ? reader.compactNullableString('groupInstanceId') : reader.nullableString('groupInstanceId')
  const errorCode = reader.int16('errorCode')
  if (version >= 4) reader.skipTags()
  return { memberId, groupInstanceId, errorCode }
}

function readLeaveGroupResponse_members(reader: KafkaReader, version: number): LeaveGroupResponseMember[] {
  const length = version >= 4 ? reader.compactArrayLength('members', 5) : reader.arrayLength('members', 6)

  const array: LeaveGroupResponseMember[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readLeaveGroupResponseMember(reader, version))
  return array
}

function readLeaveGroupResponse(reader: KafkaReader, version: number): LeaveGroupResponse {
  const throttleTimeMs = version >= 1 ? reader.int32('throttleTimeMs') : 0
  const errorCode = reader.int16('errorCode')
  const members = version >= 3 ? readLeaveGroupResponse_members(reader, version) : []
  if (version >= 4) reader.skipTags()
  return { throttleTimeMs, errorCode, members }
}

function writeLeaveGroupResponseMember(writer: KafkaWriter, value: LeaveGroupResponseMember, version: number): void {
  if (version >= 4) {
    writer.compactString(value.memberId)
  } else {
    writer.string(value.memberId)
  }
  if (version >= 4) {
    writer.compactNullableString(value.groupInstanceId)
  } else {
    writer.nullableString(value.groupInstanceId)
  }
  writer.int16(value.errorCode)
  if (version >= 4) {
    writer.noTags()
  }
}

function writeLeaveGroupResponse_members(
  writer: KafkaWriter,
  array: readonly LeaveGroupResponseMember[],
  version: number,
): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeLeaveGroupResponseMember(writer, element, version)
  }
}

function writeLeaveGroupResponse(writer: KafkaWriter, value: LeaveGroupResponse, version: number): void {
  if (version >= 1) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  writer.int16(value.errorCode)
  if (version >= 3) {
    writeLeaveGroupResponse_members(writer, value.members, version)
  }
  if (version >= 4) {
    writer.noTags()
  }
}
