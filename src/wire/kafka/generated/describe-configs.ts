// Made by scripts/generate-kafka-codecs.ts from ../schema/describe-configs.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface DescribeConfigsRequest {
  readonly resources: readonly DescribeConfigsRequestResource[]
  readonly includeSynonyms: boolean
  readonly includeDocumentation: boolean
}

export interface DescribeConfigsRequestResource {
  readonly resourceType: number
  readonly resourceName: string
  readonly configurationKeys: readonly string[] | null
}

export interface DescribeConfigsResponse {
  throttleTimeMs?: number | undefined
  results: readonly DescribeConfigsResponseResult[]
}

export interface DescribeConfigsResponseResult {
  errorCode: number
  errorMessage: string | null
  resourceType: number
  resourceName: string
  configs: readonly DescribeConfigsResponseConfig[]
}

export interface DescribeConfigsResponseConfig {
  name: string
  value: string | null
  readOnly: boolean
  isDefault: boolean
  configSource?: number | undefined
  isSensitive: boolean
  synonyms: readonly DescribeConfigsResponseSynonym[]
  configType?: number | undefined
  documentation: string | null
}

export interface DescribeConfigsResponseSynonym {
  name: string
  value: string | null
  source: number
}

/** DescribeConfigs, versions 0 to 4. */
export const describeConfigsApi: KafkaApi<DescribeConfigsRequest, DescribeConfigsResponse> = {
  key: 32,
  name: 'DescribeConfigs',
  versions: [0, 4],
  flexibleFrom: 4,
  decodeRequest(reader, version) {
    const request = readDescribeConfigsRequest(reader, version)
    reader.endMessage('request', 'DescribeConfigs', version)
    return request
  },
  encodeRequest: writeDescribeConfigsRequest,
  decodeResponse(reader, version) {
    const response = readDescribeConfigsResponse(reader, version)
    reader.endMessage('response', 'DescribeConfigs', version)
    return response
  },
  encodeResponse: writeDescribeConfigsResponse,
}

function readDescribeConfigsRequestResource_configurationKeys(reader: KafkaReader, version: number): string[] | null {
  const length =
    version >= 4
      ? reader.compactNullableArrayLength('configurationKeys', 1)
      : reader.nullableArrayLength('configurationKeys', 2)
  if (length < 0) return null
  const array: string[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(version >= 4 ? reader.compactString('configurationKeys') : reader.string('configurationKeys'))
  return array
}

function readDescribeConfigsRequestResource(reader: KafkaReader, version: number): DescribeConfigsRequestResource {
  const resourceType = reader.int8('resourceType')
  const resourceName = version >= 4 ? reader.compactString('resourceName') : reader.string('resourceName')
  const configurationKeys = readDescribeConfigsRequestResource_configurationKeys(reader, version)
  if (version >= 4) reader.skipTags()
  return { resourceType, resourceName, configurationKeys }
}

function readDescribeConfigsRequest_resources(reader: KafkaReader, version: number): DescribeConfigsRequestResource[] {
  const length = version >= 4 ? reader.compactArrayLength('resources', 4) : reader.arrayLength('resources', 7)

  const array: DescribeConfigsRequestResource[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDescribeConfigsRequestResource(reader, version))
  return array
}

function readDescribeConfigsRequest(reader: KafkaReader, version: number): DescribeConfigsRequest {
  const resources = readDescribeConfigsRequest_resources(reader, version)
  const includeSynonyms = version >= 1 ? reader.bool('includeSynonyms') : false
  const includeDocumentation = version >= 3 ? reader.bool('includeDocumentation') : false
  if (version >= 4) reader.skipTags()
  return { resources, includeSynonyms, includeDocumentation }
}

function writeDescribeConfigsRequestResource_configurationKeys(
  writer: KafkaWriter,
  array: readonly string[] | null,
  version: number,
): void {
  if (array === null) {
    if (version >= 4) {
      writer.compactArrayLength(-1)
    } else {
      writer.arrayLength(-1)
    }
    return
  }
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    if (version >= 4) {
      writer.compactString(element)
    } else {
      writer.string(element)
    }
  }
}

function writeDescribeConfigsRequestResource(
  writer: KafkaWriter,
  value: DescribeConfigsRequestResource,
  version: number,
): void {
  writer.int8(value.resourceType)
  if (version >= 4) {
    writer.compactString(value.resourceName)
  } else {
    writer.string(value.resourceName)
  }
  writeDescribeConfigsRequestResource_configurationKeys(writer, value.configurationKeys, version)
  if (version >= 4) {
    writer.noTags()
  }
}

function writeDescribeConfigsRequest_resources(
  writer: KafkaWriter,
  array: readonly DescribeConfigsRequestResource[],
  version: number,
): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDescribeConfigsRequestResource(writer, element, version)
  }
}

function writeDescribeConfigsRequest(writer: KafkaWriter, value: DescribeConfigsRequest, version: number): void {
  writeDescribeConfigsRequest_resources(writer, value.resources, version)
  if (version >= 1) {
    writer.bool(value.includeSynonyms)
  }
  if (version >= 3) {
    writer.bool(value.includeDocumentation)
  }
  if (version >= 4) {
    writer.noTags()
  }
}

function readDescribeConfigsResponseSynonym(reader: KafkaReader, version: number): DescribeConfigsResponseSynonym {
  const name = version >= 4 ? reader.compactString('name') : reader.string('name')
  const value = version >= 4 ? reader.compactNullableString('value') : reader.nullableString('value')
  const source = reader.int8('source')
  if (version >= 4) reader.skipTags()
  return { name, value, source }
}

function readDescribeConfigsResponseConfig_synonyms(
  reader: KafkaReader,
  version: number,
): DescribeConfigsResponseSynonym[] {
  const length = version >= 4 ? reader.compactArrayLength('synonyms', 4) : reader.arrayLength('synonyms', 5)

  const array: DescribeConfigsResponseSynonym[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDescribeConfigsResponseSynonym(reader, version))
  return array
}

function readDescribeConfigsResponseConfig(reader: KafkaReader, version: number): DescribeConfigsResponseConfig {
  const name = version >= 4 ? reader.compactString('name') : reader.string('name')
  const value = version >= 4 ? reader.compactNullableString('value') : reader.nullableString('value')
  const readOnly = reader.bool('readOnly')
  const isDefault = version >= 1 ? false : reader.bool('isDefault')
  const configSource = version >= 1 ? reader.int8('configSource') : -1
  const isSensitive = reader.bool('isSensitive')
  const synonyms = version >= 1 ? readDescribeConfigsResponseConfig_synonyms(reader, version) : []
  const configType = version >= 3 ? reader.int8('configType') : 0
  const documentation =
    version >= 4
      ? reader.compactNullableString('documentation')
      : version >= 3
        ? reader.nullableString('documentation')
        : null
  if (version >= 4) reader.skipTags()
  return { name, value, readOnly, isDefault, configSource, isSensitive, synonyms, configType, documentation }
}

function readDescribeConfigsResponseResult_configs(
  reader: KafkaReader,
  version: number,
): DescribeConfigsResponseConfig[] {
  const length =
    version >= 4
      ? reader.compactArrayLength('configs', 9)
      : version >= 3
        ? reader.arrayLength('configs', 14)
        : version >= 1
          ? reader.arrayLength('configs', 11)
          : reader.arrayLength('configs', 7)

  const array: DescribeConfigsResponseConfig[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDescribeConfigsResponseConfig(reader, version))
  return array
}

function readDescribeConfigsResponseResult(reader: KafkaReader, version: number): DescribeConfigsResponseResult {
  const errorCode = reader.int16('errorCode')
  const errorMessage =
    version >= 4 ? reader.compactNullableString('errorMessage') : reader.nullableString('errorMessage')
  const resourceType = reader.int8('resourceType')
  const resourceName = version >= 4 ? reader.compactString('resourceName') : reader.string('resourceName')
  const configs = readDescribeConfigsResponseResult_configs(reader, version)
  if (version >= 4) reader.skipTags()
  return { errorCode, errorMessage, resourceType, resourceName, configs }
}

function readDescribeConfigsResponse_results(reader: KafkaReader, version: number): DescribeConfigsResponseResult[] {
  const length = version >= 4 ? reader.compactArrayLength('results', 7) : reader.arrayLength('results', 11)

  const array: DescribeConfigsResponseResult[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDescribeConfigsResponseResult(reader, version))
  return array
}

function readDescribeConfigsResponse(reader: KafkaReader, version: number): DescribeConfigsResponse {
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const results = readDescribeConfigsResponse_results(reader, version)
  if (version >= 4) reader.skipTags()
  return { throttleTimeMs, results }
}

function writeDescribeConfigsResponseSynonym(
  writer: KafkaWriter,
  value: DescribeConfigsResponseSynonym,
  version: number,
): void {
  if (version >= 4) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  if (version >= 4) {
    writer.compactNullableString(value.value)
  } else {
    writer.nullableString(value.value)
  }
  writer.int8(value.source)
  if (version >= 4) {
    writer.noTags()
  }
}

function writeDescribeConfigsResponseConfig_synonyms(
  writer: KafkaWriter,
  array: readonly DescribeConfigsResponseSynonym[],
  version: number,
): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDescribeConfigsResponseSynonym(writer, element, version)
  }
}

function writeDescribeConfigsResponseConfig(
  writer: KafkaWriter,
  value: DescribeConfigsResponseConfig,
  version: number,
): void {
  if (version >= 4) {
    writer.compactString(value.name)
  } else {
    writer.string(value.name)
  }
  if (version >= 4) {
    writer.compactNullableString(value.value)
  } else {
    writer.nullableString(value.value)
  }
  writer.bool(value.readOnly)
  if (version < 1) {
    writer.bool(value.isDefault)
  }
  if (version >= 1) {
    writer.int8(value.configSource ?? -1)
  }
  writer.bool(value.isSensitive)
  if (version >= 1) {
    writeDescribeConfigsResponseConfig_synonyms(writer, value.synonyms, version)
  }
  if (version >= 3) {
    writer.int8(value.configType ?? 0)
  }
  if (version >= 4) {
    writer.compactNullableString(value.documentation)
  } else if (version >= 3) {
    writer.nullableString(value.documentation)
  }
  if (version >= 4) {
    writer.noTags()
  }
}

function writeDescribeConfigsResponseResult_configs(
  writer: KafkaWriter,
  array: readonly DescribeConfigsResponseConfig[],
  version: number,
): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDescribeConfigsResponseConfig(writer, element, version)
  }
}

function writeDescribeConfigsResponseResult(
  writer: KafkaWriter,
  value: DescribeConfigsResponseResult,
  version: number,
): void {
  writer.int16(value.errorCode)
  if (version >= 4) {
    writer.compactNullableString(value.errorMessage)
  } else {
    writer.nullableString(value.errorMessage)
  }
  writer.int8(value.resourceType)
  if (version >= 4) {
    writer.compactString(value.resourceName)
  } else {
    writer.string(value.resourceName)
  }
  writeDescribeConfigsResponseResult_configs(writer, value.configs, version)
  if (version >= 4) {
    writer.noTags()
  }
}

function writeDescribeConfigsResponse_results(
  writer: KafkaWriter,
  array: readonly DescribeConfigsResponseResult[],
  version: number,
): void {
  if (version >= 4) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeDescribeConfigsResponseResult(writer, element, version)
  }
}

function writeDescribeConfigsResponse(writer: KafkaWriter, value: DescribeConfigsResponse, version: number): void {
  writer.int32(value.throttleTimeMs ?? 0)
  writeDescribeConfigsResponse_results(writer, value.results, version)
  if (version >= 4) {
    writer.noTags()
  }
}
