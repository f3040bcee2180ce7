import type { AppendResult, PackedBatch } from '../../log/append-queue.js'
import { AppendOrder } from '../../log/conversion/append-order.js'
import { packBatch } from '../../log/conversion/batch-to-packed.js'
import { type ConversionLimits, conversionLimits } from '../../log/conversion/limits.js'
import { requireKeys } from '../../log/conversion/require-keys.js'
import type { Acks, PartitionLog } from '../../log/partition-log.js'
import type { Topic } from '../../topic/topic.js'
import type { AcceptedBatch } from './accepted-batch.js'

const order = new AppendOrder()

/**
 * Appends a batch: as it came where the topic keeps Kafka's batches, its records where it does not.
 *
 * @throws MyKafkaError what `PartitionLog.append` and `packBatch` throw; INVALID_RECORD for a record without a key where
 *   the topic is compacted
 */
export function appendBatch(
  topic: Topic,
  log: PartitionLog,
  accepted: AcceptedBatch,
  acks: Acks,
  maxFrameBytes: number,
): Promise<AppendResult> {
  const { batch, producer } = accepted
  const isStoredAsIs = topic.recordFormat === 'kafka'
  if (isStoredAsIs && !topic.settings.compacted) return log.append([batch], acks, producer)
  const limits = conversionLimits(maxFrameBytes)
  return order.run(
    log,
    () => (isStoredAsIs ? keyed(batch, limits) : pack(accepted, topic, limits)),
    (batches) => log.append(batches, acks, producer),
  )
}

/** A batch for a compacted topic, which needs keys. */
function keyed(batch: PackedBatch, limits: ConversionLimits): PackedBatch[] | Promise<PackedBatch[]> {
  const checking = requireKeys(batch.records as Buffer, limits)
  return checking instanceof Promise ? checking.then(() => [batch]) : [batch]
}

function pack(
  { batch }: AcceptedBatch,
  { settings }: Topic,
  limits: ConversionLimits,
): PackedBatch[] | Promise<PackedBatch[]> {
  return packBatch(batch.records as Buffer, {
    ...limits,
    logAppendTimeMs: batch.timestamp,
    keysRequired: settings.compacted,
  })
}
