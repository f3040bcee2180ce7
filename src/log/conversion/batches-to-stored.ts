import { writeInt64 } from '../../integers.js'
import { inSteps } from '../../loop-turns.js'
import { native } from '../../native/load.js'
import { copyBytes } from '../copy-bytes.js'
import { decodeBatches, isControl, type RecordBatch } from '../record-batch.js'
import { RECORDS_A_STEP, RecordCursor } from '../record-cursor.js'
import { asDamage, type ConversionLimits, STORED_OVERHEAD, storedRecords } from './limits.js'

/** Entries of the format mykafka made of record batches. */
export interface StoredEntries {
  readonly parts: Buffer[]
  readonly bytes: number
  readonly count: number
  /** -1 where there are none. */
  readonly lastOffset: number
}

interface Output {
  parts: Buffer[]
  bytes: number
  count: number
  lastOffset: number
}

/**
 * The records of whole batches as entries of the format mykafka, from an offset on: up to `maxBytes` of them, but one
 * at least where there is one. Headers are left out; control batches and empty ones give none.
 *
 * @throws MyKafkaError CORRUPT_MESSAGE, MESSAGE_TOO_LARGE where the first batch cannot be read: what is before one that
 *   cannot is answered
 */
export async function storeBatches(
  batches: Buffer,
  fromOffset: number,
  maxBytes: number,
  limits: ConversionLimits,
): Promise<StoredEntries> {
  const output: Output = { parts: [], bytes: 0, count: 0, lastOffset: -1 }
  for (const batch of decodeBatches(batches)) {
    if (isControl(batch) || batch.count === 0) continue
    try {
      const plain = await storedRecords(batch, limits)
      if (!(await store(batch, plain, fromOffset, maxBytes, output))) break
    } catch (error) {
      if (output.count > 0) break
      throw asDamage(batch, error)
    }
  }
  return output
}

/** Adds the records of a batch, all that there is room for. Returns whether there is room for more. */
async function store(
  batch: RecordBatch,
  plain: Buffer,
  fromOffset: number,
  maxBytes: number,
  output: Output,
): Promise<boolean> {
  const cursor = new RecordCursor(batch, plain)
  const most = plain.length + STORED_OVERHEAD * batch.count
  const allowed = maxBytes - output.bytes
  let { count, lastOffset } = output
  let into: Buffer | null = null
  let at = 0
  let isRoom = true
  await inSteps(() => {
    for (let left = RECORDS_A_STEP; left > 0; left--) {
      if (!cursor.next()) return true
      if (cursor.offset < fromOffset) continue
      const length = STORED_OVERHEAD + Math.max(cursor.keyLength, 0) + Math.max(cursor.valueLength, 0)
      isRoom = count === 0 || at + length <= allowed
      if (!isRoom) return true
      into ??= Buffer.allocUnsafe(Math.min(most, Math.max(allowed, length)))
      at = writeEntry(cursor, into, at, length)
      count++
      lastOffset = cursor.offset
    }
    return false
  })
  if (into !== null) output.parts.push((into as Buffer).subarray(0, at))
  output.bytes += at
  output.count = count
  output.lastOffset = lastOffset
  return isRoom && output.bytes < maxBytes
}

function writeEntry(cursor: RecordCursor, into: Buffer, start: number, length: number): number {
  const { bytes, keyLength, valueLength } = cursor
  writeInt64(into, cursor.offset, start)
  writeInt64(into, cursor.timestamp, start + 8)
  let at = into.writeInt32BE(keyLength, start + 16)
  if (keyLength > 0) at = copyBytes(bytes, cursor.keyAt, keyLength, into, at)
  at = into.writeInt32BE(valueLength, at)
  if (valueLength > 0) at = copyBytes(bytes, cursor.valueAt, valueLength, into, at)
  into.writeUInt32BE(native.crc32(into.subarray(start, at)), at)
  return start + length
}
