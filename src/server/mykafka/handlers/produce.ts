import { MyKafkaError } from '../../../errors.js'
import { KEEP_TIMESTAMPS, type PackedBatch } from '../../../log/append-queue.js'
import { STORED_OVERHEAD } from '../../../log/conversion/limits.js'
import { packedAsBatch } from '../../../log/conversion/packed-to-batch.js'
import { PACKED_OVERHEAD } from '../../../log/record-codec.js'
import { native } from '../../../native/load.js'
import type { Topic } from '../../../topic/topic.js'
import { API_KEY } from '../../../wire/mykafka/api-key.js'
import { encodeErrorResponse } from '../../../wire/mykafka/error-response.js'
import { RESPONSE_HEAD_BYTES } from '../../../wire/mykafka/fetch.js'
import * as produce from '../../../wire/mykafka/produce.js'
import type { ResponsePart } from '../../response-part.js'
import type { Handler, HandlerContext } from '../mykafka-handler.js'

/** PRODUCE: the records of a request go to one partition, all or none; acknowledged when written. */
export const handleProduce: Handler = (frame, context) => {
  const request = produce.decodeRequest(frame)
  const topic = context.logs.writableTopic(request.topic)
  const partition =
    request.partition === produce.ANY_PARTITION
      ? context.partitioners.choose(topic.name, produce.peekFirstKey(request.records), topic.partitions.length)
      : request.partition
  return append(request, topic, partition, context)
}

async function append(
  request: produce.ProduceRequest,
  topic: Topic,
  partition: number,
  { logs, failures, maxFrameBytes }: HandlerContext,
): Promise<ResponsePart[]> {
  try {
    const log = logs.partition(topic.name, partition)
    const batch =
      topic.recordFormat === 'kafka' ? asKafkaBatch(request, topic) : asPacked(request, topic, maxFrameBytes)
    const { baseOffset } = await log.append([batch], 1)
    return [produce.encodeResponse(0, partition, baseOffset, batch.count)]
  } catch (error) {
    return [encodeErrorResponse(API_KEY.PRODUCE, failures.report('PRODUCE', error), partition)]
  }
}

function asPacked({ records, recordCount }: produce.ProduceRequest, topic: Topic, maxFrameBytes: number): PackedBatch {
  requireSmall(records.length, topic)
  requireFetchable(records.length, recordCount, maxFrameBytes)
  const storedLength = native.checkPacked(records, recordCount, topic.settings.compacted)
  return { records, count: recordCount, timestamp: Date.now(), storedLength }
}

/** All of the request's records in one batch, for a topic that keeps Kafka's batches. */
function asKafkaBatch({ records, recordCount }: produce.ProduceRequest, topic: Topic): PackedBatch {
  const { settings } = topic
  // A record of a batch is a byte shorter than a packed one, at the most: what is larger need not be converted.
  requireSmall(records.length - recordCount, topic)
  native.checkPacked(records, recordCount)
  const now = Date.now()
  const batch = packedAsBatch(records, recordCount, now, settings.compacted)
  requireSmall(batch.length, topic)
  const timestamp = settings.timestampType === 'LogAppendTime' ? now : KEEP_TIMESTAMPS
  return { records: batch, count: recordCount, timestamp, storedLength: batch.length }
}

/** `max.message.bytes` */
function requireSmall(bytes: number, { name, settings }: Topic): void {
  if (bytes <= settings.maxMessageBytes) return
  const reason = `records of ${bytes} bytes are larger than the ${settings.maxMessageBytes} of ${name}`
  throw new MyKafkaError('MESSAGE_TOO_LARGE', reason)
}

/** A record that no response frame could hold would be lost to every reader. */
function requireFetchable(recordBytes: number, recordCount: number, maxFrameBytes: number): void {
  const largest = recordBytes - PACKED_OVERHEAD * recordCount + STORED_OVERHEAD
  if (RESPONSE_HEAD_BYTES + largest <= maxFrameBytes) return
  throw new MyKafkaError('MESSAGE_TOO_LARGE', `a record of ${largest} bytes fits no response of ${maxFrameBytes} bytes`)
}
