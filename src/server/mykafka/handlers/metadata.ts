import type { Topic } from '../../../topic/topic.js'
import { decodeRequest, encodeResponse, type TopicMetadata } from '../../../wire/mykafka/metadata.js'
import type { Handler } from '../mykafka-handler.js'

/** METADATA: one topic, or all but the internal ones. */
export const handleMetadata: Handler = (frame, { logs }) => {
  const name = decodeRequest(frame)
  if (name === null) {
    const topics = logs.topics().filter(({ internal }) => !internal)
    return [encodeResponse(0, topics.map(describe))]
  }
  return [encodeResponse(0, [describe(logs.existingTopic(name))])]
}

/** A partition that is offline has -1 for both offsets. */
function describe({ name, partitions }: Topic): TopicMetadata {
  return {
    topic: name,
    partitions: partitions.map((log) => ({
      logStartOffset: log?.logStartOffset ?? -1,
      highWatermark: log?.highWatermark ?? -1,
    })),
  }
}
