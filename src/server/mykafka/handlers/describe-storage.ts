import { MyKafkaError } from '../../../errors.js'
import { decodeRequest, encodeResponse, type PartitionStorage } from '../../../wire/mykafka/describe-storage.js'
import { LENGTH_PREFIX } from '../../../wire/mykafka/frame-writer.js'
import type { Handler } from '../mykafka-handler.js'

/** DESCRIBE_STORAGE: what the partitions of a topic have on the disk, segment by segment, and why it is there. */
export const handleDescribeStorage: Handler = (frame, { logs, maxFrameBytes }) => {
  const topic = logs.existingTopic(decodeRequest(frame))
  const partitions = topic.partitions.map(
    (log, partition): PartitionStorage =>
      log === null ? { partition, offline: true } : { partition, offline: false, ...log.describeStorage() },
  )
  const response = encodeResponse(0, { topic: topic.name, partitions })
  if (response.length - LENGTH_PREFIX <= maxFrameBytes) return [response]
  throw new MyKafkaError(
    'MESSAGE_TOO_LARGE',
    `the description of ${topic.name} has ${response.length - LENGTH_PREFIX} bytes: ${maxFrameBytes} fit a frame`,
  )
}
