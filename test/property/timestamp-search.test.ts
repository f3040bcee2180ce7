import { readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { PackedBatch } from '../../src/log/append-queue.js'
import { conversionLimits } from '../../src/log/conversion/limits.js'
import type { PartitionLog } from '../../src/log/partition-log.js'
import { encodeBatch } from '../../src/log/record-batch-encoder.js'
import { encodePacked } from '../../src/log/record-codec.js'
import type { RecordFormat } from '../../src/log/record-format.js'
import { native } from '../../src/native/load.js'
import { findByTimestamp } from '../../src/server/kafka/timestamp-lookup.js'
import { share } from '../support/share.js'
import { temporaryDirectory } from '../support/temporary.js'
import { openTimedLog } from '../support/timed-log.js'

const LIMITS = conversionLimits(1 << 20)
const LATEST = 400

/** One append: the timestamps of its records, which are mostly later than those before. */
const batch = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.integer({ min: 0, max: 8 }) },
    { weight: 2, arbitrary: fc.integer({ min: -60, max: 0 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 500 }) },
  ),
  { minLength: 1, maxLength: 4 },
)

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('append'), batches: fc.array(batch, { maxLength: 25 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restart'), clean: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('harm'), how: fc.constantFrom('gone', 'cut', 'zeroed', 'garbage') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), share }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('truncate'), share: share.map((some) => 0.3 + 0.7 * some) }),
  },
)

function toAppend(format: RecordFormat, timestamps: readonly number[]): PackedBatch[] {
  const value = Buffer.alloc(30)
  if (format === 'mykafka') {
    const records = encodePacked([{ key: null, value }])
    const storedLength = native.checkPacked(records, 1)
    return timestamps.map((timestamp) => ({ records: Buffer.from(records), count: 1, timestamp, storedLength }))
  }
  const records = encodeBatch(timestamps.map((timestamp, offset) => ({ offset, timestamp, key: null, value })))
  return [{ records, count: timestamps.length, timestamp: -1, storedLength: records.length }]
}

async function harm(directory: string, how: string): Promise<void> {
  for (const name of (await readdir(directory)).filter((each) => each.endsWith('.timeindex'))) {
    const path = join(directory, name)
    const { size } = await stat(path)
    if (how === 'gone') await rm(path)
    if (how === 'cut') await truncate(path, Math.floor(size / 24) * 12)
    if (how === 'zeroed') await writeFile(path, Buffer.alloc(size))
    if (how === 'garbage') await writeFile(path, Buffer.alloc(size, 'a timeindex of something else'))
  }
}

/** The log beside a list of the timestamps that it should hold, by offset. */
class Model {
  readonly #format: RecordFormat
  readonly #directory: string
  readonly #timestamps: number[] = []
  #starts: number[] = []
  #clock = 0
  #log: PartitionLog

  constructor(format: RecordFormat, directory: string, log: PartitionLog) {
    this.#format = format
    this.#directory = directory
    this.#log = log
  }

  async append(batches: readonly (readonly number[])[]): Promise<void> {
    for (const deltas of batches) {
      const timestamps = deltas.map((delta) => Math.max(0, this.#clock + delta))
      this.#clock += Math.max(0, Math.min(...deltas))
      await this.#log.append(toAppend(this.#format, timestamps), 1)
      if (this.#format === 'kafka') this.#starts.push(this.#timestamps.length)
      this.#timestamps.push(...timestamps)
    }
  }

  async reopen(clean: boolean, harmed?: string): Promise<void> {
    const { logStartOffset, logEndOffset } = this.#log
    await this.#log.close()
    if (harmed !== undefined) await harm(this.#directory, harmed)
    const recoveryPoint = clean ? logEndOffset : Math.floor((logStartOffset + logEndOffset) / 2)
    this.#log = await openLog(this.#format, this.#directory, { clean, logStartOffset, recoveryPoint })
  }

  delete(share: number): void {
    const { logStartOffset, logEndOffset } = this.#log
    this.#log.raiseLogStart(logStartOffset + Math.floor(share * (logEndOffset - logStartOffset)))
  }

  async truncate(share: number): Promise<void> {
    const { logStartOffset, logEndOffset } = this.#log
    const offset = Math.max(logStartOffset, Math.floor(share * logEndOffset))
    await this.#log.truncateTo(offset)
    // A batch goes whole.
    const end = this.#starts.findLast((start) => start <= offset) ?? offset
    this.#timestamps.length = offset === logEndOffset ? logEndOffset : end
    this.#starts = this.#starts.filter((start) => start < this.#timestamps.length)
    expect(this.#log.logEndOffset).toBe(this.#timestamps.length)
  }

  async check(wanted: readonly number[]): Promise<void> {
    const from = this.#log.logStartOffset
    const readable = this.#timestamps.map((timestamp, offset) => ({ offset, timestamp })).slice(from)
    for (const timestamp of wanted) {
      const first = readable.find((record) => record.timestamp >= timestamp) ?? null
      expect(await findByTimestamp(this.#log, timestamp, LIMITS), `${timestamp} from ${from}`).toEqual(first)
    }
    const largest = Math.max(...readable.map(({ timestamp }) => timestamp))
    const latest = readable.find(({ timestamp }) => timestamp === largest) ?? null
    expect(await findByTimestamp(this.#log, Number.POSITIVE_INFINITY, LIMITS)).toEqual(latest)
  }

  async close(): Promise<void> {
    await this.#log.close()
  }
}

function openLog(recordFormat: RecordFormat, directory: string, options = {}): Promise<PartitionLog> {
  const settings = { recordFormat, segmentBytes: 2000, indexIntervalBytes: 200, segmentMs: 2 ** 53 - 1 }
  return openTimedLog(directory, settings, options)
}

it.each(['mykafka', 'kafka'] as const)('a search by time in a %s log finds what a naive scan does', async (format) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.array(fc.integer({ min: 0, max: LATEST }), { minLength: 5, maxLength: 15 }),
      async (steps, wanted) => {
        const directory = await temporaryDirectory()
        const model = new Model(format, directory, await openLog(format, directory))
        for (const each of steps) {
          if ('batches' in each) await model.append(each.batches)
          else if ('clean' in each) await model.reopen(each.clean)
          else if ('how' in each) await model.reopen(true, each.how)
          else if (each.do === 'delete') model.delete(each.share)
          else await model.truncate(each.share)
          await model.check(wanted)
        }
        await model.close()
      },
    ),
    { numRuns: 40 },
  )
})
