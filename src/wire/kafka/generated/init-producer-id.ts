// Made by scripts/generate-kafka-codecs.ts from ../schema/init-producer-id.ts. Do not edit.
import type { KafkaApi } from '../kafka-api.js'
import type { KafkaReader } from '../kafka-reader.js'
import type { KafkaWriter } from '../kafka-writer.js'

export interface InitProducerIdRequest {
  readonly transactionalId: string | null
  readonly transactionTimeoutMs: number
  readonly producerId: number
  readonly producerEpoch: number
}

export interface InitProducerIdResponse {
  throttleTimeMs?: number | undefined
  errorCode: number
  producerId?: number | undefined
  producerEpoch: number
}

/** InitProducerId, versions 0 to 5. */
export const initProducerIdApi: KafkaApi<InitProducerIdRequest, InitProducerIdResponse> = {
  key: 22,
  name: 'InitProducerId',
  versions: [0, 5],
  flexibleFrom: 2,
  decodeRequest(reader, version) {
    const request = readInitProducerIdRequest(reader, version)
    reader.endMessage('request', 'InitProducerId', version)
    return request
  },
  encodeRequest: writeInitProducerIdRequest,
  decodeResponse(reader, version) {
    const response = readInitProducerIdResponse(reader, version)
    reader.endMessage('response', 'InitProducerId', version)
    return response
  },
  encodeResponse: writeInitProducerIdResponse,
}

function readInitProducerIdRequest(reader: KafkaReader, version: number): InitProducerIdRequest {
  const transactionalId =
    version >= 2 ? reader.compactNullableString('transactionalId') : reader.nullableString('transactionalId')
  const transactionTimeoutMs = reader.int32('transactionTimeoutMs')
  const producerId = version >= 3 ? reader.int64('producerId') : -1
  const producerEpoch = version >= 3 ? reader.int16('producerEpoch') : -1
  if (version >= 2) reader.skipTags()
  return { transactionalId, transactionTimeoutMs, producerId, producerEpoch }
}

function writeInitProducerIdRequest(writer: KafkaWriter, value: InitProducerIdRequest, version: number): void {
  if (version >= 2) {
    writer.compactNullableString(value.transactionalId)
  } else {
    writer.nullableString(value.transactionalId)
  }
  writer.int32(value.transactionTimeoutMs)
  if (version >= 3) {
    writer.int64(value.producerId)
  }
  if (version >= 3) {
    writer.int16(value.producerEpoch)
  }
  if (version >= 2) {
    writer.noTags()
  }
}

function readInitProducerIdResponse(reader: KafkaReader, version: number): InitProducerIdResponse {
  const throttleTimeMs = reader.int32('throttleTimeMs')
  const errorCode = reader.int16('errorCode')
  const producerId = reader.int64('producerId')
  const producerEpoch = reader.int16('producerEpoch')
  if (version >= 2) reader.skipTags()
  return { throttleTimeMs, errorCode, producerId, producerEpoch }
}

function writeInitProducerIdResponse(writer: KafkaWriter, value: InitProducerIdResponse, version: number): void {
  writer.int32(value.throttleTimeMs ?? 0)
  writer.int16(value.errorCode)
  writer.int64(value.producerId ?? -1)
  writer.int16(value.producerEpoch)
  if (version >= 2) {
    writer.noTags()
  }
}
