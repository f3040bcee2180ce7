// Made by scripts/generate-kafka-codecs.ts from ../schema/api-versions.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface ApiVersionsRequest {
  readonly clientSoftwareName: string
  readonly clientSoftwareVersion: string
}

export interface ApiVersionsResponse {
  errorCode: number
  apiKeys: readonly ApiVersionsResponseApiVersion[]
  throttleTimeMs?: number | undefined
  supportedFeatures?: readonly ApiVersionsResponseSupportedFeature[] | undefined
  finalizedFeaturesEpoch?: bigint | undefined
  finalizedFeatures?: readonly ApiVersionsResponseFinalizedFeature[] | undefined
  zkMigrationReady?: boolean | undefined
}

export interface ApiVersionsResponseFinalizedFeature {
  name: string
  maxVersionLevel: number
  minVersionLevel: number
}

export interface ApiVersionsResponseSupportedFeature {
  name: string
  minVersion: number
  maxVersion: number
}

export interface ApiVersionsResponseApiVersion {
  apiKey: number
  minVersion: number
  maxVersion: number
}

/** ApiVersions, versions 0 to 4. */
export const apiVersionsApi: KafkaApi<ApiVersionsRequest, ApiVersionsResponse> = {
  key: 18,
  name: 'ApiVersions',
  versions: [0, 4],
  flexibleFrom: 3,
  decodeRequest(reader, version) {
    const request = readApiVersionsRequest(reader, version)
    reader.endMessage('request', 'ApiVersions', version)
    return request
  },
  encodeRequest: writeApiVersionsRequest,
  decodeResponse(reader, version) {
    const response = readApiVersionsResponse(reader, version)
    reader.endMessage('response', 'ApiVersions', version)
    return response
  },
  encodeResponse: writeApiVersionsResponse,
}

function readApiVersionsRequest(reader: KafkaReader, version: number): ApiVersionsRequest {
  const clientSoftwareName = version >= 3 ? reader.compactString('clientSoftwareName') : ''
  const clientSoftwareVersion = version >= 3 ? reader.compactString('clientSoftwareVersion') : ''
  if (version >= 3) reader.skipTags()
  return { clientSoftwareName, clientSoftwareVersion }
}

function writeApiVersionsRequest(writer: KafkaWriter, value: ApiVersionsRequest, version: number): void {
  if (version >= 3) {
    writer.compactString(value.clientSoftwareName)
  }
  if (version >= 3) {
    writer.compactString(value.clientSoftwareVersion)
  }
  if (version >= 3) {
    writer.noTags()
  }
}

function readApiVersionsResponseApiVersion(reader: KafkaReader, version: number): ApiVersionsResponseApiVersion {
  const apiKey = reader.int16('apiKey')
  const minVersion = reader.int16('minVersion')
  const maxVersion = reader.int16('maxVersion')
  if (version >= 3) reader.skipTags()
  return { apiKey, minVersion, maxVersion }
}

function readApiVersionsResponseSupportedFeature(
  reader: KafkaReader,
  _version: number,
): ApiVersionsResponseSupportedFeature {
  const name = reader.compactString('name')
  const minVersion = reader.int16('minVersion')
  const maxVersion = reader.int16('maxVersion')
  reader.skipTags()
  return { name, minVersion, maxVersion }
}

function readApiVersionsResponseFinalizedFeature(
  reader: KafkaReader,
  _version: number,
): ApiVersionsResponseFinalizedFeature {
  const name = reader.compactString('name')
  const maxVersionLevel = reader.int16('maxVersionLevel')
  const minVersionLevel = reader.int16('minVersionLevel')
  reader.skipTags()
  return { name, maxVersionLevel, minVersionLevel }
}

function readApiVersionsResponse_apiKeys(reader: KafkaReader, version: number): ApiVersionsResponseApiVersion[] {
  const length = version >= 3 ? reader.compactArrayLength('apiKeys', 7) : reader.arrayLength('apiKeys', 6)

  const array: ApiVersionsResponseApiVersion[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readApiVersionsResponseApiVersion(reader, version))
  return array
}

function readApiVersionsResponse_supportedFeatures(
  reader: KafkaReader,
  version: number,
): ApiVersionsResponseSupportedFeature[] {
  const length = reader.compactArrayLength('supportedFeatures', 6)

  const array: ApiVersionsResponseSupportedFeature[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(readApiVersionsResponseSupportedFeature(reader, version))
  return array
}

function readApiVersionsResponse_finalizedFeatures(
  reader: KafkaReader,
  version: number,
): ApiVersionsResponseFinalizedFeature[] {
  const length = reader.compactArrayLength('finalizedFeatures', 6)

  const array: ApiVersionsResponseFinalizedFeature[] = []
  for (let i = 0; i < length && !reader.failed; i++)
    array.push(readApiVersionsResponseFinalizedFeature(reader, version))
  return array
}

function readApiVersionsResponse(reader: KafkaReader, version: number): ApiVersionsResponse {
  const errorCode = reader.int16('errorCode')
  const apiKeys = readApiVersionsResponse_apiKeys(reader, version)
  const throttleTimeMs = version >= 1 ? reader.int32('throttleTimeMs') : 0
  let supportedFeatures: ApiVersionsResponse['supportedFeatures'] = []
  let finalizedFeaturesEpoch: ApiVersionsResponse['finalizedFeaturesEpoch'] = -1n
  let finalizedFeatures: ApiVersionsResponse['finalizedFeatures'] = []
  let zkMigrationReady: ApiVersionsResponse['zkMigrationReady'] = false
  if (version >= 3) {
    let tag = -1
    for (let left = reader.tagCount(); left > 0 && !reader.failed; left--) {
      tag = reader.tag(tag)
      const end = reader.tagEnd()
      if (tag === 0) {
        supportedFeatures = readApiVersionsResponse_supportedFeatures(reader, version)
        reader.endTag(end, 'supportedFeatures')
      } else if (tag === 1) {
        finalizedFeaturesEpoch = reader.bigInt64('finalizedFeaturesEpoch')
        reader.endTag(end, 'finalizedFeaturesEpoch')
      } else if (tag === 2) {
        finalizedFeatures = readApiVersionsResponse_finalizedFeatures(reader, version)
        reader.endTag(end, 'finalizedFeatures')
      } else if (tag === 3) {
        zkMigrationReady = reader.bool('zkMigrationReady')
        reader.endTag(end, 'zkMigrationReady')
      } else reader.skipTag(end)
    }
  }
  return {
    errorCode,
    apiKeys,
    throttleTimeMs,
    supportedFeatures,
    finalizedFeaturesEpoch,
    finalizedFeatures,
    zkMigrationReady,
  }
}

function writeApiVersionsResponseApiVersion(
  writer: KafkaWriter,
  value: ApiVersionsResponseApiVersion,
  version: number,
): void {
  writer.int16(value.apiKey)
  writer.int16(value.minVersion)
  writer.int16(value.maxVersion)
  if (version >= 3) {
    writer.noTags()
  }
}

function writeApiVersionsResponseSupportedFeature(
  writer: KafkaWriter,
  value: ApiVersionsResponseSupportedFeature,
  _version: number,
): void {
  writer.compactString(value.name)
  writer.int16(value.minVersion)
  writer.int16(value.maxVersion)
  writer.noTags()
}

function writeApiVersionsResponseFinalizedFeature(
  writer: KafkaWriter,
  value: ApiVersionsResponseFinalizedFeature,
  _version: number,
): void {
  writer.compactString(value.name)
  writer.int16(value.maxVersionLevel)
  writer.int16(value.minVersionLevel)
  writer.noTags()
}

function writeApiVersionsResponse_apiKeys(
  writer: KafkaWriter,
  array: readonly ApiVersionsResponseApiVersion[],
  version: number,
): void {
  if (version >= 3) {
    writer.compactArrayLength(array.length)
  } else {
    writer.arrayLength(array.length)
  }
  for (const element of array) {
    writeApiVersionsResponseApiVersion(writer, element, version)
  }
}

function writeApiVersionsResponse_supportedFeatures(
  writer: KafkaWriter,
  array: readonly ApiVersionsResponseSupportedFeature[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeApiVersionsResponseSupportedFeature(writer, element, version)
  }
}

function writeApiVersionsResponse_finalizedFeatures(
  writer: KafkaWriter,
  array: readonly ApiVersionsResponseFinalizedFeature[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeApiVersionsResponseFinalizedFeature(writer, element, version)
  }
}

function writeApiVersionsResponse(writer: KafkaWriter, value: ApiVersionsResponse, version: number): void {
  writer.int16(value.errorCode)
  writeApiVersionsResponse_apiKeys(writer, value.apiKeys, version)
  if (version >= 1) {
    writer.int32(value.throttleTimeMs ?? 0)
  }
  if (version >= 3) {
    const supportedFeatures = value.supportedFeatures ?? []
    const finalizedFeaturesEpoch = value.finalizedFeaturesEpoch ?? -1n
    const finalizedFeatures = value.finalizedFeatures ?? []
    const zkMigrationReady = value.zkMigrationReady ?? false
    const hasSupportedFeatures = supportedFeatures.length > 0
    const hasFinalizedFeaturesEpoch = finalizedFeaturesEpoch !== -1n
    const hasFinalizedFeatures = finalizedFeatures.length > 0
    const hasZkMigrationReady = zkMigrationReady
    writer.unsignedVarint(
      (hasSupportedFeatures ? 1 : 0) +
        (hasFinalizedFeaturesEpoch ? 1 : 0) +
        (hasFinalizedFeatures ? 1 : 0) +
        (hasZkMigrationReady ? 1 : 0),
    )
    if (hasSupportedFeatures) {
      const begun = writer.tag(0)
      writeApiVersionsResponse_supportedFeatures(writer, supportedFeatures, version)
      writer.endTag(begun)
    }
    if (hasFinalizedFeaturesEpoch) {
      const begun = writer.tag(1)
      writer.bigInt64(finalizedFeaturesEpoch)
      writer.endTag(begun)
    }
    if (hasFinalizedFeatures) {
      const begun = writer.tag(2)
      writeApiVersionsResponse_finalizedFeatures(writer, finalizedFeatures, version)
      writer.endTag(begun)
    }
    if (hasZkMigrationReady) {
      const begun = writer.tag(3)
      writer.bool(zkMigrationReady)
      writer.endTag(begun)
    }
  }
}
