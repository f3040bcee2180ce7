import { BATCH_AT } from '../record-batch.js'
import { RecordBatchWriter } from '../record-batch-encoder.js'
import { STORED_OVERHEAD } from './limits.js'
import { StoredCursor } from './stored-cursor.js'

/** A batch ends before it would be longer, as one by Kafka's clients would; a longer record is a batch of its own. */
const BATCH_BYTES = 1 << 20
/** A record of a batch is this much longer than its entry, at the most. */
const LARGEST_GROWTH = 4

/** Record batches made of entries. */
export interface EncodedBatches {
  readonly bytes: Buffer
  readonly count: number
  /** -1 where there are none. */
  readonly lastOffset: number
}

/**
 * Entries of a mykafka log as uncompressed record batches, up to `maxBytes` of them but one record at least. Offsets
 * and timestamps are those of the entries; no CRC is checked, the reader has done that.
 */
export function encodeStored(entries: Buffer, maxBytes: number): EncodedBatches {
  const most = entries.length + (entries.length / STORED_OVERHEAD) * LARGEST_GROWTH + BATCH_AT.records
  let into = Buffer.allocUnsafe(Math.ceil(Math.min(most, maxBytes)))
  const cursor = new StoredCursor(entries)
  let writer: RecordBatchWriter | null = null
  let end = 0
  let count = 0
  let lastOffset = -1
  while (cursor.next()) {
    const { offset, timestamp, keyLength, valueLength } = cursor
    let growth: number = writer?.growth(offset, timestamp, keyLength, valueLength) ?? 0
    if (writer !== null && (!writer.takes(offset, timestamp) || writer.length + growth > BATCH_BYTES)) {
      end += writer.finish().length
      writer = null
    }
    if (writer === null) {
      writer = new RecordBatchWriter(into, end)
      growth = writer.growth(offset, timestamp, keyLength, valueLength)
    }
    if (end + writer.length + growth > into.length) {
      if (count > 0) break
      into = Buffer.allocUnsafe(writer.length + growth)
      writer = new RecordBatchWriter(into, end)
    }
    writer.add(offset, timestamp, cursor.bytes, cursor.keyAt, keyLength, cursor.valueAt, valueLength)
    count++
    lastOffset = offset
  }
  if (writer !== null && writer.count > 0) end += writer.finish().length
  return { bytes: into.subarray(0, end), count, lastOffset }
}
