// Made by scripts/generate-kafka-codecs.ts from ../schema/incremental-alter-configs.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface IncrementalAlterConfigsRequest {
  readonly resources: readonly IncrementalAlterConfigsRequestResource[]
  readonly validateOnly: boolean
}

export interface IncrementalAlterConfigsRequestResource {
  readonly resourceType: number
  readonly resourceName: string
  readonly configs: readonly IncrementalAlterConfigsRequestConfig[]
}

export interface IncrementalAlterConfigsRequestConfig {
  readonly name: string
  readonly configOperation: number
  readonly value: string | null
}

export interface IncrementalAlterConfigsResponse {
  throttleTimeMs?: number | undefined
  responses: readonly IncrementalAlterConfigsResponseResource[]
}

export interface IncrementalAlterConfigsResponseResource {
  errorCode: number
  errorMessage: string | null
  resourceType: number
  resourceName: string
}

/** IncrementalAlterConfigs, versions 0 to 1. */
export const incrementalAlterConfigsApi: KafkaApi<IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse> = {
  key: 44,
  name: 'IncrementalAlterConfigs',
  versions: [0, 1],
  flexibleFrom: 1,
  decodeRequest(reader, version) {
    const request = readIncrementalAlterConfigsRequest(reader, version)
    reader.endMessage('request', 'IncrementalAlterConfigs', version)
    return request
  },
  encodeRequest: writeIncrementalAlterConfigsRequest,
  decodeResponse(reader, version) {
    const response = readIncrementalAlterConfigsResponse(reader, version)
    reader.endMessage('response', 'IncrementalAlterConfigs', version)
    return response
  },
  encodeResponse: writeIncrementalAlterConfigsResponse,
}

function readIncrementalAlterConfigsRequestConfig(
  reader: KafkaReader,
  version: number,
): IncrementalAlterConfigsRequestConfig {
  const name = version >= 1 ? reader.compactString('name') : reader.string('name')
  const configOperation = reader.int8('configOperation')
  const value = version >= 1 ? reader.compactNullableString('value') : reader.nullableString('value')
  if (version >= 1) reader.skipTags()
  return { name, configOperation, value }
}

function readIncrementalAlterConfigsRequestResource_configs(
  reader: KafkaReader,
  version: number,
): IncrementalAlterConfigsRequestConfig[] {
  const length = version >= 1 ? reader.compactArrayLength('configs', 4) : reader.arrayLength('configs', 5)

  const array: IncrementalAlterConfigsRequestConfig[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(readIncrementalAlterConfigsRequestConfig(reader, version))
  return array
}

function readIncrementalAlterConfigsRequestResource(
  reader: KafkaReader,
  version: number,
): IncrementalAlterConfigsRequestResource {
  const resourceType = reader.int8('resourceType')
  const resourceName = version >= 1 ? reader.compactString('resourceName') : reader.string('resourceName')
  const configs = readIncrementalAlterConfigsRequestResource_configs(reader, version)
  if (version >= 1) reader.skipTags()
  return { resourceType, resourceName, configs }
}

function readIncrementalAlterConfigsRequest_resources(
  reader: KafkaReader,
  version: number,
): IncrementalAlterConfigsRequestResource[] {
  const length = version >= 1 ? reader.compactArrayLength('resources', 4) : reader.arrayLength('resources', 7)

  const array: IncrementalAlterConfigsRequestResource[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(readIncrementalAlterConfigsRequestResource(reader, version))
  return array
}

function readIncrementalAlterConfigsRequest(reader: KafkaReader, version: number): IncrementalAlterConfigsRequest {
  const resources = readIncrementalAlterConfigsRequest_resources(reader, version)
  const validateOnly = reader.bool('validateOnly')
  if (version >= 1) reader.skipTags()
  return { resources, validateOnly }
}

function writeIncrementalAlterConfigsRequestConfig(
  writer: KafkaWriter,
  value: IncrementalAlterConfigsRequestConfig,
  version: number,
): void {
  if (version >= 1) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  writer.int8(value.configOperation)
  if (version >= 1) {
    writer.compactNullableString(value.value)
  } else {
    writer.nullableString(value.value)
  }
  if (version >= 1) {
    writer.noTags()
  }
}

function writeIncrementalAlterConfigsRequestResource_configs(
  writer: KafkaWriter,
  array: readonly IncrementalAlterConfigsRequestConfig[],
  version: number,
): void {
  if (version >= 1) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeIncrementalAlterConfigsRequestConfig(writer, element, version)
  }
}

function writeIncrementalAlterConfigsRequestResource(
  writer: KafkaWriter,
  value: IncrementalAlterConfigsRequestResource,
  version: number,
): void {
  writer.int8(value.resourceType)
  if (version >= 1) {
    writer.compactString(value.resourceName)
  } else {
    writer.string(value.resourceName)
  }
  writeIncrementalAlterConfigsRequestResource_configs(writer, value.configs, version)
  if (version >= 1) {
    writer.noTags()
  }
}

function writeIncrementalAlterConfigsRequest_resources(
  writer: KafkaWriter,
  array: readonly IncrementalAlterConfigsRequestResource[],
  version: number,
): void {
  if (version >= 1) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeIncrementalAlterConfigsRequestResource(writer, element, version)
  }
}

function writeIncrementalAlterConfigsRequest(
  writer: KafkaWriter,
  value: IncrementalAlterConfigsRequest,
  version: number,
): void {
  writeIncrementalAlterConfigsRequest_resources(writer, value.resources, version)
  writer.bool(value.validateOnly)
  if (version >= 1) {
    writer.noTags()
  }
}

function readIncrementalAlterConfigsResponseResource(
  reader: KafkaReader,
  version: number,
): IncrementalAlterConfigsResponseResource {
  const errorCode = reader.int16('errorCode')
  const errorMessage =
    version >= 1 ? reader.compactNullableString('errorMessage') : reader.nullableString('errorMessage')
  const resourceType = reader.int8('resourceType')
  const resourceName = version >= 1 ? reader.compactString('resourceName') : reader.string('resourceName')
  if (version >= 1) reader.skipTags()
  return { errorCode, errorMessage, resourceType, resourceName }
}

function readIncrementalAlterConfigsResponse_responses(
  reader: KafkaReader,
  version: number,
): IncrementalAlterConfigsResponseResource[] {
  const length = version >= 1 ? reader.compactArrayLength('responses', 6) : reader.arrayLength('responses', 7)

  const array: IncrementalAlterConfigsResponseResource[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(readIncrementalAlterConfigsResponseResource(reader, version))
  return array
}

function readIncrementalAlterConfigsResponse(reader: KafkaReader, version: number): IncrementalAlterConfigsResponse {
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const responses = readIncrementalAlterConfigsResponse_responses(reader, version)
  if (version >= 1) reader.skipTags()
  return { throttleTimeMs, responses }
}

function writeIncrementalAlterConfigsResponseResource(
  writer: KafkaWriter,
  value: IncrementalAlterConfigsResponseResource,
  version: number,
): void {
  writer.int16(value.errorCode)
  if (version >= 1) {
    writer.compactNullableString(value.errorMessage)
  } else {
    writer.nullableString(value.errorMessage)
  }
  writer.int8(value.resourceType)
  if (version >= 1) {
    writer.compactString(value.resourceName)
  } else {
    writer.string(value.resourceName)
  }
  if (version >= 1) {
    writer.noTags()
  }
}

function writeIncrementalAlterConfigsResponse_responses(
  writer: KafkaWriter,
  array: readonly IncrementalAlterConfigsResponseResource[],
  version: number,
): void {
  if (version >= 1) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeIncrementalAlterConfigsResponseResource(writer, element, version)
  }
}

function writeIncrementalAlterConfigsResponse(
  writer: KafkaWriter,
  value: IncrementalAlterConfigsResponse,
  version: number,
): void {
  writer.int32(value.throttleTimeMs ?? 0)
  writeIncrementalAlterConfigsResponse_responses(writer, value.responses, version)
  if (version >= 1) {
    writer.noTags()
  }
}
