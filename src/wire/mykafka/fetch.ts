import { ByteReader } from '../byte-reader.js'
import { API_KEY } from './api-key.js'
import { FrameWriter, nameLength } from './frame-writer.js'

/** `[topicLen:2][topic][partition:4][offset:8][maxBytes:4]` */
export interface FetchRequest {
  readonly topic: string
  readonly partition: number
  readonly offset: number
  readonly maxBytes: number
}

/** `[errCode:1][recordCount:4]`, then the records as stored. */
export interface FetchResponse {
  readonly errorCode: number
  readonly recordCount: number
  /** Entries as they lie in the log, a view of the frame. */
  readonly records: Buffer
}

/** Api key, errCode and recordCount of a response. */
export const RESPONSE_HEAD_BYTES = 6
/** What one response can hold: its length is a positive int32. */
export const MAX_RECORD_BYTES = 0x7fffffff - RESPONSE_HEAD_BYTES

/** Reads a request frame (without its length prefix). */
export function decodeRequest(frame: Buffer): FetchRequest {
  const reader = new ByteReader(frame, 1)
  const topic = reader.string('topic')
  const partition = reader.int32('partition')
  const offset = reader.int64('offset')
  const maxBytes = reader.int32('maxBytes')
  if (maxBytes < 0) reader.fail(`maxBytes is ${maxBytes}`)
  reader.finish('INVALID_REQUEST', 'FETCH request')
  return { topic, partition, offset, maxBytes: Math.min(maxBytes, MAX_RECORD_BYTES) }
}

/** A whole request frame. */
export function encodeRequest(topic: string, partition: number, offset: number, maxBytes: number): Buffer {
  const topicLength = nameLength(topic)
  const writer = new FrameWriter(API_KEY.FETCH, topicLength + 18)
  return writer.name(topic, topicLength).int32(partition).int64(offset).int32(maxBytes).buffer
}

/** A whole response frame but for its records, of `recordBytes` bytes, which follow. */
export function encodeResponseHead(errorCode: number, recordCount: number, recordBytes: number): Buffer {
  return new FrameWriter(API_KEY.FETCH, 5, recordBytes).int8(errorCode).int32(recordCount).buffer
}

/** Reads a response frame (without its length prefix). The records are not walked. */
export function decodeResponse(frame: Buffer): FetchResponse {
  const reader = new ByteReader(frame, 1)
  const errorCode = reader.int8('errCode')
  const recordCount = reader.int32('recordCount')
  if (recordCount < 0) reader.fail(`recordCount is ${recordCount}`)
  const records = reader.rest()
  reader.finish('INVALID_RESPONSE', 'FETCH response')
  return { errorCode, recordCount, records }
}
