import { MyKafkaError } from '../../errors.js'
import { inSteps } from '../../loop-turns.js'
import { decodeSentBatch, type RecordBatch } from '../record-batch.js'
import { RECORDS_A_STEP, RecordCursor } from '../record-cursor.js'
import { type ConversionLimits, plainRecords } from './limits.js'

/**
 * Refuses a batch that holds a record without a key, which a compacted topic cannot keep. At once where its records are
 * not compressed and few.
 *
 * @throws MyKafkaError INVALID_RECORD
 */
export function requireKeys(bytes: Buffer, limits: ConversionLimits): undefined | Promise<void> {
  const batch = decodeSentBatch(bytes)
  const records = plainRecords(batch, limits)
  return records instanceof Promise ? records.then((plain) => walk(batch, plain)) : walk(batch, records)
}

function walk(batch: RecordBatch, plain: Buffer): undefined | Promise<void> {
  const cursor = new RecordCursor(batch, plain)
  return inSteps(() => {
    for (let left = RECORDS_A_STEP; left > 0; left--) {
      if (!cursor.next()) return true
      if (cursor.keyLength < 0) throw withoutKey()
    }
    return false
  })
}

/** The refusal of a record that a compacted topic cannot keep. */
export function withoutKey(): MyKafkaError {
  return new MyKafkaError('INVALID_RECORD', 'a compacted topic takes no record without a key')
}
