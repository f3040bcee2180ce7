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
export function requireKeys(bytes: Buffer, limits: ConversionLimits): void | Promise<void> {
  const batch = decodeBatch(bytes)
  const records = plainRecords(batch, limits)
  if (records instanceof Promise) return records.then((plain) => walk(batch, plain))
  walk(batch, records)
}

function walk(batch: RecordBatch, plain: Buffer): void {
  const cursor = new RecordCursor(batch, plain)
  while (cursor.next()) {
    if (cursor.keyLength < 0)
      throw new MyKafkaError('INVALID_RECORD', 'a compacted topic takes no record without a key')
  }
}
