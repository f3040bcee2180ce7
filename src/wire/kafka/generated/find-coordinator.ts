// Made by scripts/generate-kafka-codecs.ts from ../schema/find-coordinator.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface FindCoordinatorRequest {
  readonly key: string
  readonly keyType: number
  readonly coordinatorKeys: readonly string[]
}

export interface FindCoordinatorResponse {
  throttleTimeMs?: number | undefined
  errorCode?: number | undefined
  errorMessage?: string | null | undefined
  nodeId?: number | undefined
  host?: string | undefined
  port?: number | undefined
  coordinators: readonly FindCoordinatorResponseCoordinator[]
}

export interface FindCoordinatorResponseCoordinator {
  key: string
  nodeId: number
  host: string
  port: number
  errorCode: number
  errorMessage?: string | null | undefined
}

/** FindCoordinator, versions 0 to 6. */
export const findCoordinatorApi: KafkaApi<FindCoordinatorRequest, FindCoordinatorResponse> = {
  key: 10,
  name: 'FindCoordinator',
  versions: [0, 6],
  flexibleFrom: 3,
  decodeRequest(reader, version) {
    const request = readFindCoordinatorRequest(reader, version)
    reader.endMessage('request', 'FindCoordinator', version)
    return request
  },
  encodeRequest: writeFindCoordinatorRequest,
  decodeResponse(reader, version) {
    const response = readFindCoordinatorResponse(reader, version)
    reader.endMessage('response', 'FindCoordinator', version)
    return response
  },
  encodeResponse: writeFindCoordinatorResponse,
}

function readFindCoordinatorRequest_coordinatorKeys(reader: KafkaReader, _version: number): string[] {
  const length = reader.compactArrayLength('coordinatorKeys', 1)

  const array: string[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(reader.compactString('coordinatorKeys'))
  return array
}

function readFindCoordinatorRequest(reader: KafkaReader, version: number): FindCoordinatorRequest {
  const key = version >= 4 ? '' : version >= 3 ? reader.compactString('key') : reader.string('key')
  const keyType = version >= 1 ? reader.int8('keyType') : 0
  const coordinatorKeys = version >= 4 ? readFindCoordinatorRequest_coordinatorKeys(reader, version) : []
  if (version >= 3) reader.skipTags()
  return { key, keyType, coordinatorKeys }
}

function writeFindCoordinatorRequest_coordinatorKeys(
  writer: KafkaWriter,
  array: readonly string[],
  _version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writer.compactString(element)
  }
}

function writeFindCoordinatorRequest(writer: KafkaWriter, value: FindCoordinatorRequest, version: number): void {
  if (version < 4) {
    if (version >= 3) {
      writer.compactString(value.key)
    } else {
      writer.string(value.key)
    }
  }
  if (version >= 1) {
    writer.int8(value.keyType)
  }
  if (version >= 4) {
    writeFindCoordinatorRequest_coordinatorKeys(writer, value.coordinatorKeys, version)
  }
  if (version >= 3) {
    writer.noTags()
  }
}

function readFindCoordinatorResponseCoordinator(
  reader: KafkaReader,
  _version: number,
): FindCoordinatorResponseCoordinator {
  const key = reader.compactString('key')
  const nodeId = reader.int32('nodeId')
  const host = reader.compactString('host')
  const port = reader.int32('port')
  const errorCode = reader.int16('errorCode')
  const errorMessage = reader.compactNullableString('errorMessage')
  reader.skipTags()
  return { key, nodeId, host, port, errorCode, errorMessage }
}

function readFindCoordinatorResponse_coordinators(
  reader: KafkaReader,
  version: number,
): FindCoordinatorResponseCoordinator[] {
  const length = reader.compactArrayLength('coordinators', 14)

  const array: FindCoordinatorResponseCoordinator[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readFindCoordinatorResponseCoordinator(reader, version))
  return array
}

function readFindCoordinatorResponse(reader: KafkaReader, version: number): FindCoordinatorResponse {
  const throttleTimeMs = version >= 1 ? reader.int32('throttleTimeMs') : 0
  const errorCode = version >= 4 ? 0 : reader.int16('errorCode')
  const errorMessage =
    version >= 4
      ? null
      : version >= 3
        ? reader.compactNullableString('errorMessage')
        : version >= 1
          ? reader.nullableString('errorMessage')
          : null
  const nodeId = version >= 4 ? 0 : reader.int32('nodeId')
  const host = version >= 4 ? '' : version >= 3 ? reader.compactString('host') : reader.string('host')
  const port = version >= 4 ? 0 : reader.int32('port')
  const coordinators = version >= 4 ? readFindCoordinatorResponse_coordinators(reader, version) : []
  if (version >= 3) reader.skipTags()
  return { throttleTimeMs, errorCode, errorMessage, nodeId, host, port, coordinators }
}

function writeFindCoordinatorResponseCoordinator(
  writer: KafkaWriter,
  value: FindCoordinatorResponseCoordinator,
  _version: number,
): void {
  writer.compactString(value.key)
  writer.int32(value.nodeId)
  writer.compactString(value.host)
  writer.int32(value.port)
  writer.int16(value.errorCode)
  writer.compactNullableString(value.errorMessage ?? null)
  writer.noTags()
}

function writeFindCoordinatorResponse_coordinators(
  writer: KafkaWriter,
  array: readonly FindCoordinatorResponseCoordinator[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeFindCoordinatorResponseCoordinator(writer, element, version)
  }
}

function writeFindCoordinatorResponse(writer: KafkaWriter, value: FindCoordinatorResponse, version: number): void {
  if (version >= 1) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  if (version < 4) {
    writer.int16(value.errorCode ?? 0)
  }
  if (version < 4) {
    if (version >= 3) {
      writer.compactNullableString(value.errorMessage ?? null)
    } else if (version >= 1) {
      writer.nullableString(value.errorMessage ?? null)
    }
  }
  if (version < 4) {
    writer.int32(value.nodeId ?? 0)
  }
  if (version < 4) {
    if (version >= 3) {
      writer.compactString(value.host ?? '')
    } else {
      writer.string(value.host ?? '')
    }
  }
  if (version < 4) {
    writer.int32(value.port ?? 0)
  }
  if (version >= 4) {
    writeFindCoordinatorResponse_coordinators(writer, value.coordinators, version)
  }
  if (version >= 3) {
    writer.noTags()
  }
}
