/** Reads a segment of record batches, as Kafka's format says, independently of our own code. */
import { existsSync, readFileSync } from 'node:fs'

export interface StoredBatch {
  readonly baseOffset: number
  readonly codec: 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd'
  readonly count: number
  readonly producerId: bigint
  readonly producerEpoch: number
  readonly baseSequence: number
}

const CODEC_NAMES = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const

export function storedBatches(file: string): StoredBatch[] {
  // A broker may make the file's first write its beginning.
  if (!existsSync(file)) return []
  const bytes = readFileSync(file)
  const batches: StoredBatch[] = []
  for (let at = 0; at + 61 <= bytes.length; ) {
    const length = 12 + bytes.readInt32BE(at + 8)
    // A file may be longer than what is written.
    if (length === 12 || at + length > bytes.length) break
    batches.push({
      baseOffset: Number(bytes.readBigInt64BE(at)),
      codec: CODEC_NAMES[bytes.readInt16BE(at + 21) & 7] ?? 'none',
      producerId: bytes.readBigInt64BE(at + 43),
      producerEpoch: bytes.readInt16BE(at + 51),
      baseSequence: bytes.readInt32BE(at + 53),
      count: bytes.readInt32BE(at + 57),
    })
    at += length
  }
  return batches
}
