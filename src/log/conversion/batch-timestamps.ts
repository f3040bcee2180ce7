import { inSteps } from '../../loop-turns.js'
import { decodeBatches, hasLogAppendTime, isControl, type RecordBatch } from '../record-batch.js'
import { RECORDS_A_STEP, RecordCursor } from '../record-cursor.js'
import { asDamage, type ConversionLimits, storedRecords } from './limits.js'

/** Where a record lies and when it was. */
export interface TimestampAndOffset {
  readonly offset: number
  readonly timestamp: number
}

/**
 * The first record of stored batches, at `fromOffset` or behind it, whose timestamp is not below `timestamp`; with
 * Infinity the first of those with the largest there is. Null where no record is.
 *
 * @throws MyKafkaError CORRUPT_MESSAGE, MESSAGE_TOO_LARGE
 */
export async function findTimestamp(
  batches: Buffer,
  timestamp: number,
  fromOffset: number,
  limits: ConversionLimits,
): Promise<TimestampAndOffset | null> {
  const isLargest = timestamp === Number.POSITIVE_INFINITY
  let best: TimestampAndOffset | null = null
  for (const batch of decodeBatches(batches)) {
    if (isControl(batch) || batch.count === 0 || batch.baseOffset + batch.lastOffsetDelta < fromOffset) continue
    const wanted: number = isLargest ? (best?.timestamp ?? Number.NEGATIVE_INFINITY) : timestamp
    if (batch.maxTimestamp < wanted || batch.maxTimestamp === best?.timestamp) continue
    const found = await findInBatch(batch, timestamp, fromOffset, limits)
    if (!isLargest && found !== null) return found
    if (found !== null && (best === null || found.timestamp > best.timestamp)) best = found
  }
  return best
}

async function findInBatch(
  batch: RecordBatch,
  timestamp: number,
  fromOffset: number,
  limits: ConversionLimits,
): Promise<TimestampAndOffset | null> {
  // All its records have one time, so that its first offset stands for the first of them, where none is removed.
  const isWhole = batch.count === batch.lastOffsetDelta + 1
  if (isWhole && hasLogAppendTime(batch))
    return { offset: Math.max(batch.baseOffset, fromOffset), timestamp: batch.maxTimestamp }
  const plain = await storedRecords(batch, limits)
  try {
    const cursor = new RecordCursor(batch, plain)
    return await (timestamp === Number.POSITIVE_INFINITY
      ? largestOf(cursor, fromOffset)
      : firstOf(cursor, timestamp, fromOffset))
  } catch (error) {
    throw asDamage(batch, error)
  }
}

async function firstOf(
  cursor: RecordCursor,
  timestamp: number,
  fromOffset: number,
): Promise<TimestampAndOffset | null> {
  const found: TimestampAndOffset[] = []
  await inSteps(() => {
    for (let left = RECORDS_A_STEP; left > 0; left--) {
      if (!cursor.next()) return true
      if (cursor.offset < fromOffset || cursor.timestamp < timestamp) continue
      found.push({ offset: cursor.offset, timestamp: cursor.timestamp })
      return true
    }
    return false
  })
  return found[0] ?? null
}

async function largestOf(cursor: RecordCursor, fromOffset: number): Promise<TimestampAndOffset | null> {
  let offset = -1
  let largest = Number.NEGATIVE_INFINITY
  await inSteps(() => {
    for (let left = RECORDS_A_STEP; left > 0; left--) {
      if (!cursor.next()) return true
      if (cursor.offset < fromOffset || cursor.timestamp <= largest) continue
      offset = cursor.offset
      largest = cursor.timestamp
    }
    return false
  })
  return offset < 0 ? null : { offset, timestamp: largest }
}
