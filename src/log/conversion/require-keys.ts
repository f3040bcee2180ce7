import { MyKafkaError } from '../../errors.js'
import { decodeBatch, type RecordBatch } from '../record-batch.js'
import { RecordCursor } from '../record-cursor.js'
import { type ConversionLimits, plainRecords } from './limits.js'

/**
 * Refuses a batch that holds a record without a key, which a compacted topic cannot keep. At once where its records are
 * not compressed.
 *
 * @throws MyKafkaError INVALID_RECORD
 */
export function requireKeys(bytes: Buffer, limits: ConversionLimits): undefined | Promise<undefined> {
  const batch = decodeBatch(bytes)
  const records = plainRecords(batch, limits)
  return records instanceof Promise ? records.then((plain) => walk(batch, plain)) : walk(batch, records)
}

function walk(batch: RecordBatch, plain: Buffer): undefined {
  const cursor = new RecordCursor(batch, plain)
  while (cursor.next()) {
    if (cursor.keyLength < 0) throw withoutKey()
  }
}

/** The refusal of a record that a compacted topic cannot keep. */
export function withoutKey(): MyKafkaError {
  return new MyKafkaError('INVALID_RECORD', 'a compacted topic takes no record without a key')
}
