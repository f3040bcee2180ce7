/** Compaction beside appends, reads, retention and truncations: nobody sees what was not written, nothing that must stay is lost. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'vitest'
import type { ReadResult } from '../../../../src/log/log-reader.js'
import { readSlices } from '../../../../src/log/log-records.js'
import type { PartitionLog } from '../../../../src/log/partition-log.js'
import { native } from '../../../../src/native/load.js'
import {
  cleaningOptions,
  decode,
  latest,
  openKeyedLog,
  readAll,
  type SeenRecord,
  stateOf,
  write,
} from '../../../support/keyed-log.js'
import { type Random, testRandom } from '../../../support/random.js'
import { temporaryDirectory } from '../../../support/temporary.js'

const KEYS = 40

class Load {
  readonly log: PartitionLog
  readonly #random: Random
  readonly #codecs: readonly number[]
  /** What the log would hold without compaction. */
  history: Omit<SeenRecord, 'timestamp'>[] = []
  /** By offset, whatever was written there: a truncation makes room for something else. */
  readonly #written = new Map<number, Set<string>>()
  #stopped = false
  compactions = 0

  constructor(log: PartitionLog, random: Random, codecs: readonly number[]) {
    this.log = log
    this.#random = random
    this.#codecs = codecs
  }

  async run(writes: number): Promise<void> {
    const others = [this.#read(), this.#read(), this.#compact()]
    for (let i = 0; i < writes; i++) {
      await this.#write(i)
      if (this.#random.next() < 0.02) await this.#deleteBelow()
      if (this.#random.next() < 0.01) await this.#truncate()
    }
    this.#stopped = true
    await Promise.all(others)
  }

  async #write(i: number): Promise<void> {
    const records = Array.from({ length: this.#random.integer(1, 4) }, (_, j) => {
      const key = `key-${this.#random.integer(0, KEYS - 1)}`
      return { key, value: this.#random.next() < 0.1 ? null : `${i}-${j} ${'.'.repeat(this.#random.integer(0, 90))}` }
    })
    // Known before it can be read.
    const first = this.log.logEndOffset
    const placed = records.map((record, j) => ({ offset: first + j, ...record }))
    for (const { offset, key, value } of placed) {
      const contents = this.#written.get(offset) ?? new Set()
      this.#written.set(offset, contents.add(`${key} ${value}`))
    }
    const baseOffset = await write(this.log, records, { codec: this.#random.pick(this.#codecs) })
    expect(baseOffset).toBe(first)
    this.history.push(...placed)
  }

  async #read(): Promise<void> {
    const { log } = this
    while (!this.#stopped) {
      const offset = this.#random.integer(log.logStartOffset, log.logEndOffset)
      const maxBytes = this.#random.pick([1, 500, 10_000])
      const result = await this.#readFrom(offset, maxBytes)
      if (result === null) continue
      await turn()
      const records = await decode(await readSlices(result), log.config.recordFormat)
      for (const record of records) {
        expect(this.#written.get(record.offset), `offset ${record.offset}`).toContain(`${record.key} ${record.value}`)
      }
    }
  }

  /** Null where the offset was deleted or cut off meanwhile. */
  async #readFrom(offset: number, maxBytes: number): Promise<ReadResult | null> {
    try {
      return await this.log.read({ offset, maxBytes, upperBound: this.log.highWatermark })
    } catch (error) {
      expect(error).toMatchObject({ code: 'OFFSET_OUT_OF_RANGE' })
      return null
    }
  }

  async #compact(): Promise<void> {
    while (!this.#stopped) {
      const report = await this.log.compaction.clean(cleaningOptions()).catch((error: { code?: string }) => {
        // A truncation ends a cleaning.
        expect(error.code).toBe('LOG_CLOSED')
        return null
      })
      if (report !== null) this.compactions++
      await turn()
    }
  }

  async #deleteBelow(): Promise<void> {
    const { log } = this
    log.raiseLogStart(this.#random.integer(log.logStartOffset, Math.floor((log.logStartOffset + log.logEndOffset) / 2)))
    await log.retention.removeBelow(log.logStartOffset, Date.now())
  }

  async #truncate(): Promise<void> {
    const { log } = this
    const least = Math.max(log.logStartOffset, log.logEndOffset - 60)
    await log.truncateTo(this.#random.integer(least, log.logEndOffset))
    this.history = this.history.filter(({ offset }) => offset < log.logEndOffset)
  }
}

export const LOGS = [
  { recordFormat: 'mykafka' as const, codecs: [0], openFiles: 1024 },
  { recordFormat: 'mykafka' as const, codecs: [0], openFiles: 1 },
  { recordFormat: 'kafka' as const, codecs: [0, 1, 3], openFiles: 1024 },
]

/** So many writes; what is left is held against what was written. */
export async function compactUnderLoad(
  { recordFormat, codecs, openFiles }: (typeof LOGS)[number],
  writes: number,
): Promise<void> {
  native.setOpenFileLimit(openFiles)
  const directory = await temporaryDirectory()
  const log = await openKeyedLog(directory, recordFormat, { segmentBytes: 2048, fileDeleteDelayMs: 0 })
  const load = new Load(log, testRandom(), codecs)
  await load.run(writes)
  expect(load.compactions).toBeGreaterThan(0)
  const expected = latest(
    load.history.filter(({ offset }) => offset >= log.logStartOffset).map((record) => ({ ...record, timestamp: 0 })),
  )
  const seen = await readAll(log)
  expect(latest(seen)).toEqual(expected)
  expect(seen.length).toBeLessThan(load.history.length)
  expect(await log.verify()).toEqual([])
  const state = { ...stateOf(log), clean: false }
  await log.close()
  const again = await openKeyedLog(directory, recordFormat, { segmentBytes: 2048, state })
  expect(await readAll(again)).toEqual(seen)
  await again.close()
}
