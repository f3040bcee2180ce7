/** A log of keyed records in either format, and what a reader sees of it. */
import { Throttle } from '../../src/log/compaction/throttle.js'
import { decompress } from '../../src/log/compression.js'
import { type LogConfig, resolveLogConfig } from '../../src/log/log-config.js'
import { readSlices } from '../../src/log/log-records.js'
import { PartitionLog, type PartitionLogState } from '../../src/log/partition-log.js'
import type { ProducerBatch } from '../../src/log/producer-state.js'
import { compress } from '../../src/log/recompression.js'
import { codecOf, decodeBatches } from '../../src/log/record-batch.js'
import { encodeBatch } from '../../src/log/record-batch-encoder.js'
import { decodeStored, encodePacked } from '../../src/log/record-codec.js'
import { iterateBatch } from '../../src/log/record-cursor.js'
import { native } from '../../src/native/load.js'
import { memoryLogger } from './memory-logger.js'
import { withRecords } from './record-batches.js'

export type Format = LogConfig['recordFormat']

/** A record; a null value is a tombstone. */
export interface Keyed {
  readonly key: string
  readonly value: string | null
}

export interface SeenRecord extends Keyed {
  readonly offset: number
  readonly timestamp: number
}

export interface WriteOptions {
  /** Of the batch, in a kafka log. */
  codec?: number
  timestamp?: number
  producer?: Omit<ProducerBatch, 'recordCount'>
}

export const COMPACTION = {
  minCleanableDirtyRatio: 0,
  minCompactionLagMs: 0,
  maxCompactionLagMs: Number.MAX_SAFE_INTEGER,
  deleteRetentionMs: 86_400_000,
}

/** How tests compact, where they say nothing else. */
export function cleaningOptions(settings: Partial<typeof COMPACTION> = {}) {
  return {
    settings: { ...COMPACTION, ...settings },
    bufferBytes: 1 << 20,
    loadFactor: 0.9,
    ioBufferBytes: 512 << 10,
    maxPlainBytes: 64 << 20,
    throttle: new Throttle(Number.POSITIVE_INFINITY),
    signal: new AbortController().signal,
  }
}

/** Small segments: many records make several. */
export async function openKeyedLog(
  directory: string,
  recordFormat: Format,
  {
    state = {},
    logger = memoryLogger(),
    ...config
  }: Partial<LogConfig> & {
    state?: Partial<PartitionLogState>
    logger?: ReturnType<typeof memoryLogger>
  } = {},
): Promise<PartitionLog> {
  return await PartitionLog.open(directory, {
    config: resolveLogConfig({ recordFormat, segmentBytes: 4096, indexIntervalBytes: 256, fsync: 'acks', ...config }),
    logger,
    recoveryPoint: 0,
    logStartOffset: 0,
    clean: true,
    ...state,
  })
}

/** What a clean stop leaves to the next start. */
export function stateOf(log: PartitionLog): PartitionLogState {
  const { recoveryPoint, logStartOffset, compaction } = log
  return { recoveryPoint, logStartOffset, firstDirtyOffset: compaction.cleanedTo, clean: true }
}

/** Appends records as one batch. */
export async function write(log: PartitionLog, records: readonly Keyed[], options: WriteOptions = {}): Promise<number> {
  const { timestamp = 1_700_000_000_000 } = options
  const batch =
    log.config.recordFormat === 'kafka'
      ? { ...(await kafkaBatch(records, timestamp, options)), timestamp: -1 }
      : { ...packed(records), timestamp }
  const producer = options.producer && { ...options.producer, recordCount: records.length }
  const { baseOffset } = await log.append([{ ...batch, count: records.length }], 1, producer)
  return baseOffset
}

function packed(records: readonly Keyed[]) {
  const bytes = encodePacked(records)
  return { records: bytes, storedLength: native.checkPacked(bytes, records.length, true) }
}

async function kafkaBatch(records: readonly Keyed[], timestamp: number, { codec = 0, producer }: WriteOptions) {
  const inputs = records.map(({ key, value }, offset) => {
    return { offset, timestamp, key: Buffer.from(key), value: value === null ? null : Buffer.from(value) }
  })
  let bytes = encodeBatch(inputs)
  if (producer !== undefined) {
    bytes.writeBigInt64BE(BigInt(producer.producerId), 43)
    bytes.writeInt16BE(producer.producerEpoch, 51)
    bytes.writeInt32BE(producer.baseSequence, 53)
  }
  const compressed = await compress(codec, bytes.subarray(61))
  bytes = withRecords(bytes, compressed.bytes, compressed.codec)
  return { records: bytes, storedLength: bytes.length }
}

/** Every record from an offset on, read in steps of so many bytes. */
export async function readAll(log: PartitionLog, from = log.logStartOffset, maxBytes = 1500): Promise<SeenRecord[]> {
  const all: SeenRecord[] = []
  for (let offset = from; offset < log.highWatermark; ) {
    const result = await log.read({ offset, maxBytes, upperBound: log.highWatermark })
    const { lastOffset } = result
    if (lastOffset < offset) {
      if (result.slices.length > 0) throw new Error(`a read from ${offset} ends at ${lastOffset}`)
      return all
    }
    const bytes = await readSlices(result)
    all.push(...(await decode(bytes, log.config.recordFormat)).filter((record) => record.offset >= offset))
    offset = lastOffset + 1
  }
  return all
}

/** The records of stored entries. */
export async function decode(bytes: Buffer, recordFormat: Format): Promise<SeenRecord[]> {
  if (recordFormat === 'mykafka') return decodeStored(bytes).map(seen)
  const records: SeenRecord[] = []
  for (const batch of decodeBatches(bytes)) {
    const plain = await decompress(codecOf(batch), batch.records, 1 << 26)
    for (const record of iterateBatch(batch, plain)) records.push(seen(record))
  }
  return records
}

function seen(record: { offset: number; timestamp: number; key: Buffer | null; value: Buffer | null }): SeenRecord {
  const { offset, timestamp, key, value } = record
  return { offset, timestamp, key: key?.toString() ?? '', value: value?.toString() ?? null }
}

/** The last value of each key that has one. */
export function latest(records: readonly SeenRecord[]): Map<string, string> {
  const values = new Map<string, string>()
  for (const { key, value } of records) {
    if (value === null) values.delete(key)
    else values.set(key, value)
  }
  return values
}
