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
  let release = (): void => {}
  const turn = async (): Promise<void> => {
    release = await large.take()
  }
  const convert = (within: ConversionLimits) => (isStoredAsIs ? keyed(batch, within) : pack(accepted, topic, within))
  const appended = order.run(
    log,
    () => muchInTurn(limits, turn, convert),
    (batches) => log.append(batches, acks, producer),
  )
  return appended.finally(() => release())
}

/**
 * What a compressed batch says of its length cannot be believed: it is tried as one that holds little, and waits for its
 * turn where it holds much.
 */
function muchInTurn(
  limits: ConversionLimits,
  turn: () => Promise<void>,
  convert: (limits: ConversionLimits) => PackedBatch[] | Promise<PackedBatch[]>,
): PackedBatch[] | Promise<PackedBatch[]> {
  if (limits.maxPlainBytes <= MUCH_BYTES) return convert(limits)
  const converted = convert({ maxPlainBytes: MUCH_BYTES })
  if (!(converted instanceof Promise)) return converted
  return converted.catch(async (error: unknown) => {
    if (!(error instanceof MyKafkaError && error.code === 'MESSAGE_TOO_LARGE')) throw error
    await turn()
    return await convert(limits)
  })
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
