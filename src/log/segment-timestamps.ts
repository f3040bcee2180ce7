import { stat } from 'node:fs/promises'
import { readInt64 } from '../integers.js'
import type { NativeSegment } from '../native/native.js'
import { KEEP_TIMESTAMPS, type PackedBatch } from './append-queue.js'
import { BATCH_AT } from './record-batch.js'
import type { RecordFormat } from './record-format.js'

/** Where an entry of either format has its largest timestamp. */
const TIMESTAMP_AT = { mykafka: 8, kafka: BATCH_AT.maxTimestamp } as const

/** The largest timestamp of a batch that is about to be appended: -1 where its records bear none. */
export function batchTimestamp({ records, timestamp }: PackedBatch, format: RecordFormat): number {
  if (format === 'mykafka' || timestamp !== KEEP_TIMESTAMPS) return timestamp
  return readInt64(records, BATCH_AT.maxTimestamp)
}

/**
 * The largest timestamp of the first entry of a segment, as its bytes say it; -1 where it bears none. It is good enough
 * to roll by: the CRC is not looked at. Answered at once where it is in memory.
 */
export function firstTimestamp(segment: NativeSegment, format: RecordFormat): number | Promise<number> {
  const bytes = new Uint8Array(8)
  const at = TIMESTAMP_AT[format]
  return segment.read(bytes, at) ? readInt64(bytes, 0) : segment.readAsync(bytes, at).then(() => readInt64(bytes, 0))
}

/**
 * The largest timestamp of all that the segment holds; of one whose records bear none, when its file was last changed.
 * Looks at the time index where it is not known yet.
 *
 * @param enough - one as large as this will do: a segment that is known to hold it is not looked at
 */
export async function largestTimestamp(segment: NativeSegment, enough = Number.POSITIVE_INFINITY): Promise<number> {
  const seen = segment.largestTimestamp()
  if (seen >= enough) return seen
  const largest = await segment.loadTimestamps()
  return largest >= 0 ? largest : (await stat(segment.logPath)).mtimeMs
}
