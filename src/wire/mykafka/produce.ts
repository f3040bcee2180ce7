import { MyKafkaError } from '../../errors.js'
import { ByteReader } from '../byte-reader.js'
import { API_KEY } from './api-key.js'
import { FrameWriter, LENGTH_PREFIX, nameLength } from './frame-writer.js'

/** `[topicLen:2][topic][partition:4][recordCount:4]`, then the packed records. */
export interface ProduceRequest {
  readonly topic: string
  /** -1: the broker chooses. */
  readonly partition: number
  readonly recordCount: number
  /** Packed records, a view of the frame. They are not walked here: native code does that. */
  readonly records: Buffer
}

/** `[errCode:1][partition:4][baseOffset:8][count:4]` */
export interface ProduceResponse {
  readonly errorCode: number
  readonly partition: number
  /** -1 where an error is told. */
  readonly baseOffset: number
  readonly count: number
}

/** Lets the broker choose the partition. */
export const ANY_PARTITION = -1

/** Of a request: the topic's length, the partition, the record count. */
const HEAD_BYTES = 10

/** Reads a request frame (without its length prefix). */
export function decodeRequest(frame: Buffer): ProduceRequest {
  const reader = new ByteReader(frame, 1)
  const topic = reader.string('topic')
  const partition = reader.int32('partition')
  const recordCount = reader.int32('recordCount')
  const records = reader.rest()
  reader.finish('INVALID_REQUEST', 'PRODUCE request')
  if (recordCount < 1) throw new MyKafkaError('INVALID_RECORD', `PRODUCE request: recordCount is ${recordCount}`)
  return { topic, partition, recordCount, records }
}

/** Length of a request frame (without its length prefix) that holds `recordBytes` of packed records. */
export function requestLength(topic: string, recordBytes: number): number {
  return 1 + HEAD_BYTES + nameLength(topic) + recordBytes
}

/** A request frame but for its packed records: `buffer` has room for `recordBytes` of them at `position`. */
export function startRequest(topic: string, partition: number, recordCount: number, recordBytes: number): FrameWriter {
  const topicLength = nameLength(topic)
  const writer = new FrameWriter(API_KEY.PRODUCE, HEAD_BYTES + topicLength + recordBytes)
  return writer.name(topic, topicLength).int32(partition).int32(recordCount)
}

/** Bytes of a request frame in front of its packed records. */
export function requestHeadBytes(topic: string): number {
  return LENGTH_PREFIX + 1 + HEAD_BYTES + nameLength(topic)
}

/** Writes all of a request frame that is in front of its packed records, which are there already. */
export function writeRequestHead(frame: Buffer, topic: string, partition: number, recordCount: number): void {
  const topicBytes = nameLength(topic)
  let at = frame.writeInt32BE(frame.length - LENGTH_PREFIX, 0)
  at = frame.writeInt8(API_KEY.PRODUCE, at)
  at = frame.writeInt16BE(topicBytes, at)
  at += frame.write(topic, at, topicBytes, 'utf8')
  at = frame.writeInt32BE(partition, at)
  frame.writeInt32BE(recordCount, at)
}

/** A whole request frame. The packed records are copied into it. */
export function encodeRequest(topic: string, partition: number, recordCount: number, records: Uint8Array): Buffer {
  return startRequest(topic, partition, recordCount, records.length).bytes(records).buffer
}

/** A whole response frame. */
export function encodeResponse(errorCode: number, partition: number, baseOffset: number, count: number): Buffer {
  return new FrameWriter(API_KEY.PRODUCE, 17).int8(errorCode).int32(partition).int64(baseOffset).int32(count).buffer
}

/** Reads a response frame (without its length prefix). */
export function decodeResponse(frame: Buffer): ProduceResponse {
  const reader = new ByteReader(frame, 1)
  const errorCode = reader.int8('errCode')
  const partition = reader.int32('partition')
  const baseOffset = reader.int64('baseOffset')
  const count = reader.int32('count')
  reader.finish('INVALID_RESPONSE', 'PRODUCE response')
  return { errorCode, partition, baseOffset, count }
}

/**
 * The first record's key, by which the broker's partitioner chooses; null for a null key.
 *
 * @param records - packed records
 */
export function peekFirstKey(records: Buffer): Buffer | null {
  const keyLength = records.length < 4 ? Number.NaN : records.readInt32BE(0)
  if (keyLength === -1) return null
  if (keyLength >= 0 && keyLength <= records.length - 4) return records.subarray(4, 4 + keyLength)
  throw new MyKafkaError('INVALID_RECORD', `PRODUCE request: the first record's key does not lie within the frame`)
}
