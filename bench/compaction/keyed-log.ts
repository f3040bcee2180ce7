/** Logs for compaction: records of one length with keys of 16 bytes. */
import { CODECS, type CodecName } from '../../src/log/compression-codec.js'
import { resolveLogConfig } from '../../src/log/log-config.js'
import { PartitionLog } from '../../src/log/partition-log.js'
import { compress } from '../../src/log/recompression.js'
import { encodeBatch } from '../../src/log/record-batch-encoder.js'
import { encodePacked } from '../../src/log/record-codec.js'
import { silentLogger } from '../../src/logger.js'
import { native } from '../../src/native/load.js'

const KEY_BYTES = 16
/** So many batches go into one append. */
const APPEND_BATCHES = 16
const HEAD_BYTES = 61
const [LENGTH_AT, CRC_AT, ATTRIBUTES_AT] = [8, 17, 21]
const TIMESTAMP = 1_700_000_000_000
const MONTH_MS = 30 * 86_400_000

/** How the entries of a log are written. */
export type Entries = "MyKafka's records" | 'batches' | `batches, ${Exclude<CodecName, 'none'>}`

/** What a batch has. */
export interface Shape {
  readonly records: number
  readonly valueBytes: number
}

/** Some 16 KiB. */
export const USUAL_SHAPE: Shape = { records: 128, valueBytes: 100 }

/** As many keys all the while, or a new one with every other record. */
export const KEYS = { stay: '100,000, as many all the while', grow: 'a new one with every other record' } as const
export type Keys = keyof typeof KEYS

const STAYING_KEYS = 100_000

export function openLog(directory: string, entries: Entries, segmentBytes: number): Promise<PartitionLog> {
  return PartitionLog.open(directory, {
    config: resolveLogConfig({ recordFormat: entries === "MyKafka's records" ? 'mykafka' : 'kafka', segmentBytes }),
    logger: silentLogger,
    recoveryPoint: 0,
    logStartOffset: 0,
    clean: true,
  })
}

/** Appends so many records, and up to an append more; the active segment is empty then. */
export async function fillLog(
  log: PartitionLog,
  entries: Entries,
  keys: Keys,
  records: number,
  shape = USUAL_SHAPE,
): Promise<void> {
  const nextKey = keySequence(keys)
  const templates = Array.from({ length: APPEND_BATCHES }, () => new Template(entries, shape))
  for (let written = 0; written < records; written += APPEND_BATCHES * shape.records) {
    const batches = []
    for (const template of templates) batches.push(await template.batch(nextKey))
    await log.append(batches, 1)
  }
  // A month later the segment is too old to be gone on with, and can be compacted.
  await log.retention.rollIfOld(Date.now() + MONTH_MS)
}

function keySequence(keys: Keys): () => number {
  let state = 1
  const random = (below: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
  let made = 0
  let isNew = true
  return () => {
    if (keys === 'stay') return random(STAYING_KEYS)
    isNew = !isNew
    return isNew ? random(made) : made++
  }
}

/** A batch whose keys are written anew each time. */
class Template {
  readonly #entries: Entries
  readonly #plain: Buffer
  /** Where the last four bytes of each key are. */
  readonly #keysAt: number[] = []

  constructor(entries: Entries, shape: Shape) {
    this.#entries = entries
    const records = Array.from({ length: shape.records }, (_, offset) => {
      const key = Buffer.from(`key ${offset}`.padEnd(KEY_BYTES, '.'))
      return { offset, timestamp: TIMESTAMP, key, value: value(offset, shape.valueBytes) }
    })
    this.#plain = entries === "MyKafka's records" ? encodePacked(records) : encodeBatch(records)
    for (const { key } of records) {
      const at = this.#plain.indexOf(key)
      this.#keysAt.push(at + KEY_BYTES - 4)
      this.#plain.fill('key.', at, at + KEY_BYTES)
    }
  }

  async batch(nextKey: () => number) {
    const plain = this.#plain
    for (const at of this.#keysAt) plain.writeUInt32BE(nextKey(), at)
    const count = this.#keysAt.length
    if (this.#entries === "MyKafka's records") {
      return { records: plain, count, timestamp: TIMESTAMP, storedLength: native.checkPacked(plain, count) }
    }
    const batch = this.#entries === 'batches' ? plain : await compressed(plain, codecOf(this.#entries))
    batch.writeUInt32BE(native.crc32c(batch.subarray(ATTRIBUTES_AT)), CRC_AT)
    return { records: batch, count, timestamp: -1, storedLength: batch.length }
  }
}

/** Half of it compresses. */
function value(seed: number, length: number): Buffer {
  const bytes = Buffer.alloc(length, 'mykafka ')
  let state = seed + 1
  for (let at = 0; at < length / 2; at++) {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    bytes[at] = (state ^ (state >>> 13)) >>> 16
  }
  return bytes
}

function codecOf(entries: Entries): number {
  return CODECS.indexOf(entries.replace('batches, ', '') as CodecName)
}

async function compressed(plain: Buffer, by: number): Promise<Buffer> {
  const { codec, bytes } = await compress(by, plain.subarray(HEAD_BYTES))
  const batch = Buffer.concat([plain.subarray(0, HEAD_BYTES), bytes])
  batch.writeInt32BE(batch.length - LENGTH_AT - 4, LENGTH_AT)
  batch.writeInt16BE(codec, ATTRIBUTES_AT)
  return batch
}
