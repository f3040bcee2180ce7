import { MyKafkaError } from '../../../errors.js'
import { native } from '../../../native/load.js'
import { API_KEY } from '../../../wire/mykafka/api-key.js'
import { encodeErrorResponse } from '../../../wire/mykafka/error-response.js'
import * as produce from '../../../wire/mykafka/produce.js'
import type { ResponsePart } from '../../response-part.js'
import type { Handler, HandlerContext } from '../mykafka-handler.js'

/** What packed records have beside keys and values, and what they have as entries of a fetch response. */
const PACKED_OVERHEAD = 8
const STORED_OVERHEAD = 28
const FETCH_HEAD = 6

/** PRODUCE: the records of a request go to one partition, all or none; acknowledged when written. */
export const handleProduce: Handler = (frame, context) => {
  const request = produce.decodeRequest(frame)
  const topic = context.logs.topic(request.topic)
  if (topic === undefined) {
    throw new MyKafkaError('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${request.topic}`)
  }
  if (topic.internal) throw new MyKafkaError('INVALID_TOPIC_EXCEPTION', `${topic.name} is for the broker alone`)
  const partition =
    request.partition === produce.ANY_PARTITION
      ? context.partitioners.choose(topic.name, produce.peekFirstKey(request.records), topic.partitions.length)
      : request.partition
  return append(request, partition, context)
}

async function append(
  { topic, records, recordCount }: produce.ProduceRequest,
  partition: number,
  { logs, failures, maxFrameBytes }: HandlerContext,
): Promise<ResponsePart[]> {
  try {
    requireFetchable(records.length, recordCount, maxFrameBytes)
    const storedLength = native.checkPacked(records, recordCount)
    const batch = { records, count: recordCount, timestamp: Date.now(), storedLength }
    const { baseOffset } = await logs.partition(topic, partition).append([batch], 1)
    return [produce.encodeResponse(0, partition, baseOffset, recordCount)]
  } catch (error) {
    return [encodeErrorResponse(API_KEY.PRODUCE, failures.report('PRODUCE', error), partition)]
  }
}

/** A record that no response frame could hold would be lost to every reader. */
function requireFetchable(recordBytes: number, recordCount: number, maxFrameBytes: number): void {
  const largest = recordBytes - PACKED_OVERHEAD * recordCount + STORED_OVERHEAD
  if (FETCH_HEAD + largest <= maxFrameBytes) return
  throw new MyKafkaError('MESSAGE_TOO_LARGE', `a record of ${largest} bytes fits no response of ${maxFrameBytes} bytes`)
}
