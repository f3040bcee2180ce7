import { findTimestamp, type TimestampAndOffset } from '../../log/conversion/batch-timestamps.js'
import { readAsBatches } from '../../log/conversion/converted-reads.js'
import type { ConversionLimits } from '../../log/conversion/limits.js'
import { readSlices } from '../../log/log-records.js'
import type { PartitionLog } from '../../log/partition-log.js'

const AT_ONCE_BYTES = 1 << 20

/**
 * The first record of a log whose timestamp is not below `timestamp`; with Infinity the first one of those with the
 * largest. Null where there is none.
 */
export async function findByTimestamp(
  log: PartitionLog,
  timestamp: number,
  limits: ConversionLimits,
): Promise<TimestampAndOffset | null> {
  let best: TimestampAndOffset | null = null
  const upperBound = log.highWatermark
  for (let offset = log.logStartOffset; offset < upperBound; ) {
    const { batches, nextOffset } = await readFrom(log, offset, upperBound)
    const found = await findTimestamp(batches, timestamp, offset, limits)
    if (found !== null && timestamp !== Number.POSITIVE_INFINITY) return found
    if (found !== null && (best === null || found.timestamp > best.timestamp)) best = found
    offset = nextOffset
  }
  return best
}

async function readFrom(
  log: PartitionLog,
  offset: number,
  upperBound: number,
): Promise<{ batches: Buffer; nextOffset: number }> {
  const request = { offset, maxBytes: AT_ONCE_BYTES, upperBound }
  if (log.config.recordFormat === 'mykafka') {
    const { bytes, lastOffset } = await readAsBatches(log, request)
    return { batches: bytes, nextOffset: lastOffset + 1 }
  }
  const result = await log.read(request)
  return { batches: await readSlices(result), nextOffset: result.lastOffset + 1 }
}
