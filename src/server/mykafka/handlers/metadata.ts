import { MyKafkaError } from '../../../errors.js'
import type { Topic } from '../../../topic/topic.js'
import { decodeRequest, encodeResponse, type TopicMetadata } from '../../../wire/mykafka/metadata.js'
import type { Handler } from '../mykafka-handler.js'

/** METADATA: one topic, or all but the internal ones. */
export const handleMetadata: Handler = (frame, { logs }) => {
  const name = decodeRequest(frame)
  if (name === null)
    return [
      encodeResponse(
        0,
        logs
          .topics()
          .filter(({ internal }) => !internal)
          .map(describe),
      ),
    ]
  const topic = logs.topic(name)
  if (topic === undefined) throw new MyKafkaError('UNKNOWN_TOPIC_OR_PARTITION', `there is no topic ${name}`)
  return [encodeResponse(0, [describe(topic)])]
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
