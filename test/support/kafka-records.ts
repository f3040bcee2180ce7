/** What Kafka's Fetch gives, as records. */
import { decompress } from '../../src/log/compression.js'
import { codecOf, decodeBatches, isControl } from '../../src/log/record-batch.js'
import { type BatchRecord, iterateBatch } from '../../src/log/record-cursor.js'
import { fetch } from './kafka-calls.js'
import type { KafkaPeer } from './kafka-peer.js'

/** What one Fetch of partition 0 gave, its batches as they came. */
export async function fetchBatches(
  peer: KafkaPeer,
  topic: string,
  offset: number,
  { maxBytes = 1 << 20, version = 12 }: { maxBytes?: number; version?: number } = {},
): Promise<{ errorCode: number; highWatermark: number; batches: Buffer }> {
  const [found] = await fetch(peer, { topic, offset, maxBytes }, { maxBytes, isolationLevel: 1, version })
  if (found === undefined) throw new Error('a Fetch that tells of no partition')
  return { errorCode: found.errorCode, highWatermark: found.highWatermark, batches: found.records }
}

/** The records of batches, as a client sees them. */
export async function readBatches(batches: Buffer, from = 0): Promise<BatchRecord[]> {
  const records: BatchRecord[] = []
  for (const batch of decodeBatches(batches)) {
    if (isControl(batch)) continue
    const plain = await decompress(codecOf(batch), batch.records, 1 << 28)
    for (const record of iterateBatch(batch, plain)) if (record.offset >= from) records.push(record)
  }
  return records
}

/** Every record of partition 0 from an offset on. */
export async function fetchRecords(
  peer: KafkaPeer,
  topic: string,
  from = 0,
  maxBytes = 1 << 20,
): Promise<BatchRecord[]> {
  const all: BatchRecord[] = []
  for (let offset = from; ; ) {
    const { errorCode, highWatermark, batches } = await fetchBatches(peer, topic, offset, { maxBytes })
    if (errorCode !== 0) throw new Error(`a Fetch from ${offset} answered ${errorCode}`)
    all.push(...(await readBatches(batches, offset)))
    const next = (all.at(-1)?.offset ?? from - 1) + 1
    if (next >= highWatermark || next === offset) return all
    offset = next
  }
}
