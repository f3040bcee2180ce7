/** What a reader finds in a log, batch by batch and record by record. */
import { decompress } from '../../../src/log/compression.js'
import { readSlices } from '../../../src/log/log-records.js'
import type { PartitionLog } from '../../../src/log/partition-log.js'
import { codecOf, decodeBatches } from '../../../src/log/record-batch.js'
import { iterateBatch } from '../../../src/log/record-cursor.js'
import { native } from '../../../src/native/load.js'
import { readStoredEntries } from '../stored-format.js'

/** A record as it is read. */
export interface SeenRecord {
  readonly offset: number
  readonly timestamp: number
  readonly key: string
  readonly value: string | null
  readonly header: string | null
}

/** What stays of a kafka batch, whatever becomes of its records. */
export interface SeenBatch {
  readonly baseOffset: number
  readonly lastOffset: number
  readonly codec: number
  readonly producerId: number
  readonly baseSequence: number
}

export interface Seen {
  readonly records: SeenRecord[]
  readonly batches: SeenBatch[]
  /** The offset behind what was read. */
  readonly nextOffset: number
}

/** One read. Null at the end of the log. */
export async function readOnce(log: PartitionLog, offset: number, maxBytes: number): Promise<Seen | null> {
  const result = await log.read({ offset, maxBytes, upperBound: log.highWatermark })
  const { count, lastOffset } = result
  const bytes = await readSlices(result)
  if (bytes.length === 0) return null
  if (lastOffset < offset) throw new Error(`a read from ${offset} ended at ${lastOffset}`)
  const isKafka = log.config.recordFormat === 'kafka'
  const seen = isKafka ? await seenBatches(bytes) : { records: seenEntries(bytes), batches: [] }
  const last = isKafka ? seen.batches.at(-1)?.lastOffset : seen.records.at(-1)?.offset
  if (last !== lastOffset) throw new Error(`a read from ${offset} holds ${last} as its last, and tells ${lastOffset}`)
  if (count !== seen.records.length) {
    throw new Error(`a read from ${offset} tells ${count} and holds ${seen.records.length} records`)
  }
  return { ...seen, nextOffset: lastOffset + 1 }
}

/** All from an offset on; each read takes what `maxBytes` says. */
export async function readThrough(log: PartitionLog, from: number, maxBytes: () => number): Promise<Seen> {
  const records: SeenRecord[] = []
  const batches: SeenBatch[] = []
  for (let offset = from; ; ) {
    const seen = offset < log.highWatermark ? await readOnce(log, offset, maxBytes()) : null
    if (seen === null) return { records, batches, nextOffset: offset }
    // The first batch may begin below the offset.
    records.push(...seen.records.filter((record) => record.offset >= from))
    batches.push(...seen.batches)
    offset = seen.nextOffset
  }
}

function seenEntries(bytes: Buffer): SeenRecord[] {
  return readStoredEntries(bytes).map(({ offset, timestamp, key, value }) => ({
    offset: Number(offset),
    timestamp: Number(timestamp),
    key: String(key),
    value: value?.toString() ?? null,
    header: null,
  }))
}

async function seenBatches(bytes: Buffer): Promise<Pick<Seen, 'records' | 'batches'>> {
  const records: SeenRecord[] = []
  const batches: SeenBatch[] = []
  let at = 0
  for (const batch of decodeBatches(bytes)) {
    const { baseOffset, lastOffsetDelta, producerId, baseSequence, length } = batch
    const crc = bytes.readUInt32BE(at + 17)
    if (native.crc32c(bytes.subarray(at + 21, at + length)) !== crc) throw new Error(`a wrong CRC at ${baseOffset}`)
    at += length
    batches.push({
      baseOffset,
      lastOffset: baseOffset + lastOffsetDelta,
      codec: codecOf(batch),
      producerId,
      baseSequence,
    })
    let largest = -1
    const plain = batch.count === 0 ? batch.records : await decompress(codecOf(batch), batch.records, 1 << 26)
    for (const { offset, timestamp, key, value, headers } of batch.count === 0 ? [] : iterateBatch(batch, plain)) {
      const header = headers[0]?.value?.toString() ?? null
      records.push({ offset, timestamp, key: String(key), value: value?.toString() ?? null, header })
      largest = Math.max(largest, timestamp)
    }
    if (batch.count > 0 && batch.maxTimestamp !== largest) throw new Error(`a wrong maxTimestamp at ${baseOffset}`)
  }
  return { records, batches }
}
