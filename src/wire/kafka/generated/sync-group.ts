// Made by scripts/generate-kafka-codecs.ts from ../schema/sync-group.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface SyncGroupRequest {
  readonly groupId: string
  readonly generationId: number
  readonly memberId: string
  readonly groupInstanceId: string | null
  readonly protocolType: string | null
  readonly protocolName: string | null
  readonly assignments: readonly SyncGroupRequestAssignment[]
}

export interface SyncGroupRequestAssignment {
  readonly memberId: string
  readonly assignment: Buffer
}

export interface SyncGroupResponse {
  throttleTimeMs?: number | undefined
  errorCode: number
  protocolType?: string | null | undefined
  protocolName?: string | null | undefined
  assignment: Buffer
}

/** SyncGroup, versions 0 to 5. */
export const syncGroupApi: KafkaApi<SyncGroupRequest, SyncGroupResponse> = {
  key: 14,
  name: 'SyncGroup',
  versions: [0, 5],
  flexibleFrom: 4,
  decodeRequest(reader, version) {
    const request = readSyncGroupRequest(reader, version)
    reader.endMessage('request', 'SyncGroup', version)
    return request
  },
  encodeRequest: writeSyncGroupRequest,
  decodeResponse(reader, version) {
    const response = readSyncGroupResponse(reader, version)
    reader.endMessage('response', 'SyncGroup', version)
    return response
  },
  encodeResponse: writeSyncGroupResponse,
}

function readSyncGroupRequestAssignment(reader: KafkaReader, version: number): SyncGroupRequestAssignment {
  const memberId = version >= 4 ? reader.compactString('memberId') : reader.string('memberId')
  const assignment = version >= 4 ? reader.compactBytes('assignment') : reader.bytes('assignment')
  if (version >= 4) reader.skipTags()
  return { memberId, assignment }
}

function readSyncGroupRequest_assignments(reader: KafkaReader, version: number): SyncGroupRequestAssignment[] {
  const length = version >= 4 ? reader.compactArrayLength('assignments', 3) : reader.arrayLength('assignments', 6)

  const array: SyncGroupRequestAssignment[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readSyncGroupRequestAssignment(reader, version))
  return array
}

function readSyncGroupRequest(reader: KafkaReader, version: number): SyncGroupRequest {
  const groupId = version >= 4 ? reader.compactString('groupId') : reader.string('groupId')
  const generationId = reader.int32('generationId')
  const memberId = version >= 4 ? reader.compactString('memberId') : reader.string('memberId')
  const groupInstanceId =
    version >= 4
      ? reader.compactNullableString('groupInstanceId')
      : version >= 3
        ? reader.nullableString('groupInstanceId')
        : null
  const protocolType = version >= 5 ? reader.compactNullableString('protocolType') : null
  const protocolName = version >= 5 ? reader.compactNullableString('protocolName') : null
  const assignments = readSyncGroupRequest_assignments(reader, version)
  if (version >= 4) reader.skipTags()
  return { groupId, generationId, memberId, groupInstanceId, protocolType, protocolName, assignments }
}

function writeSyncGroupRequestAssignment(
  writer: KafkaWriter,
  value: SyncGroupRequestAssignment,
  version: number,
): void {
  if (version >= 4) {
    writer.compactString(value.memberId)
  } else {
    writer.string(value.memberId)
  }
  if (version >= 4) {
    writer.compactBytes(value.assignment)
  } else {
    writer.bytes(value.assignment)
  }
  if (version >= 4) {
    writer.noTags()
  }
}

function writeSyncGroupRequest_assignments(
  writer: KafkaWriter,
  array: readonly SyncGroupRequestAssignment[],
  version: number,
): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeSyncGroupRequestAssignment(writer, element, version)
  }
}

function writeSyncGroupRequest(writer: KafkaWriter, value: SyncGroupRequest, version: number): void {
  if (version >= 4) {
    writer.compactString(value.groupId)
  } else {
    writer.string(value.groupId)
  }
  writer.int32(value.generationId)
  if (version >= 4) {
    writer.compactString(value.memberId)
  } else {
    writer.string(value.memberId)
  }
  if (version >= 4) {
    writer.compactNullableString(value.groupInstanceId)
  } else if (version >= 3) {
    writer.nullableString(value.groupInstanceId)
  }
  if (version >= 5) {
    writer.compactNullableString(value.protocolType)
  }
  if (version >= 5) {
    writer.compactNullableString(value.protocolName)
  }
  writeSyncGroupRequest_assignments(writer, value.assignments, version)
  if (version >= 4) {
    writer.noTags()
  }
}

function readSyncGroupResponse(reader: KafkaReader, version: number): SyncGroupResponse {
  const throttleTimeMs = version >= 1 ? reader.int32('throttleTimeMs') : 0
  const errorCode = reader.int16('errorCode')
  const protocolType = version >= 5 ? reader.compactNullableString('protocolType') : null
  const protocolName = version >= 5 ? reader.compactNullableString('protocolName') : null
  const assignment = version >= 4 ? reader.compactBytes('assignment') : reader.bytes('assignment')
  if (version >= 4) reader.skipTags()
  return { throttleTimeMs, errorCode, protocolType, protocolName, assignment }
}

function writeSyncGroupResponse(writer: KafkaWriter, value: SyncGroupResponse, version: number): void {
  if (version >= 1) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  writer.int16(value.errorCode)
  if (version >= 5) {
    writer.compactNullableString(value.protocolType ?? null)
  }
  if (version >= 5) {
    writer.compactNullableString(value.protocolName ?? null)
  }
  if (version >= 4) {
    writer.compactBytes(value.assignment)
  } else {
    writer.bytes(value.assignment)
  }
  if (version >= 4) {
    writer.noTags()
  }
}
