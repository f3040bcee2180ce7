import type { ReadRequest } from '../log-reader.js'
import { readSlices } from '../log-records.js'
import type { PartitionLog } from '../partition-log.js'
import { type StoredEntries, storeBatches } from './batches-to-stored.js'
import type { ConversionLimits } from './limits.js'
import { type EncodedBatches, encodeStored } from './stored-to-batches.js'

/** What is converted is copied: more than this at once takes memory and gains nothing. */
const AT_ONCE_BYTES = 4 << 20

/**
 * Reads a mykafka log as record batches. Nothing at the bound.
 *
 * @throws MyKafkaError what `PartitionLog.read` throws
 */
export async function readAsBatches(log: PartitionLog, request: ReadRequest): Promise<EncodedBatches> {
  const maxBytes = Math.min(request.maxBytes, AT_ONCE_BYTES)
  const result = await log.read({ ...request, maxBytes })
  if (result.bytes === 0) return { bytes: Buffer.alloc(0), count: 0, lastOffset: -1 }
  return encodeStored(await readSlices(result), maxBytes)
}

/**
 * Reads a kafka log as entries of the format mykafka. What holds no record for readers is read over: nothing comes at
 * the bound only.
 *
 * @throws MyKafkaError what `PartitionLog.read` throws; MESSAGE_TOO_LARGE for a batch that decompresses to too much
 */
export async function readAsEntries(
  log: PartitionLog,
  request: ReadRequest,
  limits: ConversionLimits,
): Promise<StoredEntries> {
  const maxBytes = Math.min(request.maxBytes, AT_ONCE_BYTES)
  let { offset } = request
  for (;;) {
    const result = await log.read({ ...request, offset, maxBytes })
    if (result.bytes === 0) return { parts: [], bytes: 0, count: 0, lastOffset: -1 }
    const entries = await storeBatches(await readSlices(result), request.offset, maxBytes, limits)
    if (entries.count > 0) return entries
    offset = result.lastOffset + 1
  }
}
