// Made by scripts/generate-kafka-codecs.ts from ../schema/heartbeat.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface HeartbeatRequest {
  readonly groupId: string
  readonly generationId: number
  readonly memberId: string
  readonly groupInstanceId: string | null
}

export interface HeartbeatResponse {
  throttleTimeMs?: number | undefined
  errorCode: number
}

/** Heartbeat, versions 0 to 4. */
export const heartbeatApi: KafkaApi<HeartbeatRequest, HeartbeatResponse> = {
  key: 12,
  name: 'Heartbeat',
  versions: [0, 4],
  flexibleFrom: 4,
  decodeRequest(reader, version) {
    const request = readHeartbeatRequest(reader, version)
    reader.endMessage('request', 'Heartbeat', version)
    return request
  },
  encodeRequest: writeHeartbeatRequest,
  decodeResponse(reader, version) {
    const response = readHeartbeatResponse(reader, version)
    reader.endMessage('response', 'Heartbeat', version)
    return response
  },
  encodeResponse: writeHeartbeatResponse,
}

function readHeartbeatRequest(reader: KafkaReader, version: number): HeartbeatRequest {
  const groupId = version >= 4 ? reader.compactString('groupId') : reader.string('groupId')
  const generationId = reader.int32('generationId')
  const memberId = version >= 4 ? reader.compactString('memberId') : reader.string('memberId')
  const groupInstanceId =
    version >= 4
      ? reader.compactNullableString('groupInstanceId')
      : version >= 3
        ? reader.nullableString('groupInstanceId')
        : null
  if (version >= 4) reader.skipTags()
  return { groupId, generationId, memberId, groupInstanceId }
}

function writeHeartbeatRequest(writer: KafkaWriter, value: HeartbeatRequest, version: number): void {
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
  if (version >= 4) {
    writer.noTags()
  }
}

function readHeartbeatResponse(reader: KafkaReader, version: number): HeartbeatResponse {
  const throttleTimeMs = version >= 1 ? reader.int32('throttleTimeMs') : 0
  const errorCode = reader.int16('errorCode')
  if (version >= 4) reader.skipTags()
  return { throttleTimeMs, errorCode }
}

function writeHeartbeatResponse(writer: KafkaWriter, value: HeartbeatResponse, version: number): void {
  if (version >= 1) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  writer.int16(value.errorCode)
  if (version >= 4) {
    writer.noTags()
  }
}
