import { ByteReader } from '../byte-reader.js'
import { API_KEY } from './api-key.js'
import { FrameWriter, nameLength } from './frame-writer.js'

/** `[topicLen:2][topic][partition:4][offset:8]`: something at or behind the offset is waited for. */
export interface AwaitedPartition {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

/** `[maxWaitMs:4][count:4]`, then the partitions. */
export interface AwaitRequest {
  readonly maxWaitMs: number
  readonly partitions: readonly AwaitedPartition[]
}

/** `[errCode:1][count:4]`, then `[index:4]` each. */
export interface AwaitResponse {
  readonly errorCode: number
  /** Where in the request the partitions are that a FETCH has something to tell of, in ascending order. */
  readonly indices: readonly number[]
}

/** More than a broker has partitions. */
export const MAX_PARTITIONS = 1 << 16

const PARTITION_BYTES = 14
const INDEX_BYTES = 4

/** Reads a request frame (without its length prefix). */
export function decodeRequest(frame: Buffer): AwaitRequest {
  const reader = new ByteReader(frame, 1)
  const maxWaitMs = reader.int32('maxWaitMs')
  if (maxWaitMs < 0) reader.fail(`maxWaitMs is ${maxWaitMs}`)
  const count = reader.count('count', PARTITION_BYTES)
  if (count > MAX_PARTITIONS) reader.fail(`${count} partitions are more than ${MAX_PARTITIONS}`)
  const partitions: AwaitedPartition[] = []
  let last = ''
  for (let left = count; left > 0 && !reader.failed; left--) {
    const topic = reader.string('topic')
    // Partitions of one topic share its name.
    if (topic !== last) last = topic
    partitions.push({ topic: last, partition: reader.int32('partition'), offset: reader.int64('offset') })
  }
  reader.finish('INVALID_REQUEST', 'AWAIT request')
  return { maxWaitMs, partitions }
}

/** A whole request frame. */
export function encodeRequest(maxWaitMs: number, partitions: readonly AwaitedPartition[]): Buffer {
  let length = 8
  for (const { topic } of partitions) length += PARTITION_BYTES + nameLength(topic)
  const writer = new FrameWriter(API_KEY.AWAIT, length).int32(maxWaitMs).int32(partitions.length)
  for (const { topic, partition, offset } of partitions) {
    writer.name(topic, nameLength(topic)).int32(partition).int64(offset)
  }
  return writer.buffer
}

/** A whole response frame. */
export function encodeResponse(errorCode: number, indices: readonly number[]): Buffer {
  const writer = new FrameWriter(API_KEY.AWAIT, 5 + INDEX_BYTES * indices.length)
  writer.int8(errorCode).int32(indices.length)
  for (const index of indices) writer.int32(index)
  return writer.buffer
}

/** Reads a response frame (without its length prefix). */
export function decodeResponse(frame: Buffer): AwaitResponse {
  const reader = new ByteReader(frame, 1)
  const errorCode = reader.int8('errCode')
  const indices: number[] = []
  for (let left = reader.count('count', INDEX_BYTES); left > 0 && !reader.failed; left--) {
    indices.push(reader.int32('index'))
  }
  reader.finish('INVALID_RESPONSE', 'AWAIT response')
  return { errorCode, indices }
}
