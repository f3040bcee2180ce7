import { MyKafkaError } from '../../errors.js'
import type { LogStorage } from '../../log/log-storage.js'
import { ByteReader } from '../byte-reader.js'
import { API_KEY } from './api-key.js'
import { FrameWriter, nameLength } from './frame-writer.js'

/** Of one partition. */
export type PartitionStorage =
  | ({ readonly partition: number; readonly offline: false } & LogStorage)
  | { readonly partition: number; readonly offline: true }

/** What a topic has on the broker's disk. Later versions may tell more. */
export interface TopicStorage {
  readonly topic: string
  /** What retention takes for the time, in milliseconds since 1970. */
  readonly now: number
  /** Whether the broker's clock was set forward, and is not believed yet: `now` goes on as before. */
  readonly clockHeld: boolean
  readonly partitions: readonly PartitionStorage[]
}

/** `[errCode:1][jsonLen:4][json]` */
export interface DescribeStorageResponse {
  readonly errorCode: number
  /** Null where an error is told. */
  readonly storage: TopicStorage | null
}

/** Reads a request frame (without its length prefix), `[topicLen:2][topic]`: the topic. */
export function decodeRequest(frame: Buffer): string {
  const reader = new ByteReader(frame, 1)
  const topic = reader.string('topic')
  reader.finish('INVALID_REQUEST', 'DESCRIBE_STORAGE request')
  return topic
}

/** A whole request frame. */
export function encodeRequest(topic: string): Buffer {
  const topicLength = nameLength(topic)
  return new FrameWriter(API_KEY.DESCRIBE_STORAGE, topicLength + 2).name(topic, topicLength).buffer
}

/** A whole response frame. */
export function encodeResponse(errorCode: number, storage: TopicStorage | null): Buffer {
  const json = storage === null ? Buffer.alloc(0) : Buffer.from(JSON.stringify(storage))
  const writer = new FrameWriter(API_KEY.DESCRIBE_STORAGE, 5 + json.length)
  return writer.int8(errorCode).int32(json.length).bytes(json).buffer
}

/** Reads a response frame (without its length prefix). */
export function decodeResponse(frame: Buffer): DescribeStorageResponse {
  const reader = new ByteReader(frame, 1)
  const errorCode = reader.int8('errCode')
  const length = reader.int32('jsonLen')
  const json = reader.rest()
  if (json.length !== length) reader.fail(`jsonLen is ${length}, and ${json.length} bytes follow`)
  reader.finish('INVALID_RESPONSE', 'DESCRIBE_STORAGE response')
  return { errorCode, storage: length === 0 ? null : parse(json) }
}

function parse(json: Buffer): TopicStorage {
  const text = json.toString()
  try {
    const value = JSON.parse(text) as TopicStorage
    if (Array.isArray(value.partitions)) return value
  } catch {}
  throw new MyKafkaError('INVALID_RESPONSE', 'DESCRIBE_STORAGE response: the JSON does not describe a topic')
}
