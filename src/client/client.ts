import { errorFromWire, MyKafkaError } from '../errors.js'
import { decodeStored, type LogRecord, packedLength, type RecordInput, writePacked } from '../log/record-codec.js'
import { checkTopicName } from '../topic/topic-name.js'
import { DEFAULT_MAX_FRAME_BYTES } from '../wire/frame-decoder.js'
import { API_KEY, type ApiKey, apiName } from '../wire/mykafka/api-key.js'
import * as awaitCall from '../wire/mykafka/await.js'
import * as commitOffsetCall from '../wire/mykafka/commit-offset.js'
import * as createTopicCall from '../wire/mykafka/create-topic.js'
import * as describeStorageCall from '../wire/mykafka/describe-storage.js'
import * as fetchCall from '../wire/mykafka/fetch.js'
import * as fetchOffsetCall from '../wire/mykafka/fetch-offset.js'
import * as metadataCall from '../wire/mykafka/metadata.js'
import * as produceCall from '../wire/mykafka/produce.js'
import type { Channel, LinkEvents } from './channel.js'
import { ClientConnection } from './connection.js'
import { askKafka, type KafkaConnection } from './kafka-connection.js'
import { offsetsForTime } from './offsets-for-time.js'
import { openSocket } from './open-socket.js'
import { type ClientOptions, checkInteger, MAX_INT32, resolveOptions } from './options.js'
import { handled } from './retrying.js'
import { MAX_RESPONSE_BYTES, SocketLink } from './socket-link.js'
import type { CallOptions } from './transport.js'

const RESPONSE_HEAD_BYTES = 6
/** A response bears the call of its request. */
export const MYKAFKA_RESPONSES = { keyOf: (frame: Buffer) => frame[0] as number, nameOf: apiName }

/** How to ask for records. */
export interface FetchOptions extends CallOptions {
  /** Default 1 MiB. */
  readonly maxBytes?: number | undefined
}

/** Where the records of one {@link Client.produce} went: record i has the offset `baseOffset + i`. */
export interface ProduceResult {
  readonly partition: number
  readonly baseOffset: number
  readonly count: number
}

/** What a client has to know beside its channel. */
export interface ChannelOptions {
  readonly checkCrcs: boolean
  /** For what MyKafka's calls cannot say. */
  readonly askKafka: <T>(ask: (connection: KafkaConnection) => Promise<T>) => Promise<T>
}

/** Records as they lie in the log. */
export interface RawRecords {
  readonly recordCount: number
  readonly records: Buffer
}

/**
 * A client of MyKafka's own wire, over one connection. Calls may be made without waiting for the ones before: they
 * are sent as they come and answered in order. It does not reconnect. Every failure is a {@link MyKafkaError}; one of
 * a call that nobody awaits is not reported as an unhandled rejection.
 */
export class Client {
  readonly #connection: Channel
  readonly #over: ChannelOptions

  private constructor(connection: Channel, over: ChannelOptions) {
    this.#connection = connection
    this.#over = over
  }

  /** Connects to a broker. */
  static async connect(options: ClientOptions = {}): Promise<Client> {
    const resolved = resolveOptions(options)
    const socket = await openSocket(resolved)
    const link = (events: LinkEvents): SocketLink => new SocketLink(socket, events)
    const connection = new ClientConnection(link, resolved.requestTimeoutMs, MYKAFKA_RESPONSES)
    const { checkCrcs } = resolved
    return new Client(connection, { checkCrcs, askKafka: (ask) => askKafka(resolved, ask) })
  }

  /** A client over any channel: {@link connect} makes it so. */
  static over(connection: Channel, options: ChannelOptions): Client {
    return new Client(connection, options)
  }

  /** Whether the connection is gone: closed here, by the broker or by a fault. */
  get closed(): boolean {
    return this.#connection.closed
  }

  /**
   * Appends records to one partition, all or none. Partition -1, the default: the broker chooses by the first
   * record's key.
   */
  produce(
    topic: string,
    records: readonly RecordInput[],
    options?: CallOptions & { readonly partition?: number | undefined },
  ): Promise<ProduceResult> {
    const encode = (): Buffer => {
      const partition = checkInteger('partition', options?.partition ?? produceCall.ANY_PARTITION, -1, MAX_INT32)
      if (records.length === 0) throw new MyKafkaError('INVALID_ARGUMENT', 'produce needs one record at least')
      const recordBytes = packedLength(records)
      const length = produceCall.requestLength(topic, recordBytes)
      if (length > DEFAULT_MAX_FRAME_BYTES) {
        throw new MyKafkaError('MESSAGE_TOO_LARGE', `PRODUCE would be ${length} bytes, ${DEFAULT_MAX_FRAME_BYTES} fit`)
      }
      const writer = produceCall.startRequest(topic, partition, records.length, recordBytes)
      writePacked(records, writer.buffer, writer.position)
      return writer.buffer
    }
    return this.#call(API_KEY.PRODUCE, encode, (answer) => produced(topic, answer), options)
  }

  /** @internal A PRODUCE of records for one partition, whose frame is made already. */
  produceFrame(topic: string, frame: Buffer): Promise<ProduceResult> {
    return this.#call(
      API_KEY.PRODUCE,
      () => frame,
      (answer) => produced(topic, answer),
      undefined,
    )
  }

  /**
   * Reads records from an offset on: as many as fit `maxBytes` (default 1 MiB), one at least where one exists, none
   * at the log end. Keys and values are views of one buffer.
   */
  fetch(topic: string, partition: number, offset: number, options?: FetchOptions): Promise<LogRecord[]> {
    return this.#fetch(topic, partition, offset, options, ({ recordCount, records }) => {
      const decoded = decodeStored(records, { checkCrcs: this.#over.checkCrcs })
      if (decoded.length === recordCount) return decoded
      throw new MyKafkaError('CORRUPT_MESSAGE', `FETCH says ${recordCount} records, ${decoded.length} came`)
    })
  }

  /** The same as stored bytes, unread. */
  fetchRaw(topic: string, partition: number, offset: number, options?: FetchOptions): Promise<RawRecords> {
    return this.#fetch(topic, partition, offset, options, ({ recordCount, records }) => ({
      recordCount,
      records,
    }))
  }

  /**
   * Waits until there is something to fetch in one partition at least, a record at or behind its offset or an error; tells
   * which, by their places in the list. None when the time is over, or when this is called again: a further call over the
   * connection ends the one that waits, and other calls wait for it. So it has a connection of its own.
   */
  awaitRecords(
    partitions: readonly awaitCall.AwaitedPartition[],
    options: CallOptions & { readonly maxWaitMs: number },
  ): Promise<readonly number[]> {
    const encode = (): Buffer => {
      checkInteger('maxWaitMs', options.maxWaitMs, 0, MAX_INT32)
      for (const { partition, offset } of partitions) checkPosition(partition, offset)
      return awaitCall.encodeRequest(options.maxWaitMs, partitions)
    }
    const decode = (frame: Buffer): readonly number[] => {
      const { errorCode, indices } = awaitCall.decodeResponse(frame)
      if (errorCode !== 0) throw errorFromWire(errorCode, `AWAIT of ${partitions.length} partitions`)
      return indices
    }
    return this.#call(API_KEY.AWAIT, encode, decode, options)
  }

  /** Creates a topic. One that exists is left as it is. */
  createTopic(topic: string, partitions: number, options?: CallOptions): Promise<'created' | 'exists'> {
    const encode = (): Buffer => {
      checkInteger('partitions', partitions, -MAX_INT32 - 1, MAX_INT32)
      return createTopicCall.encodeRequest(topic, partitions)
    }
    const decode = (frame: Buffer): 'created' | 'exists' => {
      const status = createTopicCall.decodeResponse(frame)
      if (status === createTopicCall.CREATE_TOPIC_STATUS.OK) return 'created'
      if (status === createTopicCall.CREATE_TOPIC_STATUS.ALREADY_EXISTS) return 'exists'
      throw whyInvalid(status, topic, partitions)
    }
    return this.#call(API_KEY.CREATE_TOPIC, encode, decode, options)
  }

  /** Stores where a group goes on reading: the offset of the next record it wants. */
  commitOffset(group: string, topic: string, partition: number, offset: number, options?: CallOptions): Promise<void> {
    const encode = (): Buffer => {
      checkPosition(partition, offset)
      return commitOffsetCall.encodeRequest(group, topic, partition, offset)
    }
    const decode = (frame: Buffer): void => {
      const errorCode = commitOffsetCall.decodeResponse(frame)
      if (errorCode !== 0) throw errorFromWire(errorCode, `COMMIT_OFFSET of ${group} in ${topic}-${partition}`)
    }
    return this.#call(API_KEY.COMMIT_OFFSET, encode, decode, options)
  }

  /** What a group committed last; null where it committed nothing. */
  fetchOffset(group: string, topic: string, partition: number, options?: CallOptions): Promise<number | null> {
    const encode = (): Buffer => {
      checkPosition(partition, 0)
      return fetchOffsetCall.encodeRequest(group, topic, partition)
    }
    const decode = (frame: Buffer): number | null => {
      const { errorCode, offset } = fetchOffsetCall.decodeResponse(frame)
      if (errorCode !== 0) throw errorFromWire(errorCode, `FETCH_OFFSET of ${group} in ${topic}-${partition}`)
      return offset === fetchOffsetCall.NO_OFFSET ? null : offset
    }
    return this.#call(API_KEY.FETCH_OFFSET, encode, decode, options)
  }

  /** Describes a topic, or all topics: their partitions by number, with log start and high watermark. */
  metadata(topic?: string, options?: CallOptions): Promise<readonly metadataCall.TopicMetadata[]> {
    const encode = (): Buffer => {
      if (topic !== undefined) checkTopicName(topic)
      return metadataCall.encodeRequest(topic ?? null)
    }
    const decode = (frame: Buffer): readonly metadataCall.TopicMetadata[] => {
      const { errorCode, topics } = metadataCall.decodeResponse(frame)
      if (errorCode !== 0) throw errorFromWire(errorCode, `METADATA of ${topic ?? 'all topics'}`)
      return topics
    }
    return this.#call(API_KEY.METADATA, encode, decode, options)
  }

  /** Describes what a topic has on the broker's disk: its segments, and what keeps each of them. */
  describeStorage(topic: string, options?: CallOptions): Promise<describeStorageCall.TopicStorage> {
    const encode = (): Buffer => {
      checkTopicName(topic)
      return describeStorageCall.encodeRequest(topic)
    }
    const decode = (frame: Buffer): describeStorageCall.TopicStorage => {
      const { errorCode, storage } = describeStorageCall.decodeResponse(frame)
      if (errorCode !== 0) throw errorFromWire(errorCode, `DESCRIBE_STORAGE of ${topic}`)
      if (storage === null) throw new MyKafkaError('INVALID_RESPONSE', `DESCRIBE_STORAGE of ${topic} is empty`)
      return storage
    }
    return this.#call(API_KEY.DESCRIBE_STORAGE, encode, decode, options)
  }

  /**
   * Where the first record of each partition is whose timestamp, in ms since 1970, is not below the one given; null where
   * there is none. MyKafka's calls cannot say this: it is asked over Kafka's wire, on another connection.
   */
  offsetsForTime(
    topic: string,
    partitions: readonly number[],
    timestamp: number,
    options?: CallOptions,
  ): Promise<ReadonlyMap<number, number | null>> {
    const ask = async (): Promise<ReadonlyMap<number, number | null>> => {
      checkTopicName(topic)
      for (const partition of partitions) checkPosition(partition, 0)
      checkInteger('timestamp', timestamp, 0, Number.MAX_SAFE_INTEGER)
      return await this.#over.askKafka((kafka) => offsetsForTime(kafka, topic, partitions, timestamp, options))
    }
    return handled(ask())
  }

  /** Closes the connection. Calls still unanswered are rejected with the reason, CONNECTION_CLOSED by default. */
  close(reason?: MyKafkaError): Promise<void> {
    return this.#connection.close(reason)
  }

  #fetch<T>(
    topic: string,
    partition: number,
    offset: number,
    options: FetchOptions | undefined,
    decode: (response: fetchCall.FetchResponse) => T,
  ): Promise<T> {
    const encode = (): Buffer => {
      checkPosition(partition, offset)
      const limit = checkInteger('maxBytes', options?.maxBytes ?? 1 << 20, 0, MAX_INT32)
      return fetchCall.encodeRequest(
        topic,
        partition,
        offset,
        Math.min(limit, MAX_RESPONSE_BYTES - RESPONSE_HEAD_BYTES),
      )
    }
    const read = (frame: Buffer): T => {
      const response = fetchCall.decodeResponse(frame)
      if (response.errorCode === 0) return decode(response)
      throw errorFromWire(response.errorCode, `FETCH of ${topic}-${partition} at ${offset}`)
    }
    return this.#call(API_KEY.FETCH, encode, read, options)
  }

  #call<T>(
    apiKey: ApiKey,
    encode: () => Buffer,
    decode: (frame: Buffer) => T,
    options: CallOptions | undefined,
  ): Promise<T> {
    let answer: Promise<T>
    try {
      answer = this.#connection.request({ key: apiKey, name: apiName(apiKey) }, encode(), decode, options?.signal)
    } catch (error) {
      answer = Promise.reject(error)
    }
    return handled(answer)
  }
}

function produced(topic: string, frame: Buffer): ProduceResult {
  const { errorCode, partition, baseOffset, count } = produceCall.decodeResponse(frame)
  if (errorCode !== 0) throw errorFromWire(errorCode, `PRODUCE to ${topic}`)
  return { partition, baseOffset, count }
}

function checkPosition(partition: number, offset: number): void {
  checkInteger('partition', partition, 0, MAX_INT32)
  checkInteger('offset', offset, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
}

/** The status says only that the request is invalid: what can be known of the reason is found here. */
function whyInvalid(status: number, topic: string, partitions: number): MyKafkaError {
  if (status !== createTopicCall.CREATE_TOPIC_STATUS.INVALID) return errorFromWire(status, `CREATE_TOPIC ${topic}`)
  try {
    checkTopicName(topic)
  } catch (error) {
    return error as MyKafkaError
  }
  if (partitions < 1) return new MyKafkaError('INVALID_PARTITIONS', `a topic cannot have ${partitions} partitions`)
  return new MyKafkaError('INVALID_REQUEST', `the broker refuses a topic ${topic} of ${partitions} partitions`)
}
