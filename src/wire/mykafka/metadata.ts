import { ByteReader } from '../byte-reader.js'
import { API_KEY } from './api-key.js'
import { FrameWriter, nameLength } from './frame-writer.js'

/** `[logStartOffset:8][highWatermark:8]` of one partition. */
export interface PartitionMetadata {
  readonly logStartOffset: number
  readonly highWatermark: number
}

/** `[topicLen:2][topic][partitionCount:4]`, then its partitions from 0 on. */
export interface TopicMetadata {
  readonly topic: string
  /** By partition. */
  readonly partitions: readonly PartitionMetadata[]
}

/** `[errCode:1][topicCount:4]`, then the topics. */
export interface MetadataResponse {
  readonly errorCode: number
  readonly topics: readonly TopicMetadata[]
}

const TOPIC_BYTES = 6
const PARTITION_BYTES = 16

/** Reads a request frame (without its length prefix), `[topicLen:2][topic]`: the topic, null for all. */
export function decodeRequest(frame: Buffer): string | null {
  const reader = new ByteReader(frame, 1)
  const topic = reader.string('topic')
  reader.finish('INVALID_REQUEST', 'METADATA request')
  return topic === '' ? null : topic
}

/** A whole request frame; null asks for all topics. */
export function encodeRequest(topic: string | null): Buffer {
  const topicLength = nameLength(topic ?? '')
  return new FrameWriter(API_KEY.METADATA, topicLength + 2).name(topic ?? '', topicLength).buffer
}

/** A whole response frame. */
export function encodeResponse(errorCode: number, topics: readonly TopicMetadata[]): Buffer {
  let length = 5
  for (const { topic, partitions } of topics) {
    length += TOPIC_BYTES + nameLength(topic) + PARTITION_BYTES * partitions.length
  }
  const writer = new FrameWriter(API_KEY.METADATA, length).int8(errorCode).int32(topics.length)
  for (const { topic, partitions } of topics) {
    writer.name(topic, nameLength(topic)).int32(partitions.length)
    for (const { logStartOffset, highWatermark } of partitions) writer.int64(logStartOffset).int64(highWatermark)
  }
  return writer.buffer
}

/** Reads a response frame (without its length prefix). */
export function decodeResponse(frame: Buffer): MetadataResponse {
  const reader = new ByteReader(frame, 1)
  const errorCode = reader.int8('errCode')
  const topics: TopicMetadata[] = []
  for (let left = reader.count('topicCount', TOPIC_BYTES); left > 0 && !reader.failed; left--) {
    const topic = reader.string('topic')
    const partitions: PartitionMetadata[] = []
    for (let more = reader.count('partitionCount', PARTITION_BYTES); more > 0 && !reader.failed; more--) {
      partitions.push({
        logStartOffset: reader.int64('logStartOffset'),
        highWatermark: reader.int64('highWatermark'),
      })
    }
    topics.push({ topic, partitions })
  }
  reader.finish('INVALID_RESPONSE', 'METADATA response')
  return { errorCode, topics }
}
