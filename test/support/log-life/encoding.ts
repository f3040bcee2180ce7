import type { PackedBatch } from '../../../src/log/append-queue.js'
import { compress } from '../../../src/log/recompression.js'
import { encodeBatch } from '../../../src/log/record-batch-encoder.js'
import { encodePacked } from '../../../src/log/record-codec.js'
import type { RecordFormat } from '../../../src/log/record-format.js'
import { native } from '../../../src/native/load.js'
import { withRecords } from '../record-batches.js'
import type { Append } from './operations.js'
import type { Sequence } from './producers.js'

/** The batch as it is handed to a log whose clock says `now`. */
export async function encodeAppend(
  format: RecordFormat,
  append: Append,
  now: number,
  sequence: Sequence | null,
): Promise<PackedBatch> {
  const { records, codec, logAppendTime } = append
  if (format === 'mykafka') {
    const bytes = encodePacked(records)
    const count = records.length
    return { records: bytes, count, timestamp: now, storedLength: native.checkPacked(bytes, count, true) }
  }
  const plain = encodeBatch(
    records.map(({ key, value, age, header }, offset) => ({
      offset,
      timestamp: now - age,
      key: Buffer.from(key),
      value: value === null ? null : Buffer.from(value),
      headers: header === null ? [] : [{ key: 'header', value: Buffer.from(header) }],
    })),
  )
  if (sequence !== null) {
    plain.writeBigInt64BE(BigInt(sequence.producerId), 43)
    plain.writeInt16BE(sequence.producerEpoch, 51)
    plain.writeInt32BE(sequence.baseSequence, 53)
  }
  const compressed = await compress(codec, plain.subarray(61))
  const bytes = withRecords(plain, compressed.bytes, compressed.codec)
  return { records: bytes, count: records.length, timestamp: logAppendTime ? now : -1, storedLength: bytes.length }
}
