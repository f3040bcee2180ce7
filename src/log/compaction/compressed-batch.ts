import { type ConversionLimits, storedRecords } from '../conversion/limits.js'
import { type Compressed, compress } from '../recompression.js'
import { codecOf, decodeBatch } from '../record-batch.js'

/** The decompressed records of a stored batch: what native code does not do. */
export function plainRecordsOf(batch: Buffer, limits: ConversionLimits): Promise<Buffer> {
  return storedRecords(decodeBatch(batch), limits)
}

/** Records of a batch compressed again, by the codec that it had, as far as the platform has it. */
export function compressedLike(batch: Buffer, records: Buffer): Promise<Compressed> {
  return compress(codecOf(decodeBatch(batch)), records)
}
