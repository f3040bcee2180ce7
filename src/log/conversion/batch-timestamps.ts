import { decodeBatches, hasLogAppendTime, isControl, type RecordBatch } from '../record-batch.js'
import { RecordCursor } from '../record-cursor.js'
import { asDamage, type ConversionLimits, storedRecords } from './limits.js'

/** Where a record lies and when it was. */
export interface TimestampAndOffset {
  readonly offset: number
  readonly timestamp: number
}

/**
 * The first record of stored batches whose timestamp is not below `timestamp`; Infinity stands for the largest there
 * is. Null where no record is.
 *
 * @throws MyKafkaError CORRUPT_MESSAGE, MESSAGE_TOO_LARGE
 */
export async function findTimestamp(
  batches: Buffer,
  timestamp: number,
  limits: ConversionLimits,
): Promise<TimestampAndOffset | null> {
  const readable = [...decodeBatches(batches)].filter((batch) => !isControl(batch) && batch.count > 0)
  const largest = readable.reduce((most, batch) => Math.max(most, batch.maxTimestamp), Number.NEGATIVE_INFINITY)
  const wanted = timestamp === Number.POSITIVE_INFINITY ? largest : timestamp
  for (const batch of readable) {
    if (batch.maxTimestamp < wanted) continue
    const found = await findInBatch(batch, wanted, limits)
    if (found !== null) return found
  }
  return null
}

async function findInBatch(
  batch: RecordBatch,
  timestamp: number,
  limits: ConversionLimits,
): Promise<TimestampAndOffset | null> {
  // All its records have one time, so that its first offset stands for the first of them.
  if (hasLogAppendTime(batch)) return { offset: batch.baseOffset, timestamp: batch.maxTimestamp }
  const plain = await storedRecords(batch, limits)
  try {
    const cursor = new RecordCursor(batch, plain)
    while (cursor.next()) {
      if (cursor.timestamp >= timestamp) return { offset: cursor.offset, timestamp: cursor.timestamp }
    }
    return null
  } catch (error) {
    throw asDamage(batch, error)
  }
}
