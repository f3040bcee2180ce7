import { readAsEntries } from '../../../log/conversion/converted-reads.js'
import { conversionLimits } from '../../../log/conversion/limits.js'
import type { ReadResult } from '../../../log/log-reader.js'
import * as fetch from '../../../wire/mykafka/fetch.js'
import type { ResponsePart } from '../../response-part.js'
import type { Handler } from '../mykafka-handler.js'

/** FETCH: stored entries, as they lie in the segment files, up to the high watermark; of Kafka's batches, their records. */
export const handleFetch: Handler = (frame, { logs, maxFrameBytes, conversions }, peer) => {
  const { topic, partition, offset, maxBytes } = fetch.decodeRequest(frame)
  const log = logs.partition(topic, partition)
  const request = {
    offset,
    maxBytes: Math.min(maxBytes, maxFrameBytes - fetch.RESPONSE_HEAD_BYTES),
    upperBound: log.highWatermark,
  }
  if (log.config.recordFormat === 'kafka') {
    const limits = conversionLimits(maxFrameBytes)
    const convert = (most: number) =>
      readAsEntries(log, { ...request, maxBytes: Math.min(request.maxBytes, most) }, limits)
    // What has nothing to give takes no memory either.
    const converted = offset >= request.upperBound ? convert(request.maxBytes) : conversions.run(peer, convert)
    return converted.then(({ parts, count, bytes }) => [fetch.encodeResponseHead(0, count, bytes), ...parts])
  }
  const result = log.read(request)
  return result instanceof Promise ? result.then(respond) : respond(result)
}

function respond({ slices, count, bytes }: ReadResult): ResponsePart[] {
  return [fetch.encodeResponseHead(0, count, bytes), ...slices]
}
