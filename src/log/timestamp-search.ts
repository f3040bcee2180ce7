import { FOUND, type NativeSegment } from '../native/native.js'

/** The entry that a search by time found: a record, or the batch that holds the record. */
export interface TimestampedEntry {
  baseOffset: number
  lastOffset: number
  /** The largest of its records, in milliseconds since 1970. */
  timestamp: number
}

/**
 * The first entry from an offset on whose largest timestamp is this one or above; with Infinity, the first of those
 * with the largest. Segments that are known to hold nothing of the kind are not looked at; others are, on a thread.
 *
 * @param segments - from the one that holds the offset on
 */
export async function searchTimestamp(
  segments: readonly NativeSegment[],
  timestamp: number,
  fromOffset: number,
): Promise<TimestampedEntry | null> {
  const out = new Float64Array(FOUND.fields)
  const largest = timestamp === Number.POSITIVE_INFINITY
  let best: TimestampedEntry | null = null
  for (const segment of segments) {
    const needed = largest ? (best?.timestamp ?? -1) + 1 : timestamp
    if (segment.timestampsKnown() && segment.largestTimestamp() < needed) continue
    const from = Math.max(fromOffset, segment.baseOffset)
    if (!(await segment.findTimestampAsync(timestamp, from, out))) continue
    const found = {
      baseOffset: out[FOUND.offset] as number,
      lastOffset: out[FOUND.lastOffset] as number,
      timestamp: out[FOUND.timestamp] as number,
    }
    if (!largest) return found
    if (found.timestamp >= needed) best = found
  }
  return best
}
