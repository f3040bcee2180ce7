import { MyKafkaError } from '../../errors.js'
import { decompress } from '../compression.js'
import type { Where } from '../compression-codec.js'
import { codecOf, type RecordBatch } from '../record-batch.js'

/**
 * The most that a batch's records may decompress to: `socket.request.max.bytes`, so that nothing gets in compressed
 * that could not have come as it is. What an attack with small batches can take is this for each of the few
 * decompressions that go on at once (compression.ts).
 */
export interface ConversionLimits {
  readonly maxPlainBytes: number
}

/** So that what fits is fetched in one frame also where it is one record, whatever stands around it. */
const FRAME_OVERHEAD = 64

/** @param maxFrameBytes - `socket.request.max.bytes` */
export function conversionLimits(maxFrameBytes: number): ConversionLimits {
  return { maxPlainBytes: maxFrameBytes - FRAME_OVERHEAD }
}

/** What an entry of a mykafka log has beside its key and value. */
export const STORED_OVERHEAD = 28

/** The records of a batch, decompressed where they are compressed. */
export function plainRecords(
  batch: RecordBatch,
  { maxPlainBytes }: ConversionLimits,
  where?: Where,
): Buffer | Promise<Buffer> {
  const codec = codecOf(batch)
  return codec === 0 ? batch.records : decompress(codec, batch.records, maxPlainBytes, where)
}

/** The same of a batch that is stored: what is wrong with it is damage. */
export async function storedRecords(batch: RecordBatch, limits: ConversionLimits, where?: Where): Promise<Buffer> {
  try {
    return await plainRecords(batch, limits, where)
  } catch (error) {
    throw asDamage(batch, error)
  }
}

/** A malformed record in a log is damage. */
export function asDamage({ baseOffset }: RecordBatch, error: unknown): unknown {
  if (!(error instanceof MyKafkaError) || error.code !== 'INVALID_RECORD') return error
  return new MyKafkaError('CORRUPT_MESSAGE', `the batch at offset ${baseOffset}: ${error.message}`, { cause: error })
}
