import { MyKafkaError } from '../../errors.js'
import { inSteps } from '../../loop-turns.js'
import type { PackedBatch } from '../append-queue.js'
import { copyBytes } from '../copy-bytes.js'
import { decodeSentBatch, isControl, isTransactional, type RecordBatch } from '../record-batch.js'
import { MAX_KEY_BYTES, PACKED_OVERHEAD } from '../record-codec.js'
import { RECORDS_A_STEP, RecordCursor } from '../record-cursor.js'
import { type ConversionLimits, plainRecords, STORED_OVERHEAD } from './limits.js'
import { withoutKey } from './require-keys.js'

/** How a batch is packed. */
export interface PackOptions extends ConversionLimits {
  /** The time that all records get; -1: they keep their own. */
  readonly logAppendTimeMs: number
  /** Whether a record without a key is refused. */
  readonly keysRequired: boolean
}

/**
 * What a mykafka log appends of one RecordBatch that came over Kafka's wire and that native code has checked: packed
 * records, a run of one timestamp each, to be appended together. At once where the records are not compressed and few.
 *
 * @throws MyKafkaError UNSUPPORTED_FOR_MESSAGE_FORMAT for headers, transactional and control batches; INVALID_RECORD,
 *   MESSAGE_TOO_LARGE, UNSUPPORTED_COMPRESSION_TYPE
 */
export function packBatch(bytes: Buffer, options: PackOptions): PackedBatch[] | Promise<PackedBatch[]> {
  const batch = decodeSentBatch(bytes)
  if (isTransactional(batch) || isControl(batch)) throw unsupported('batches of transactions')
  const records = plainRecords(batch, options)
  return records instanceof Promise
    ? records.then((plain) => pack(batch, plain, options))
    : pack(batch, records, options)
}

function pack(
  batch: RecordBatch,
  plain: Buffer,
  { logAppendTimeMs, keysRequired }: PackOptions,
): PackedBatch[] | Promise<PackedBatch[]> {
  const cursor = new RecordCursor(batch, plain)
  // The shortest record has seven bytes beside key and value, a packed one eight.
  const packed = Buffer.allocUnsafe(plain.length + batch.count)
  const runs: PackedBatch[] = []
  let at = 0
  let run = startRun(0, 0)
  let next = batch.baseOffset
  const addOne = (): void => {
    if (cursor.offset !== next) throw new MyKafkaError('INVALID_RECORD', `an offset is missing before ${cursor.offset}`)
    if (cursor.headerCount > 0) throw unsupported('headers')
    if (keysRequired && cursor.keyLength < 0) throw withoutKey()
    if (cursor.keyLength > MAX_KEY_BYTES) {
      throw new MyKafkaError('MESSAGE_TOO_LARGE', `a key of ${cursor.keyLength} bytes is larger than ${MAX_KEY_BYTES}`)
    }
    const timestamp = logAppendTimeMs < 0 ? cursor.timestamp : logAppendTimeMs
    if (run.count > 0 && timestamp !== run.timestamp) {
      runs.push(endRun(run, packed, at))
      run = startRun(at, timestamp)
    }
    run.timestamp = timestamp
    run.count++
    at = packField(cursor.bytes, cursor.keyAt, cursor.keyLength, packed, at)
    at = packField(cursor.bytes, cursor.valueAt, cursor.valueLength, packed, at)
    next++
  }
  const packing = inSteps(() => {
    for (let left = RECORDS_A_STEP; left > 0; left--) {
      if (!cursor.next()) return true
      addOne()
    }
    return false
  })
  const end = (): PackedBatch[] => {
    if (run.count > 0) runs.push(endRun(run, packed, at))
    return runs
  }
  return packing === undefined ? end() : packing.then(end)
}

interface Run {
  start: number
  timestamp: number
  count: number
}

function startRun(start: number, timestamp: number): Run {
  return { start, timestamp, count: 0 }
}

function endRun({ start, timestamp, count }: Run, packed: Buffer, end: number): PackedBatch {
  const storedLength = end - start + (STORED_OVERHEAD - PACKED_OVERHEAD) * count
  return { records: packed.subarray(start, end), count, timestamp, storedLength }
}

function packField(source: Buffer, from: number, length: number, into: Buffer, position: number): number {
  const at = into.writeInt32BE(length, position)
  return length > 0 ? copyBytes(source, from, length, into, at) : at
}

function unsupported(what: string): MyKafkaError {
  return new MyKafkaError('UNSUPPORTED_FOR_MESSAGE_FORMAT', `a topic of the format mykafka cannot hold ${what}`)
}
