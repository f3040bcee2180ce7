/**
 * MyKafka's frames, written and read by the letter of docs/protocol.md with nothing of ours: what the tests hold the
 * broker against.
 */

const int = (write: (into: Buffer) => void, length: number): Buffer => {
  const bytes = Buffer.alloc(length)
  write(bytes)
  return bytes
}
const int8 = (value: number): Buffer => int((into) => into.writeInt8(value), 1)
const int16 = (value: number): Buffer => int((into) => into.writeInt16BE(value), 2)
const int32 = (value: number): Buffer => int((into) => into.writeInt32BE(value), 4)
const int64 = (value: number | bigint): Buffer => int((into) => into.writeBigInt64BE(BigInt(value)), 8)
const name = (text: string): Buffer => Buffer.concat([int16(Buffer.byteLength(text)), Buffer.from(text)])
const field = (bytes: Bytes | null): Buffer[] =>
  bytes === null ? [int32(-1)] : [int32(Buffer.byteLength(bytes)), Buffer.from(bytes)]

/** A string goes out as UTF-8. */
export type Bytes = Buffer | string

/** A record to be sent; without a key, the null key. */
export interface SentRecord {
  readonly key?: Bytes | null
  readonly value: Bytes | null
}

/** The numbers of the calls. */
export const CALL = {
  produce: 0,
  fetch: 1,
  createTopic: 2,
  commitOffset: 3,
  fetchOffset: 4,
  metadata: 5,
  describeStorage: 6,
  await: 7,
} as const

/** Some of Kafka's error codes. */
export const ERROR = {
  none: 0,
  offsetOutOfRange: 1,
  corruptMessage: 2,
  unknownTopicOrPartition: 3,
  messageTooLarge: 10,
  invalidTopic: 17,
  invalidGroupId: 24,
  invalidRequest: 42,
  storage: 56,
  invalidRecord: 87,
} as const

/** `[totalLength:4][apiKey:1]` and the payload. */
export function frame(apiKey: number, ...payload: readonly Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from([apiKey]), ...payload])
  return Buffer.concat([int32(body.length), body])
}

/** `[keyLen:4][key][valLen:4][value]` each. */
export function packed(records: readonly SentRecord[]): Buffer {
  return Buffer.concat(records.flatMap(({ key, value }) => [...field(key ?? null), ...field(value)]))
}

/** `count` is what the frame claims. */
export function produce(topic: string, partition: number, records: readonly SentRecord[], count?: number): Buffer {
  const claimed = count ?? records.length
  return frame(CALL.produce, name(topic), int32(partition), int32(claimed), packed(records))
}

export function fetch(topic: string, partition: number, offset: number | bigint, maxBytes = 1 << 20): Buffer {
  return frame(CALL.fetch, name(topic), int32(partition), int64(offset), int32(maxBytes))
}

export function createTopic(topic: string, partitions: number): Buffer {
  return frame(CALL.createTopic, name(topic), int32(partitions))
}

export function commitOffset(group: string, topic: string, partition: number, offset: number | bigint): Buffer {
  return frame(CALL.commitOffset, name(group), name(topic), int32(partition), int64(offset))
}

export function fetchOffset(group: string, topic: string, partition: number): Buffer {
  return frame(CALL.fetchOffset, name(group), name(topic), int32(partition))
}

/** '' asks for all topics. */
export function metadata(topic: string): Buffer {
  return frame(CALL.metadata, name(topic))
}

export function describeStorage(topic: string): Buffer {
  return frame(CALL.describeStorage, name(topic))
}

/** The partitions as `[topic, partition, offset]`; `count` is what the frame claims. */
export function awaitRecords(
  maxWaitMs: number,
  partitions: readonly (readonly [string, number, number | bigint])[],
  count = partitions.length,
): Buffer {
  const list = partitions.map(([topic, partition, offset]) =>
    Buffer.concat([name(topic), int32(partition), int64(offset)]),
  )
  return frame(CALL.await, int32(maxWaitMs), int32(count), ...list)
}

/** The whole response to an AWAIT. */
export function awaited(errorCode: number, indices: readonly number[] = []): Buffer {
  return frame(CALL.await, int8(errorCode), int32(indices.length), ...indices.map(int32))
}

/** The whole response to a PRODUCE. */
export function produced(errorCode: number, partition: number, baseOffset: number, count: number): Buffer {
  return frame(CALL.produce, int8(errorCode), int32(partition), int64(baseOffset), int32(count))
}

/** The whole response to a FETCH; `records` as they are stored. */
export function fetched(errorCode: number, count: number, records: Buffer = Buffer.alloc(0)): Buffer {
  return frame(CALL.fetch, int8(errorCode), int32(count), records)
}

/** The whole response to a CREATE_TOPIC. */
export function created(status: number): Buffer {
  return frame(CALL.createTopic, int8(status))
}

/** The whole response to a COMMIT_OFFSET. */
export function committed(errorCode: number): Buffer {
  return frame(CALL.commitOffset, int8(errorCode))
}

/** The whole response to a FETCH_OFFSET. */
export function offsetFetched(errorCode: number, offset: number): Buffer {
  return frame(CALL.fetchOffset, int8(errorCode), int64(offset))
}

/** The whole response to a METADATA; of each partition log start and high watermark. */
export function described(errorCode: number, topics: Readonly<Record<string, readonly [number, number][]>>): Buffer {
  const list = Object.entries(topics).flatMap(([topic, partitions]) => [
    name(topic),
    int32(partitions.length),
    ...partitions.flatMap(([start, end]) => [int64(start), int64(end)]),
  ])
  return frame(CALL.metadata, int8(errorCode), int32(Object.keys(topics).length), ...list)
}

/** What a response to a DESCRIBE_STORAGE (a whole frame) holds; the JSON as text. */
export function readStorageDescribed(response: Buffer): { errorCode: number; json: string } {
  const length = response.readInt32BE(6)
  if (response[4] !== CALL.describeStorage || response.length !== 10 + length) {
    throw new Error(`no response to a DESCRIBE_STORAGE: ${response}`)
  }
  return { errorCode: response.readInt8(5), json: response.toString('utf8', 10) }
}

/** What a response to a FETCH (a whole frame) holds. */
export function readFetched(response: Buffer): { errorCode: number; count: number; records: Buffer } {
  if (response[4] !== CALL.fetch) throw new Error(`a response to call ${response[4]}`)
  return { errorCode: response.readInt8(5), count: response.readInt32BE(6), records: response.subarray(10) }
}

/** What a response to a PRODUCE (a whole frame) holds. */
export function readProduced(response: Buffer): {
  errorCode: number
  partition: number
  baseOffset: number
  count: number
} {
  if (response[4] !== CALL.produce || response.length !== 22) throw new Error(`no response to a PRODUCE: ${response}`)
  return {
    errorCode: response.readInt8(5),
    partition: response.readInt32BE(6),
    baseOffset: Number(response.readBigInt64BE(10)),
    count: response.readInt32BE(18),
  }
}
