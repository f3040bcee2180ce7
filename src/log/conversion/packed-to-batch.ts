import { MyKafkaError } from '../../errors.js'
import { BATCH_AT } from '../record-batch.js'
import { RecordBatchWriter } from '../record-batch-encoder.js'
import { PACKED_OVERHEAD } from '../record-codec.js'
import { withoutKey } from './require-keys.js'

/** A record of a batch is this much longer than a packed one, at the most. */
const LARGEST_GROWTH = 15

/**
 * Packed records, as MyKafka's PRODUCE carries them and native code has checked them, as one uncompressed record batch.
 * Offsets count from 0: the log gives the batch its base.
 *
 * @param keysRequired - whether a record without a key is refused
 * @throws MyKafkaError INVALID_RECORD
 */
export function packedAsBatch(packed: Buffer, count: number, timestamp: number, keysRequired: boolean): Buffer {
  const into = Buffer.allocUnsafe(BATCH_AT.records + packed.length + LARGEST_GROWTH * count)
  const writer = new RecordBatchWriter(into, 0)
  let at = 0
  for (let offset = 0; offset < count; offset++) {
    if (at + PACKED_OVERHEAD > packed.length) throw malformed()
    const keyLength = packed.readInt32BE(at)
    if (keysRequired && keyLength < 0) throw withoutKey()
    const keyAt = at + 4
    const keyEnd = keyAt + Math.max(keyLength, 0)
    if (keyLength < -1 || keyEnd + 4 > packed.length) throw malformed()
    const valueLength = packed.readInt32BE(keyEnd)
    const valueAt = keyEnd + 4
    at = valueAt + Math.max(valueLength, 0)
    if (valueLength < -1 || at > packed.length) throw malformed()
    writer.add(offset, timestamp, packed, keyAt, keyLength, valueAt, valueLength)
  }
  return writer.finish()
}

function malformed(): MyKafkaError {
  return new MyKafkaError('INVALID_RECORD', 'the packed records do not parse')
}
