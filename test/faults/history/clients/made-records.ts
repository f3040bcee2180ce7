/** Records that no other of the round is like, but for tombstones. */

import { compress } from '../../../../src/log/recompression.js'
import { BATCH_AT, BATCH_PREFIX } from '../../../../src/log/record-batch.js'
import { encodeBatch } from '../../../../src/log/record-batch-encoder.js'
import { native } from '../../../../src/native/load.js'
import type { Random } from '../../../support/seeded-random.js'
import type { Produce } from '../format.js'
import { digestOf } from '../recorder.js'
import type { Topic } from './topics.js'

const KEYS = 40
const FILLERS = 'abcdefghijklmnopqrstuvwxyz'.repeat(200)

export interface MadeRecord {
  readonly key: Buffer | null
  readonly value: Buffer | null
}

/** The n-th request of a client. */
export function makeRecords(random: Random, name: string, n: number, topic: Topic, most = 8): MadeRecord[] {
  const isKeyed = topic.cleanup === 'compact'
  return Array.from({ length: random.integer(1, most) }, (_, index) => ({
    key: isKeyed || random.next() < 0.3 ? Buffer.from(`key-${random.integer(1, KEYS)}`) : null,
    value: isKeyed && random.next() < 0.1 ? null : Buffer.from(`${name} ${n} ${index} ${filler(random)}`),
  }))
}

function filler(random: Random): string {
  const length = random.next() < 0.95 ? random.integer(0, 200) : random.integer(200, 5000)
  return FILLERS.slice(0, length)
}

/** As a history has them. */
export function asSent(records: readonly MadeRecord[]): Produce['records'] {
  return records.map(({ key, value }) => [digestOf(key, value), key?.toString() ?? null])
}

/** Who sends a batch, and how often it did before. */
export interface Sequence {
  readonly producerId: number
  readonly producerEpoch: number
  readonly baseSequence: number
}

/** A batch as a Kafka client sends it. */
export async function makeBatch(records: readonly MadeRecord[], codec: number, sequence?: Sequence): Promise<Buffer> {
  const timestamp = Date.now()
  const plain = encodeBatch(records.map((record, offset) => ({ offset, timestamp, ...record })))
  const packed = await compress(codec, plain.subarray(BATCH_AT.records))
  const batch = Buffer.concat([plain.subarray(0, BATCH_AT.records), packed.bytes])
  batch.writeInt32BE(batch.length - BATCH_PREFIX, BATCH_AT.batchLength)
  batch.writeInt16BE(packed.codec, BATCH_AT.attributes)
  if (sequence !== undefined) {
    batch.writeBigInt64BE(BigInt(sequence.producerId), BATCH_AT.producerId)
    batch.writeInt16BE(sequence.producerEpoch, BATCH_AT.producerEpoch)
    batch.writeInt32BE(sequence.baseSequence, BATCH_AT.baseSequence)
  }
  batch.writeUInt32BE(native.crc32c(batch.subarray(BATCH_AT.attributes)), BATCH_AT.crc)
  return batch
}
