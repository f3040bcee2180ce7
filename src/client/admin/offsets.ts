import { offsetsForTime } from '../offsets-for-time.js'
import { checkInteger } from '../options.js'
import type { CallOptions } from '../transport.js'
import type { AdminCalls } from './calls.js'
import { describeTopics, type PartitionDescription } from './topics.js'

/**
 * Which offset of a partition: that of its first record, that of the next one to come, or that of the first record that is
 * not older than a time in ms since 1970.
 */
export type OffsetSpec = 'earliest' | 'latest' | { readonly timestamp: number }

/** By partition; null where no record is so, or the partition is offline. */
export async function listOffsets(
  calls: AdminCalls,
  topic: string,
  spec: OffsetSpec,
  options?: CallOptions,
): Promise<Map<number, number | null>> {
  const [described] = await describeTopics(calls, [topic], options)
  const partitions = described?.partitions ?? []
  if (spec === 'earliest') return byPartition(partitions, ({ logStartOffset }) => logStartOffset)
  if (spec === 'latest') return byPartition(partitions, ({ highWatermark }) => highWatermark)
  const timestamp = checkTimestamp(spec.timestamp)
  const online = partitions.filter(({ offline }) => !offline).map(({ partition }) => partition)
  const found = await calls.kafka(options, (connection) => offsetsForTime(connection, topic, online, timestamp))
  return new Map(partitions.map(({ partition }) => [partition, found.get(partition) ?? null]))
}

function byPartition(
  partitions: readonly PartitionDescription[],
  offsetOf: (partition: PartitionDescription) => number,
): Map<number, number | null> {
  return new Map(partitions.map((each) => [each.partition, each.offline ? null : offsetOf(each)]))
}

/** @throws MyKafkaError INVALID_ARGUMENT; below 0 it would be another question */
export function checkTimestamp(timestamp: number): number {
  return checkInteger('timestamp', timestamp, 0, Number.MAX_SAFE_INTEGER)
}
