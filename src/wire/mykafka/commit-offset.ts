import { ByteReader } from '../byte-reader.js'
import { API_KEY } from './api-key.js'
import { FrameWriter, nameLength } from './frame-writer.js'

/** `[groupLen:2][group][topicLen:2][topic][partition:4][offset:8]` */
export interface CommitOffsetRequest {
  readonly group: string
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

/** Reads a request frame (without its length prefix). */
export function decodeRequest(frame: Buffer): CommitOffsetRequest {
  const reader = new ByteReader(frame, 1)
  const group = reader.string('group')
  const topic = reader.string('topic')
  const partition = reader.int32('partition')
  const offset = reader.int64('offset')
  reader.finish('INVALID_REQUEST', 'COMMIT_OFFSET request')
  return { group, topic, partition, offset }
}

/** A whole request frame. */
export function encodeRequest(group: string, topic: string, partition: number, offset: number): Buffer {
  const groupLength = nameLength(group)
  const topicLength = nameLength(topic)
  const writer = new FrameWriter(API_KEY.COMMIT_OFFSET, groupLength + topicLength + 16)
  return writer.name(group, groupLength).name(topic, topicLength).int32(partition).int64(offset).buffer
}

/** A whole response frame, `[errCode:1]`. */
export function encodeResponse(errorCode: number): Buffer {
  return new FrameWriter(API_KEY.COMMIT_OFFSET, 1).int8(errorCode).buffer
}

/** Reads a response frame (without its length prefix): the error code. */
export function decodeResponse(frame: Buffer): number {
  const reader = new ByteReader(frame, 1)
  const errorCode = reader.int8('errCode')
  reader.finish('INVALID_RESPONSE', 'COMMIT_OFFSET response')
  return errorCode
}
