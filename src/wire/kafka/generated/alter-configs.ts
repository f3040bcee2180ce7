// Made by scripts/generate-kafka-codecs.ts from ../schema/alter-configs.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface AlterConfigsRequest {
  readonly resources: readonly AlterConfigsRequestResource[]
  readonly validateOnly: boolean
}

export interface AlterConfigsRequestResource {
  readonly resourceType: number
  readonly resourceName: string
  readonly configs: readonly AlterConfigsRequestConfig[]
}

export interface AlterConfigsRequestConfig {
  readonly name: string
  readonly value: string | null
}

export interface AlterConfigsResponse {
  throttleTimeMs?: number | undefined
  responses: readonly AlterConfigsResponseResource[]
}

export interface AlterConfigsResponseResource {
  errorCode: number
  errorMessage: string | null
  resourceType: number
  resourceName: string
}

/** AlterConfigs, versions 0 to 2. */
export const alterConfigsApi: KafkaApi<AlterConfigsRequest, AlterConfigsResponse> = {
  key: 33,
  name: 'AlterConfigs',
  versions: [0, 2],
  flexibleFrom: 2,
  decodeRequest(reader, version) {
    const request = readAlterConfigsRequest(reader, version)
    reader.endMessage('request', 'AlterConfigs', version)
    return request
  },
  encodeRequest: writeAlterConfigsRequest,
  decodeResponse(reader, version) {
    const response = readAlterConfigsResponse(reader, version)
    reader.endMessage('response', 'AlterConfigs', version)
    return response
  },
  encodeResponse: writeAlterConfigsResponse,
}

function readAlterConfigsRequestConfig(reader: KafkaReader, version: number): AlterConfigsRequestConfig {
  const name = version >= 2 ? reader.compactString('name') : reader.string('name')
  const value = version >= 2 ? reader.compactNullableString('value') : reader.nullableString('value')
  if (version >= 2) reader.skipTags()
  return { name, value }
}

function readAlterConfigsRequestResource_configs(reader: KafkaReader, version: number): AlterConfigsRequestConfig[] {
  const length = version >= 2 ? reader.compactArrayLength('configs', 3) : reader.arrayLength('configs', 4)

  const array: AlterConfigsRequestConfig[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readAlterConfigsRequestConfig(reader, version))
  return array
}

function readAlterConfigsRequestResource(reader: KafkaReader, version: number): AlterConfigsRequestResource {
  const resourceType = reader.int8('resourceType')
  const resourceName = version >= 2 ? reader.compactString('resourceName') : reader.string('resourceName')
  const configs = readAlterConfigsRequestResource_configs(reader, version)
  if (version >= 2) reader.skipTags()
  return { resourceType, resourceName, configs }
}

function readAlterConfigsRequest_resources(reader: KafkaReader, version: number): AlterConfigsRequestResource[] {
  const length = version >= 2 ? reader.compactArrayLength('resources', 4) : reader.arrayLength('resources', 7)

  const array: AlterConfigsRequestResource[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readAlterConfigsRequestResource(reader, version))
  return array
}

function readAlterConfigsRequest(reader: KafkaReader, version: number): AlterConfigsRequest {
  const resources = readAlterConfigsRequest_resources(reader, version)
  const validateOnly = reader.bool('validateOnly')
  if (version >= 2) reader.skipTags()
  return { resources, validateOnly }
}

function writeAlterConfigsRequestConfig(writer: KafkaWriter, value: AlterConfigsRequestConfig, version: number): void {
  if (version >= 2) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  if (version >= 2) {
    writer.compactNullableString(value.value)
  } else {
    writer.nullableString(value.value)
  }
  if (version >= 2) {
    writer.noTags()
  }
}

function writeAlterConfigsRequestResource_configs(
  writer: KafkaWriter,
  array: readonly AlterConfigsRequestConfig[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeAlterConfigsRequestConfig(writer, element, version)
  }
}

function writeAlterConfigsRequestResource(
  writer: KafkaWriter,
  value: AlterConfigsRequestResource,
  version: number,
): void {
  writer.int8(value.resourceType)
  if (version >= 2) {
    writer.compactString(value.resourceName)
  } else {
    writer.string(value.resourceName)
  }
  writeAlterConfigsRequestResource_configs(writer, value.configs, version)
  if (version >= 2) {
    writer.noTags()
  }
}

function writeAlterConfigsRequest_resources(
  writer: KafkaWriter,
  array: readonly AlterConfigsRequestResource[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeAlterConfigsRequestResource(writer, element, version)
  }
}

function writeAlterConfigsRequest(writer: KafkaWriter, value: AlterConfigsRequest, version: number): void {
  writeAlterConfigsRequest_resources(writer, value.resources, version)
  writer.bool(value.validateOnly)
  if (version >= 2) {
    writer.noTags()
  }
}

function readAlterConfigsResponseResource(reader: KafkaReader, version: number): AlterConfigsResponseResource {
  const errorCode = reader.int16('errorCode')
  const errorMessage =
    version >= 2 ? reader.compactNullableString('errorMessage') : reader.nullableString('errorMessage')
  const resourceType = reader.int8('resourceType')
  const resourceName = version >= 2 ? reader.compactString('resourceName') : reader.string('resourceName')
  if (version >= 2) reader.skipTags()
  return { errorCode, errorMessage, resourceType, resourceName }
}

function readAlterConfigsResponse_responses(reader: KafkaReader, version: number): AlterConfigsResponseResource[] {
  const length = version >= 2 ? reader.compactArrayLength('responses', 6) : reader.arrayLength('responses', 7)

  const array: AlterConfigsResponseResource[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readAlterConfigsResponseResource(reader, version))
  return array
}

function readAlterConfigsResponse(reader: KafkaReader, version: number): AlterConfigsResponse {
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const responses = readAlterConfigsResponse_responses(reader, version)
  if (version >= 2) reader.skipTags()
  return { throttleTimeMs, responses }
}

function writeAlterConfigsResponseResource(
  writer: KafkaWriter,
  value: AlterConfigsResponseResource,
  version: number,
): void {
  writer.int16(value.errorCode)
  if (version >= 2) {
    writer.compactNullableString(value.errorMessage)
  } else {
    writer.nullableString(value.errorMessage)
  }
  writer.int8(value.resourceType)
  if (version >= 2) {
    writer.compactString(value.resourceName)
  } else {
    writer.string(value.resourceName)
  }
  if (version >= 2) {
    writer.noTags()
  }
}

function writeAlterConfigsResponse_responses(
  writer: KafkaWriter,
  array: readonly AlterConfigsResponseResource[],
  version: number,
): void {
  if (version >= 2) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeAlterConfigsResponseResource(writer, element, version)
  }
}

function writeAlterConfigsResponse(writer: KafkaWriter, value: AlterConfigsResponse, version: number): void {
  writer.int32(value.throttleTimeMs ?? 0)
  writeAlterConfigsResponse_responses(writer, value.responses, version)
  if (version >= 2) {
    writer.noTags()
  }
}
