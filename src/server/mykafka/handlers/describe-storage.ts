import { MyKafkaError } from '../../../errors.js'
import type { PartitionLog } from '../../../log/partition-log.js'
import { decodeRequest, encodeResponse, type PartitionStorage } from '../../../wire/mykafka/describe-storage.js'
import { LENGTH_PREFIX } from '../../../wire/mykafka/frame-writer.js'
import type { Handler } from '../mykafka-handler.js'

/** DESCRIBE_STORAGE: what the partitions of a topic have on the disk, segment by segment, and why it is there. */
export const handleDescribeStorage: Handler = async (frame, { logs, maxFrameBytes }) => {
  const { name, settings, partitions: found } = logs.existingTopic(decodeRequest(frame))
  const now = logs.retention.now()
  const compaction = settings.compacted ? { ...settings.compaction, enabled: logs.isCleanerEnabled } : null
  const options = { now, compaction }
  const describe = async (log: PartitionLog | null, partition: number): Promise<PartitionStorage> =>
    log === null ? { partition, offline: true } : { partition, offline: false, ...(await log.describeStorage(options)) }
  const partitions = await Promise.all(found.map(describe))
  const clockHeld = logs.retention.isClockHeld
  const response = encodeResponse(0, { topic: name, now, clockHeld, partitions })
  const length = response.length - LENGTH_PREFIX
  if (length <= maxFrameBytes) return [response]
  const reason = `the description of ${name} has ${length} bytes: ${maxFrameBytes} fit a frame`
  throw new MyKafkaError('MESSAGE_TOO_LARGE', reason)
}
