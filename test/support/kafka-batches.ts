import { readFileSync } from 'node:fs'
import type { PackedBatch } from '../../src/log/append-queue.js'
import { native } from '../../src/native/load.js'
import { BATCH } from '../../src/native/native.js'

/** A batch of test/vectors/kafka-batches.json: made by the Java client or kafka-python, none of ours. */
export interface BatchVector {
  readonly name: string
  readonly by: string
  readonly count: number
  readonly lastOffsetDelta: number
  readonly attributes: number
  readonly baseTimestamp: number
  readonly maxTimestamp: number
  readonly producerId: number
  readonly producerEpoch: number
  readonly baseSequence: number
  /** In hex, as a client sends it. */
  readonly sent: string
  readonly offset: number
  /** -1: the client's times stay. */
  readonly appendTime: number
  /** In hex, what a broker makes of it at `offset`. */
  readonly stored: string
}

const file = new URL('../vectors/kafka-batches.json', import.meta.url)

export const batchVectors: readonly BatchVector[] = JSON.parse(readFileSync(file, 'utf8')).batches

/** Those that a broker accepts of a client. */
export const clientBatches = batchVectors.filter(({ name }) => name !== 'control')

export function batchVector(name: string): BatchVector {
  const vector = batchVectors.find((batch) => batch.name === name)
  if (vector === undefined) throw new Error(`no vector ${name}`)
  return vector
}

/** What an append takes, checked as Produce checks it. */
export function toAppend(vector: BatchVector, timestamp = -1): PackedBatch {
  const records = Buffer.from(vector.sent, 'hex')
  const out = new Float64Array(BATCH.fields)
  native.checkBatch(records, records.length, out)
  return { records, count: out[BATCH.count] as number, timestamp, storedLength: out[BATCH.length] as number }
}

/** The bytes of the batch as they are stored at an offset. */
export function storedAt(vector: BatchVector, offset: number): Buffer {
  const bytes = Buffer.from(vector.sent, 'hex')
  bytes.writeBigInt64BE(BigInt(offset), 0)
  bytes.writeInt32BE(0, 12)
  return bytes
}
