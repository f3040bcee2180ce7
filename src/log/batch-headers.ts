import { readInt64 } from '../integers.js'
import type { NativeSegment } from '../native/native.js'
import { BATCH_AT } from './record-batch.js'

/** Of a batch, up to its records. */
export const BATCH_HEADER_BYTES = BATCH_AT.records

const HEADERS_AT_ONCE = 4096

/**
 * The headers of the batches from the one that holds an offset on, packed, as they are read: many in a buffer.
 * Damaged batches are left out.
 *
 * @param segments - of a kafka log, from the one that holds the offset on
 */
export async function* readBatchHeaders(
  segments: readonly NativeSegment[],
  fromOffset: number,
): AsyncGenerator<Buffer, void, void> {
  for (const segment of segments) {
    let offset = Math.max(fromOffset, segment.baseOffset)
    for (;;) {
      const headers = await segment.readBatchHeaders(offset, HEADERS_AT_ONCE)
      if (headers.length > 0) yield headers
      if (headers.length < HEADERS_AT_ONCE * BATCH_HEADER_BYTES) break
      offset = nextOffset(headers.subarray(-BATCH_HEADER_BYTES))
    }
  }
}

function nextOffset(header: Buffer): number {
  return readInt64(header, BATCH_AT.baseOffset) + header.readInt32BE(BATCH_AT.lastOffsetDelta) + 1
}
