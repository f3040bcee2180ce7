import { ByteReader } from '../byte-reader.js'
import { API_KEY } from './api-key.js'
import { FrameWriter, nameLength } from './frame-writer.js'

/** `[topicLen:2][topic][partitionCount:4]` */
export interface CreateTopicRequest {
  readonly topic: string
  readonly partitionCount: number
}

/** `[status:1]`. The one response that bears no Kafka error code. */
export const CREATE_TOPIC_STATUS = { OK: 0, ALREADY_EXISTS: 1, INVALID: 2 } as const

/** Reads a request frame (without its length prefix). */
export function decodeRequest(frame: Buffer): CreateTopicRequest {
  const reader = new ByteReader(frame, 1)
  const topic = reader.string('topic')
  const partitionCount = reader.int32('partitionCount')
  reader.finish('INVALID_REQUEST', 'CREATE_TOPIC request')
  return { topic, partitionCount }
}

/** A whole request frame. */
export function encodeRequest(topic: string, partitionCount: number): Buffer {
  const topicLength = nameLength(topic)
  return new FrameWriter(API_KEY.CREATE_TOPIC, topicLength + 6).name(topic, topicLength).int32(partitionCount).buffer
}

/** A whole response frame. */
export function encodeResponse(status: number): Buffer {
  return new FrameWriter(API_KEY.CREATE_TOPIC, 1).int8(status).buffer
}

/** Reads a response frame (without its length prefix): the status. */
export function decodeResponse(frame: Buffer): number {
  const reader = new ByteReader(frame, 1)
  const status = reader.int8('status')
  reader.finish('INVALID_RESPONSE', 'CREATE_TOPIC response')
  return status
}
