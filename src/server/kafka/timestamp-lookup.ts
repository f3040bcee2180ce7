import { findTimestamp, type TimestampAndOffset } from '../../log/conversion/batch-timestamps.js'
import { readAsBatches } from '../../log/conversion/converted-reads.js'
import type { ConversionLimits } from '../../log/conversion/limits.js'
import { readSlices } from '../../log/log-records.js'
import type { PartitionLog } from '../../log/partition-log.js'
import type { TimestampedEntry } from '../../log/timestamp-search.js'

/**
 * The first record of a log whose timestamp is not below `timestamp`; with Infinity the first one of those with the
 * largest. Null where there is none.
 */
export async function findByTimestamp(
  log: PartitionLog,
  timestamp: number,
  limits: ConversionLimits,
): Promise<TimestampAndOffset | null> {
  const isLargest = timestamp === Number.POSITIVE_INFINITY
  let best: TimestampAndOffset | null = null
  for (let from = log.logStartOffset; ; ) {
    const entry = await log.offsetForTimestamp(timestamp, from)
    if (entry === null || (best !== null && entry.timestamp <= best.timestamp)) return best
    const found = await findTimestamp(await readEntry(log, entry), timestamp, from, limits)
    if (found !== null && !isLargest) return found
    if (found !== null && (best === null || found.timestamp > best.timestamp)) best = found
    if (best?.timestamp === entry.timestamp) return best
    // What the batch says of its largest timestamp is its writer's word, or that record lies below the log's start: its
    // other records say otherwise.
    from = entry.lastOffset + 1
  }
}

/** One entry, as a batch. */
async function readEntry(log: PartitionLog, { baseOffset, lastOffset }: TimestampedEntry): Promise<Buffer> {
  const request = { offset: Math.max(baseOffset, log.logStartOffset), maxBytes: 1, upperBound: lastOffset + 1 }
  if (log.config.recordFormat === 'mykafka') return (await readAsBatches(log, request)).bytes
  return await readSlices(await log.read(request))
}
