import { MyKafkaError } from '../../errors.js'
import type { AppendResult, PackedBatch } from '../../log/append-queue.js'
import { AppendOrder } from '../../log/conversion/append-order.js'
import { packBatch } from '../../log/conversion/batch-to-packed.js'
import { type ConversionLimits, conversionLimits } from '../../log/conversion/limits.js'
import { requireKeys } from '../../log/conversion/require-keys.js'
import type { Acks, PartitionLog } from '../../log/partition-log.js'
import type { Topic } from '../../topic/topic.js'
import { Slots } from '../slots.js'
import type { AcceptedBatch } from './accepted-batch.js'

const order = new AppendOrder()
/** What compressed batches hold beyond this waits for its turn: it is in memory until it is written. */
const MUCH_BYTES = 4 << 20
const large = new Slots(2)

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
  if (isStoredAsIs) {
    return order.run(
      log,
      () => keyed(batch, limits),
      (batches) => log.append(batches, acks, producer),
    )
  }
  let release = (): void => {}
  const taken = async (): Promise<void> => {
    release = await large.take()
  }
  const appended = order.run(
    log,
    () => pack(accepted, topic, limits, taken),
    (batches) => log.append(batches, acks, producer),
  )
  return appended.finally(() => release())
}

/** A batch for a compacted topic, which needs keys. */
function keyed(batch: PackedBatch, limits: ConversionLimits): PackedBatch[] | Promise<PackedBatch[]> {
  const checking = requireKeys(batch.records as Buffer, limits)
  return checking instanceof Promise ? checking.then(() => [batch]) : [batch]
}

/** @param turn - waits for the turn of a batch that holds much */
function pack(
  { batch }: AcceptedBatch,
  { settings }: Topic,
  limits: ConversionLimits,
  turn: () => Promise<void>,
): PackedBatch[] | Promise<PackedBatch[]> {
  const options = { logAppendTimeMs: batch.timestamp, keysRequired: settings.compacted }
  const packWithin = (maxPlainBytes: number) => packBatch(batch.records as Buffer, { ...options, maxPlainBytes })
  if (limits.maxPlainBytes <= MUCH_BYTES) return packWithin(limits.maxPlainBytes)
  const packed = packWithin(MUCH_BYTES)
  if (!(packed instanceof Promise)) return packed
  return packed.catch(async (error: unknown) => {
    if (!(error instanceof MyKafkaError && error.code === 'MESSAGE_TOO_LARGE')) throw error
    // What its bytes say of their length cannot be believed: whether it is much is known now.
    await turn()
    return await packWithin(limits.maxPlainBytes)
  })
}
