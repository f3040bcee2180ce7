/** test/vectors/kafka-record-batches.json: batches that Kafka's own and other clients wrote, and what they hold. */
import type { BatchRecord } from '../../src/log/record-cursor.js'
import { readVectors } from './vectors.js'

type Bytes = string | { repeat: string; times: number } | null

interface GivenRecord {
  timestamp: number
  key: string | null
  value: Bytes
  headers: [name: string, value: string | null][]
}

interface Vectors {
  sets: Record<string, GivenRecord[]>
  batches: { from: string; set: string; codec: number; variant: string; hex: string }[]
  control: string
  streams: { name: string; codec: number; hex: string; plain: Bytes }[]
  bombs: { name: string; codec: number; hex: string; plain: Bytes }[]
}

export interface BatchVector {
  /** Who wrote it, what, how. */
  name: string
  from: string
  set: string
  codec: number
  variant: string
  bytes: Buffer
  records: BatchRecord[]
}

const vectors = readVectors<Vectors>('kafka-record-batches.json')
const APPENDED_AT = 1_800_000_000_000
const LOG_APPEND_BASE = 1000

/** Every batch, with the records that it must decode to. */
export const batchVectors: readonly BatchVector[] = vectors.batches.map(({ hex, ...vector }) => ({
  ...vector,
  name: `${vector.set}, codec ${vector.codec}, ${vector.variant}, by ${vector.from}`,
  bytes: Buffer.from(hex, 'hex'),
  records: setRecords(vector.set, vector.variant === 'logAppend'),
}))

/** A batch that ends a transaction. */
export const controlBatch = Buffer.from(vectors.control, 'hex')

/** Compressed streams of every kind, and what they decompress to. */
export const streamVectors = vectors.streams.map(decodeStream)

/** Small streams that decompress to 8 MiB. */
export const bombVectors = vectors.bombs.map(decodeStream)

/** Records with their bytes as text, which is compared fast. */
export function asText(records: Iterable<Omit<BatchRecord, 'headers'> & Partial<BatchRecord>>) {
  const hex = (bytes: Buffer | null) => bytes?.toString('hex') ?? null
  return [...records].map(({ offset, timestamp, key, value, headers = [] }) => ({
    offset,
    timestamp,
    key: hex(key),
    value: hex(value),
    headers: headers.map((header) => [header.key, hex(header.value)]),
  }))
}

/** The batch with the CRC of what it holds, by its definition. */
export function withCrc(batch: Buffer): Buffer {
  let crc = 0xffffffff
  for (const byte of batch.subarray(21)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0)
  }
  batch.writeUInt32BE((crc ^ 0xffffffff) >>> 0, 17)
  return batch
}

/** The batch with other bytes for its records, compressed by a codec. */
export function withRecords(batch: Buffer, records: Buffer, codec: number): Buffer {
  const changed = Buffer.concat([batch.subarray(0, 61), records])
  changed.writeInt32BE(changed.length - 12, 8)
  changed.writeInt16BE(codec, 21)
  return withCrc(changed)
}

/** The first batch like this. */
export function batchVector(like: Partial<BatchVector>): BatchVector {
  const wanted = Object.entries(like) as [keyof BatchVector, unknown][]
  const found = batchVectors.find((vector) => wanted.every(([field, value]) => vector[field] === value))
  if (found === undefined) throw new Error(`no vector like ${JSON.stringify(like)}`)
  return found
}

function setRecords(set: string, logAppend: boolean): BatchRecord[] {
  return (vectors.sets[set] ?? []).map(({ timestamp, key, value, headers }, i) => ({
    offset: logAppend ? LOG_APPEND_BASE + i : i,
    timestamp: logAppend ? APPENDED_AT : timestamp,
    key: toBytes(key),
    value: toBytes(value),
    headers: headers.map(([name, header]) => ({ key: name, value: toBytes(header) })),
  }))
}

function decodeStream({ name, codec, hex, plain }: Vectors['streams'][number]) {
  return { name, codec, bytes: Buffer.from(hex, 'hex'), plain: toBytes(plain) as Buffer }
}

function toBytes(bytes: Bytes): Buffer | null {
  if (bytes === null) return null
  if (typeof bytes === 'string') return Buffer.from(bytes, 'hex')
  const unit = Buffer.from(bytes.repeat, 'hex')
  return Buffer.alloc(unit.length * bytes.times, unit)
}
