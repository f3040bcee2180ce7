// Made by scripts/generate-kafka-codecs.ts from ../schema/join-group.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import { type KafkaWriter, nonNull } from '../kafka-writer.js'

export interface JoinGroupRequest {
  readonly groupId: string
  readonly sessionTimeoutMs: number
  readonly rebalanceTimeoutMs: number
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly protocolType: string
  readonly protocols: readonly JoinGroupRequestProtocol[]
  readonly reason: string | null
}

export interface JoinGroupRequestProtocol {
  readonly name: string
  readonly metadata: Buffer
}

export interface JoinGroupResponse {
  throttleTimeMs?: number | undefined
  errorCode: number
  generationId?: number | undefined
  protocolType?: string | null | undefined
  protocolName: string | null
  leader: string
  skipAssignment?: boolean | undefined
  memberId: string
  members: readonly JoinGroupResponseMember[]
}

export interface JoinGroupResponseMember {
  memberId: string
  groupInstanceId?: string | null | undefined
  metadata: Buffer
}

/** JoinGroup, versions 0 to 9. */
export const joinGroupApi: KafkaApi<JoinGroupRequest, JoinGroupResponse> = {
  key: 11,
  name: 'JoinGroup',
  versions: [0, 9],
  flexibleFrom: 6,
  decodeRequest(reader, version) {
    const request = readJoinGroupRequest(reader, version)
    reader.endMessage('request', 'JoinGroup', version)
    return request
  },
  encodeRequest: writeJoinGroupRequest,
  decodeResponse(reader, version) {
    const response = readJoinGroupResponse(reader, version)
    reader.endMessage('response', 'JoinGroup', version)
    return response
  },
  encodeResponse: writeJoinGroupResponse,
}

function readJoinGroupRequestProtocol(reader: KafkaReader, version: number): JoinGroupRequestProtocol {
  const name = version >= 6 ? reader.compactString('name') : reader.string('name')
  const metadata = version >= 6 ? reader.compactBytes('metadata') : reader.bytes('metadata')
  if (version >= 6) reader.skipTags()
  return { name, metadata }
}

function readJoinGroupRequest_protocols(reader: KafkaReader, version: number): JoinGroupRequestProtocol[] {
  const length = version >= 6 ? reader.compactArrayLength('protocols', 3) : reader.arrayLength('protocols', 6)

  const array: JoinGroupRequestProtocol[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readJoinGroupRequestProtocol(reader, version))
  return array
}

function readJoinGroupRequest(reader: KafkaReader, version: number): JoinGroupRequest {
  const groupId = version >= 6 ? reader.compactString('groupId') : reader.string('groupId')
  const sessionTimeoutMs = reader.int32('sessionTimeoutMs')
  const rebalanceTimeoutMs = version >= 1 ? reader.int32('rebalanceTimeoutMs') : -1
  const memberId = version >= 6 ? reader.compactString('memberId') : reader.string('memberId')
  const groupInstanceId =
    version >= 6
      ? reader.compactNullableString('groupInstanceId')
      : version >= 5
        ? reader.nullableString('groupInstanceId')
        : null
  const protocolType = version >= 6 ? reader.compactString('protocolType') : reader.string('protocolType')
  const protocols = readJoinGroupRequest_protocols(reader, version)
  const reason = version >= 8 ? reader.compactNullableString('reason') : null
  if (version >= 6) reader.skipTags()
  return { groupId, sessionTimeoutMs, rebalanceTimeoutMs, memberId, groupInstanceId, protocolType, protocols, reason }
}

function writeJoinGroupRequestProtocol(writer: KafkaWriter, value: JoinGroupRequestProtocol, version: number): void {
  if (version >= 6) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  if (version >= 6) {
    writer.compactBytes(value.metadata)
  } else {
    writer.bytes(value.metadata)
  }
  if (version >= 6) {
    writer.noTags()
  }
}

function writeJoinGroupRequest_protocols(
  writer: KafkaWriter,
  array: readonly JoinGroupRequestProtocol[],
  version: number,
): void {
  if (version >= 6) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeJoinGroupRequestProtocol(writer, element, version)
  }
}

function writeJoinGroupRequest(writer: KafkaWriter, value: JoinGroupRequest, version: number): void {
  if (version >= 6) {
    writer.compactString(value.groupId)
  } else {
    writer.string(value.groupId)
  }
  writer.int32(value.sessionTimeoutMs)
  if (version >= 1) {
    writer.int32(value.rebalanceTimeoutMs)
  }
  if (version >= 6) {
    writer.compactString(value.memberId)
  } else {
    writer.string(value.memberId)
  }
  if (version >= 6) {
    writer.compactNullableString(value.groupInstanceId)
  } else if (version >= 5) {
    writer.nullableString(value.groupInstanceId)
  }
  if (version >= 6) {
    writer.compactString(value.protocolType)
  } else {
    writer.string(value.protocolType)
  }
  writeJoinGroupRequest_protocols(writer, value.protocols, version)
  if (version >= 8) {
    writer.compactNullableString(value.reason)
  }
  if (version >= 6) {
    writer.noTags()
  }
}

function readJoinGroupResponseMember(reader: KafkaReader, version: number): JoinGroupResponseMember {
  const memberId = version >= 6 ? reader.compactString('memberId') : reader.string('memberId')
  const groupInstanceId =
    version >= 6
      ? reader.compactNullableString('groupInstanceId')
      : version >= 5
        ? reader.nullableString('groupInstanceId')
        : null
  const metadata = version >= 6 ? reader.compactBytes('metadata') : reader.bytes('metadata')
  if (version >= 6) reader.skipTags()
  return { memberId, groupInstanceId, metadata }
}

function readJoinGroupResponse_members(reader: KafkaReader, version: number): JoinGroupResponseMember[] {
  const length =
    version >= 6
      ? reader.compactArrayLength('members', 4)
      : version >= 5
        ? reader.arrayLength('members', 8)
        : reader.arrayLength('members', 6)

  const array: JoinGroupResponseMember[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readJoinGroupResponseMember(reader, version))
  return array
}

function readJoinGroupResponse(reader: KafkaReader, version: number): JoinGroupResponse {
  const throttleTimeMs = version >= 2 ? reader.int32('throttleTimeMs') : 0
  const errorCode = reader.int16('errorCode')
  const generationId = reader.int32('generationId')
  const protocolType = version >= 7 ? reader.compactNullableString('protocolType') : null
  const protocolName =
    version >= 7
      ? reader.compactNullableString('protocolName')
      : version >= 6
        ? reader.compactString('protocolName')
        : reader.string('protocolName')
  const leader = version >= 6 ? reader.compactString('leader') : reader.string('leader')
  const skipAssignment = version >= 9 ? reader.bool('skipAssignment') : false
  const memberId = version >= 6 ? reader.compactString('memberId') : reader.string('memberId')
  const members = readJoinGroupResponse_members(reader, version)
  if (version >= 6) reader.skipTags()
  return {
    throttleTimeMs,
    errorCode,
    generationId,
    protocolType,
    protocolName,
    leader,
    skipAssignment,
    memberId,
    members,
  }
}

function writeJoinGroupResponseMember(writer: KafkaWriter, value: JoinGroupResponseMember, version: number): void {
  if (version >= 6) {
    writer.compactString(value.memberId)
  } else {
    writer.string(value.memberId)
  }
  if (version >= 6) {
    writer.compactNullableString(value.groupInstanceId ?? null)
  } else if (version >= 5) {
    writer.nullableString(value.groupInstanceId ?? null)
  }
  if (version >= 6) {
    writer.compactBytes(value.metadata)
  } else {
    writer.bytes(value.metadata)
  }
  if (version >= 6) {
    writer.noTags()
  }
}

function writeJoinGroupResponse_members(
  writer: KafkaWriter,
  array: readonly JoinGroupResponseMember[],
  version: number,
): void {
  if (version >= 6) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeJoinGroupResponseMember(writer, element, version)
  }
}

function writeJoinGroupResponse(writer: KafkaWriter, value: JoinGroupResponse, version: number): void {
  if (version >= 2) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  writer.int16(value.errorCode)
  writer.int32(value.generationId ?? -1)
  if (version >= 7) {
    writer.compactNullableString(value.protocolType ?? null)
  }
  if (version >= 7) {
    writer.compactNullableString(value.protocolName)
  } else if (version >= 6) {
    writer.compactString(nonNull(value.protocolName, 'protocolName', version))
  } else {
    writer.string(nonNull(value.protocolName, 'protocolName', version))
  }
  if (version >= 6) {
    writer.compactString(value.leader)
  } else {
    writer.string(value.leader)
  }
  if (version >= 9) {
    writer.bool(value.skipAssignment ?? false)
  }
  if (version >= 6) {
    writer.compactString(value.memberId)
  } else {
    writer.string(value.memberId)
  }
  writeJoinGroupResponse_members(writer, value.members, version)
  if (version >= 6) {
    writer.noTags()
  }
}
