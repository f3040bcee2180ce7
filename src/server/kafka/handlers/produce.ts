import { KAFKA_ERRORS, MyKafkaError } from '../../../errors.js'
import type { Acks } from '../../../log/partition-log.js'
import { printable } from '../../../printable.js'
import {
  type ProduceRequest,
  type ProduceRequestPartition,
  type ProduceResponse,
  type ProduceResponsePartition,
  produceApi,
} from '../../../wire/kafka/generated/produce.js'
import { acceptBatch } from '../accepted-batch.js'
import { appendBatch } from '../append-batch.js'
import { inTurns } from '../in-turns.js'
import { shortened } from '../item-error.js'
import type { KafkaCall, KafkaHandler } from '../kafka-handler.js'
import { ConnectionUnusable } from '../served-api.js'

const NOTHING_WRITTEN = -1

/**
 * Produce 3–11: one batch a partition, stored as it comes where the topic keeps Kafka's batches. A partition's error
 * is its own; what the others wrote is written. Advertised from 0 on, since old clients take a higher minimum for a
 * broker that cannot compress.
 */
export const produce: KafkaHandler<ProduceRequest, ProduceResponse> = {
  api: produceApi,
  versions: [3, 11],
  advertisedMin: 0,
  handle(request, call) {
    const acks = readAcks(request.acks)
    const named = request.topicData.flatMap(({ name, partitionData }) => partitionData.map((data) => ({ name, data })))
    const begin = () => inTurns(named, ({ name, data }) => ({ written: write(name, data, acks, call) }))
    const writes = inOrder(call, begin)
    const finish = (begun: Begun[]) =>
      Promise.all(begun.map(({ written }) => written)).then((written) => respond(request, written))
    return writes instanceof Promise ? writes.then(finish) : finish(writes)
  },
  failed({ topicData, acks }, errorCode) {
    if (acks === 0) throw new ConnectionUnusable('INVALID_REQUEST', 'a Produce with acks=0 failed')
    return {
      responses: topicData.map(({ name, partitionData }) => ({
        name,
        partitionResponses: partitionData.map(({ index }) => failure(index, errorCode, null)),
      })),
    }
  },
}

/** A write that has begun. In an object: whoever waits for its beginning does not wait for its end. */
interface Begun {
  readonly written: Promise<ProduceResponsePartition>
}

/** Of each connection, the request that lets the event loop turn before all its writes have begun. */
const beginning = new WeakMap<AbortSignal, Promise<unknown>>()

/** Begins the writes of a connection's requests in the order of the requests. */
function inOrder({ signal }: KafkaCall, begin: () => Begun[] | Promise<Begun[]>): Begun[] | Promise<Begun[]> {
  const before = beginning.get(signal)
  const begun = before === undefined ? begin() : before.then(begin)
  if (!(begun instanceof Promise)) return begun
  const done = begun.finally(() => {
    if (beginning.get(signal) === done) beginning.delete(signal)
  })
  beginning.set(signal, done)
  return done
}

function readAcks(acks: number): Acks {
  if (acks === -1) return 'all'
  if (acks === 0 || acks === 1) return 1
  throw new MyKafkaError('INVALID_REQUIRED_ACKS', `acks is ${acks}, not -1, 0 or 1`)
}

/** @param written - in the order of the request's partitions */
function respond({ acks, topicData }: ProduceRequest, written: ProduceResponsePartition[]): ProduceResponse | null {
  if (acks === 0) {
    const failed = written.find(({ errorCode }) => errorCode !== 0)
    if (failed === undefined) return null
    // The only way to tell, and Kafka's: the client learns the partitions anew when it connects.
    throw new ConnectionUnusable('INVALID_REQUEST', `a Produce with acks=0 failed: ${failed.errorMessage}`)
  }
  let first = 0
  const responses = topicData.map(({ name, partitionData }) => {
    const partitionResponses = written.slice(first, first + partitionData.length)
    first += partitionData.length
    return { name, partitionResponses }
  })
  return { responses }
}

/** Never rejects: what goes wrong is told in the response. */
function write(
  topicName: string,
  { index, records }: ProduceRequestPartition,
  acks: Acks,
  { context, version }: KafkaCall,
): Promise<ProduceResponsePartition> {
  const failed = (error: unknown): ProduceResponsePartition =>
    failure(index, context.failures.report('Produce', error), shortened((error as Error).message))
  if (!context.logs.hasPartition(topicName, index)) {
    const { wire } = KAFKA_ERRORS.UNKNOWN_TOPIC_OR_PARTITION
    const missing =
      context.logs.topic(topicName) === undefined ? `topic ${topicName}` : `partition ${topicName}/${index}`
    return Promise.resolve(failure(index, wire, shortened(printable(`there is no ${missing}`))))
  }
  try {
    const topic = context.logs.writableTopic(topicName)
    const log = context.logs.partition(topicName, index)
    const accepted = acceptBatch(records, topic, version)
    return appendBatch(topic, log, accepted, acks, context.config.maxFrameBytes).then(
      ({ baseOffset }) => ({
        index,
        errorCode: 0,
        baseOffset,
        logAppendTimeMs: accepted.batch.timestamp,
        logStartOffset: log.logStartOffset,
        recordErrors: [],
      }),
      failed,
    )
  } catch (error) {
    return Promise.resolve(failed(error))
  }
}

function failure(index: number, errorCode: number, errorMessage: string | null): ProduceResponsePartition {
  // What went wrong here and not in the request is in the broker's log.
  const ours =
    errorCode === KAFKA_ERRORS.UNKNOWN_SERVER_ERROR.wire || errorCode === KAFKA_ERRORS.KAFKA_STORAGE_ERROR.wire
  return {
    index,
    errorCode,
    baseOffset: NOTHING_WRITTEN,
    recordErrors: [],
    errorMessage: ours ? null : errorMessage,
  }
}
