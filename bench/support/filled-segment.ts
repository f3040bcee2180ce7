import { encodePacked } from '../../src/log/record-codec.js'
import { native } from '../../src/native/load.js'
import type { NativeSegment } from '../../src/native/native.js'

const STORED_OVERHEAD = 28
const BATCH_BYTES = 1 << 20

export interface SegmentShape {
  readonly directory: string
  readonly records: number
  /** Of a stored record, all in all; 28 at the least. */
  readonly recordBytes: number
  readonly indexIntervalBytes: number
}

/** Packed records that are `recordBytes` each once they are stored. Their values are not all alike. */
export function packedRecords(count: number, recordBytes: number): Buffer {
  const value = Buffer.alloc(recordBytes - STORED_OVERHEAD, 'mykafka ')
  return encodePacked(
    Array.from({ length: count }, (_, i) => {
      if (value.length >= 4) value.writeUInt32BE(i, 0)
      return { value: Buffer.from(value) }
    }),
  )
}

/** A segment of its own with records of one length. */
export function fillSegment({ directory, records, recordBytes, indexIntervalBytes }: SegmentShape): NativeSegment {
  const segment = native.createSegment({ directory, baseOffset: 0, indexIntervalBytes, indexMaxBytes: 1 << 30 })
  const perBatch = Math.min(records, Math.floor(BATCH_BYTES / recordBytes))
  const packed = packedRecords(perBatch, recordBytes)
  for (let offset = 0; offset < records; offset += perBatch) {
    if (!segment.append([packed], [perBatch], [0], offset)) throw new Error('the segment is full')
  }
  return segment
}
