// Made by scripts/generate-kafka-codecs.ts from ../schema/describe-cluster.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface DescribeClusterRequest {
  readonly includeClusterAuthorizedOperations: boolean
  readonly endpointType: number
}

export interface DescribeClusterResponse {
  throttleTimeMs?: number | undefined
  errorCode: number
  errorMessage?: string | null | undefined
  endpointType?: number | undefined
  clusterId: string
  controllerId?: number | undefined
  brokers: readonly DescribeClusterResponseBroker[]
  clusterAuthorizedOperations?: number | undefined
}

export interface DescribeClusterResponseBroker {
  brokerId: number
  host: string
  port: number
  rack?: string | null | undefined
}

/** DescribeCluster, versions 0 to 1. */
export const describeClusterApi: KafkaApi<DescribeClusterRequest, DescribeClusterResponse> = {
  key: 60,
  name: 'DescribeCluster',
  versions: [0, 1],
  flexibleFrom: 0,
  decodeRequest(reader, version) {
    const request = readDescribeClusterRequest(reader, version)
    reader.endMessage('request', 'DescribeCluster', version)
    return request
  },
  encodeRequest: writeDescribeClusterRequest,
  decodeResponse(reader, version) {
    const response = readDescribeClusterResponse(reader, version)
    reader.endMessage('response', 'DescribeCluster', version)
    return response
  },
  encodeResponse: writeDescribeClusterResponse,
}

function readDescribeClusterRequest(reader: KafkaReader, version: number): DescribeClusterRequest {
  const includeClusterAuthorizedOperations = reader.bool('includeClusterAuthorizedOperations')
  const endpointType = version >= 1 ? reader.int8('endpointType') : 1
  reader.skipTags()
  return { includeClusterAuthorizedOperations, endpointType }
}

function writeDescribeClusterRequest(writer: KafkaWriter, value: DescribeClusterRequest, version: number): void {
  writer.bool(value.includeClusterAuthorizedOperations)
  if (version >= 1) {
    writer.int8(value.endpointType)
  }
  writer.noTags()
}

function readDescribeClusterResponseBroker(reader: KafkaReader, _version: number): DescribeClusterResponseBroker {
  const brokerId = reader.int32('brokerId')
  const host = reader.compactString('host')
  const port = reader.int32('port')
  const rack = reader.compactNullableString('rack')
  reader.skipTags()
  return { brokerId, host, port, rack }
}

function readDescribeClusterResponse_brokers(reader: KafkaReader, version: number): DescribeClusterResponseBroker[] {
  const length = reader.compactArrayLength('brokers', 11)

  const array: DescribeClusterResponseBroker[] = []
  for (let i = 0; i < length && !reader.failed; i++) array.push(readDescribeClusterResponseBroker(reader, version))
  return array
}

function readDescribeClusterResponse(reader: KafkaReader, version: number): DescribeClusterResponse {
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const errorCode = reader.int16('errorCode')
  const errorMessage = reader.compactNullableString('errorMessage')
  const endpointType = version >= 1 ? reader.int8('endpointType') : 1
  const clusterId = reader.compactString('clusterId')
  const controllerId = reader.int32('controllerId')
  const brokers = readDescribeClusterResponse_brokers(reader, version)
  const clusterAuthorizedOperations = reader.int32('clusterAuthorizedOperations')
  reader.skipTags()
  return {
    throttleTimeMs,
    errorCode,
    errorMessage,
    endpointType,
    clusterId,
    controllerId,
    brokers,
    clusterAuthorizedOperations,
  }
}

function writeDescribeClusterResponseBroker(
  writer: KafkaWriter,
  value: DescribeClusterResponseBroker,
  _version: number,
): void {
  writer.int32(value.brokerId)
  writer.compactString(value.host)
  writer.int32(value.port)
  writer.compactNullableString(value.rack ?? null)
  writer.noTags()
}

function writeDescribeClusterResponse_brokers(
  writer: KafkaWriter,
  array: readonly DescribeClusterResponseBroker[],
  version: number,
): void {
  writer.compactArrayLength(array.length)
  for (const element of array) {
    writeDescribeClusterResponseBroker(writer, element, version)
  }
}

function writeDescribeClusterResponse(writer: KafkaWriter, value: DescribeClusterResponse, version: number): void {
  writer.int32(value.throttleTimeMs ?? 0)
  writer.int16(value.errorCode)
  writer.compactNullableString(value.errorMessage ?? null)
  if (version >= 1) {
    writer.int8(value.endpointType ?? 1)
  }
  writer.compactString(value.clusterId)
  writer.int32(value.controllerId ?? -1)
  writeDescribeClusterResponse_brokers(writer, value.brokers, version)
  writer.int32(value.clusterAuthorizedOperations ?? -2147483648)
  writer.noTags()
}
