/** Segments as compaction leaves them, written by the letter of docs/disk-format.md, with nothing of ours. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withCrc } from './record-batches.js'

/** What a batch of which records are gone holds. */
export interface CompactedBatch {
  baseOffset: number
  lastOffsetDelta: number
  /** Each is `key-<delta>` with the value `value-<delta>`. */
  deltas: number[]
  timestamp?: number
  logAppendTime?: boolean
  producerId?: number
  baseSequence?: number
}

/** A record batch with some of its records, or none. */
export function compactedBatch(batch: CompactedBatch): Buffer {
  const { timestamp = 1000, producerId = -1, baseSequence = -1 } = batch
  const head = Buffer.alloc(61)
  head.writeBigInt64BE(BigInt(batch.baseOffset), 0)
  head.writeInt8(2, 16)
  head.writeInt16BE(batch.logAppendTime === true ? 8 : 0, 21)
  head.writeInt32BE(batch.lastOffsetDelta, 23)
  head.writeBigInt64BE(BigInt(timestamp), 27)
  head.writeBigInt64BE(BigInt(timestamp), 35)
  head.writeBigInt64BE(BigInt(producerId), 43)
  head.writeInt16BE(producerId < 0 ? -1 : 0, 51)
  head.writeInt32BE(baseSequence, 53)
  head.writeInt32BE(batch.deltas.length, 57)
  const bytes = Buffer.concat([head, ...batch.deltas.map(shortRecord)])
  bytes.writeInt32BE(bytes.length - 12, 8)
  return withCrc(bytes)
}

/** Of fields below 64 bytes, so that every number is one byte. */
function shortRecord(delta: number): Buffer {
  const key = Buffer.from(`key-${delta}`)
  const value = Buffer.from(`value-${delta}`)
  const field = (bytes: Buffer) => [Buffer.from([bytes.length * 2]), bytes]
  const body = Buffer.concat([Buffer.from([0, 0, delta * 2]), ...field(key), ...field(value), Buffer.from([0])])
  return Buffer.concat([Buffer.from([body.length * 2]), body])
}

export function segmentFile(directory: string, baseOffset: number, ending: string): string {
  return join(directory, `${String(baseOffset).padStart(20, '0')}.${ending}`)
}

/** A segment and the mark of its compaction. */
export async function writeCompacted(
  directory: string,
  baseOffset: number,
  entries: readonly Buffer[],
  cleanedAt = 1_700_000_000_000,
): Promise<void> {
  await writeFile(segmentFile(directory, baseOffset, 'log'), Buffer.concat(entries))
  await writeFile(segmentFile(directory, baseOffset, 'compacted'), compactedMark(cleanedAt))
}

export function compactedMark(cleanedAt: number): Buffer {
  const mark = Buffer.alloc(8)
  mark.writeBigInt64BE(BigInt(cleanedAt))
  return mark
}

/** One that nothing was removed of. */
export async function writeDense(directory: string, baseOffset: number, entries: readonly Buffer[]): Promise<void> {
  await writeFile(segmentFile(directory, baseOffset, 'log'), Buffer.concat(entries))
}
