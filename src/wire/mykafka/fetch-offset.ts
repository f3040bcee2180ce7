import { ByteReader } from '../byte-reader.js'
import { API_KEY } from './api-key.js'
import { FrameWriter, nameLength } from './frame-writer.js'

/** `[groupLen:2][group][topicLen:2][topic][partition:4]` */
export interface FetchOffsetRequest {
  readonly group: string
  readonly topic: string
  readonly partition: number
}

/** `[errCode:1][offset:8]` */
export interface FetchOffsetResponse {
  readonly errorCode: number
  /** {@link NO_OFFSET} where none is committed. */
  readonly offset: number
}

/** Says that the group committed nothing there. */
export const NO_OFFSET = -1

/** Reads a request frame (without its length prefix). */
export function decodeRequest(frame: Buffer): FetchOffsetRequest {
  const reader = new ByteReader(frame, 1)
  const group = reader.string('group')
  const topic = reader.string('topic')
  const partition = reader.int32('partition')
  reader.finish('INVALID_REQUEST', 'FETCH_OFFSET request')
  return { group, topic, partition }
}

/** A whole request frame. */
export function encodeRequest(group: string, topic: string, partition: number): Buffer {
  const groupLength = nameLength(group)
  const topicLength = nameLength(topic)
  const writer = new FrameWriter(API_KEY.FETCH_OFFSET, groupLength + topicLength + 8)
  return writer.name(group, groupLength).name(topic, topicLength).int32(partition).buffer
}

/** A whole response frame. */
export function encodeResponse(errorCode: number, offset: number): Buffer {
  return new FrameWriter(API_KEY.FETCH_OFFSET, 9).int8(errorCode).int64(offset).buffer
}

/** Reads a response frame (without its length prefix). */
export function decodeResponse(frame: Buffer): FetchOffsetResponse {
  const reader = new ByteReader(frame, 1)
  const errorCode = reader.int8('errCode')
  const offset = reader.int64('offset')
  reader.finish('INVALID_RESPONSE', 'FETCH_OFFSET response')
  return { errorCode, offset }
}
