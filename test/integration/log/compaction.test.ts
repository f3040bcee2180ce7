import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Throttle } from '../../../src/log/compaction/throttle.js'
import { Log } from '../../../src/log/log.js'
import { readSlices } from '../../../src/log/log-records.js'
import type { PartitionLog } from '../../../src/log/partition-log.js'
import { decodeBatch } from '../../../src/log/record-batch.js'
import { flipBits } from '../../support/damage.js'
import {
  cleaningOptions,
  decode,
  type Format,
  latest,
  openKeyedLog,
  readAll,
  type SeenRecord,
  stateOf,
  write,
} from '../../support/keyed-log.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { batchVectors } from '../../support/record-batches.js'
import { scaled } from '../../support/scale.js'
import { temporaryDirectory } from '../../support/temporary.js'

const KEYS = 20

/** Rounds of all keys with growing values, two records a batch; every key that 5 divides is deleted at the end. */
async function fill(log: PartitionLog, rounds: number, codec = 0): Promise<SeenRecord[]> {
  for (let round = 0; round < rounds; round++) {
    for (let key = 0; key < KEYS; key += 2) {
      const record = (k: number) => ({ key: `key-${k}`, value: `value ${round} of ${k} ${'.'.repeat(30)}` })
      await write(log, [record(key), record(key + 1)], { codec })
    }
  }
  for (let key = 0; key < KEYS; key += 5) await write(log, [{ key: `key-${key}`, value: null }], { codec })
  return await readAll(log)
}

/** Fills the active segment with records of one key, so that what is before it is sealed. */
async function seal(log: PartitionLog): Promise<void> {
  const { segments } = log.stats()
  while (log.stats().segments === segments) await write(log, [{ key: 'filler', value: '.'.repeat(500) }])
}

/** What must be left of records: of those below the end, the last of each key. */
function compacted(all: readonly SeenRecord[], endOffset: number): SeenRecord[] {
  const last = new Map<string, number>()
  for (const { key, offset } of all) if (offset < endOffset) last.set(key, offset)
  return all.filter(({ key, offset }) => offset >= endOffset || last.get(key) === offset)
}

const formats: { recordFormat: Format; codec: number }[] = [
  { recordFormat: 'mykafka', codec: 0 },
  ...[0, 1, 2, 3, 4].map((codec) => ({ recordFormat: 'kafka' as const, codec })),
]

describe.each(formats)('compaction of $recordFormat entries (codec $codec)', ({ recordFormat, codec }) => {
  it('leaves the last record of each key at its offset, also to the next start', async () => {
    const directory = await temporaryDirectory()
    const log = await openKeyedLog(directory, recordFormat)
    await fill(log, scaled(20, 30), codec)
    await seal(log)
    const before = await readAll(log)
    const report = await log.compaction.clean(cleaningOptions())
    const { endOffset = 0 } = report ?? {}
    expect(report).toMatchObject({ firstDirtyOffset: 0, keys: KEYS + 1, tombstonesKept: KEYS / 5 })
    expect(report?.bytesAfter).toBeLessThan((report?.bytesBefore ?? 0) / 4)
    const after = await readAll(log)
    expect(after).toEqual(compacted(before, endOffset))
    expect(latest(after)).toEqual(latest(before))
    const state = stateOf(log)
    expect(state.firstDirtyOffset).toBe(endOffset)
    await log.close()
    expect((await readdir(directory)).filter((name) => /cleaned|swap|deleted|tmp/.test(name))).toEqual([])
    const again = await openKeyedLog(directory, recordFormat, { state })
    expect(await readAll(again)).toEqual(after)
    expect(await again.verify()).toEqual([])
    await again.close()
    // Behind an unclean stop too.
    const recovered = await openKeyedLog(directory, recordFormat, { state: { ...state, clean: false } })
    expect(await readAll(recovered)).toEqual(after)
    await recovered.close()
    const forgotten = await openKeyedLog(directory, recordFormat, { state: { clean: false } })
    expect(await readAll(forgotten)).toEqual(after)
    await forgotten.close()
  })

  it('reads the same from every offset, one that is gone too', async () => {
    const log = await openKeyedLog(await temporaryDirectory(), recordFormat)
    await fill(log, 10, codec)
    await seal(log)
    await log.compaction.clean(cleaningOptions())
    const all = await readAll(log)
    for (let offset = 0; offset <= log.highWatermark; offset += 7) {
      const rest = all.filter((record) => record.offset >= offset)
      expect(await readAll(log, offset, 1 << 20)).toEqual(rest)
      const { slices } = await log.read({ offset, maxBytes: 1, upperBound: log.highWatermark })
      expect(slices).toHaveLength(rest.length > 0 ? 1 : 0)
      for (const slice of slices) slice.release()
    }
    expect(await readAll(log, 0, 1)).toEqual(all)
    await log.close()
  })

  it('goes on where the last one ended, and removes what has a later record since', async () => {
    const log = await openKeyedLog(await temporaryDirectory(), recordFormat)
    for (let pass = 0; pass < 4; pass++) {
      await fill(log, 5, codec)
      await seal(log)
      const before = await readAll(log)
      const { cleanedTo } = log.compaction
      const report = await log.compaction.clean(cleaningOptions())
      expect(report?.firstDirtyOffset).toBe(cleanedTo)
      // What is small now becomes one.
      if (pass > 0) expect(report?.segmentsAfter).toBeLessThan(report?.segmentsBefore ?? 0)
      expect(await readAll(log)).toEqual(compacted(before, report?.endOffset ?? 0))
    }
    expect(await log.compaction.clean(cleaningOptions())).toBeNull()
    await log.close()
  })

  it('keeps tombstones for delete.retention.ms behind the cleaning that found them, then drops them', async () => {
    const log = await openKeyedLog(await temporaryDirectory(), recordFormat)
    const tombstones = async () => (await readAll(log)).filter(({ value }) => value === null).length
    const clean = async (deleteRetentionMs: number) => {
      await seal(log)
      return await log.compaction.clean(cleaningOptions({ deleteRetentionMs }))
    }
    await fill(log, 5, codec)
    // Their time is over at once, but it begins with this cleaning.
    expect(await clean(0)).toMatchObject({ tombstonesKept: 4 })
    expect(await tombstones()).toBe(4)
    expect(await clean(0)).toMatchObject({ tombstonesKept: 0 })
    expect(await tombstones()).toBe(0)
    await fill(log, 5, codec)
    await clean(86_400_000)
    await clean(86_400_000)
    expect(await tombstones()).toBe(4)
    expect(latest(await readAll(log)).has('key-5')).toBe(false)
    await log.close()
  })

  it('takes several passes where the keys need more memory than there is', async () => {
    const log = await openKeyedLog(await temporaryDirectory(), recordFormat, { segmentBytes: 32_768 })
    for (let i = 0; i < 3000; i += 20) {
      await write(
        log,
        Array.from({ length: 20 }, (_, j) => ({ key: `key-${(i + j) % 1500}`, value: `${i}` })),
        { codec },
      )
    }
    await seal(log)
    const before = await readAll(log, 0, 65_536)
    const options = { ...cleaningOptions(), bufferBytes: 24 * 500 }
    let passes = 0
    let cleanedTo = 0
    while ((await log.compaction.clean(options)) !== null) {
      passes++
      expect(log.compaction.cleanedTo).toBeGreaterThan(cleanedTo)
      cleanedTo = log.compaction.cleanedTo
      expect(latest(await readAll(log, 0, 65_536))).toEqual(latest(before))
    }
    expect(passes).toBeGreaterThan(2)
    expect(await readAll(log, 0, 65_536)).toEqual(compacted(before, cleanedTo))
    await log.close()
  })

  it('does not take away what is being read', async () => {
    const log = await openKeyedLog(await temporaryDirectory(), recordFormat)
    const before = await fill(log, 10, codec)
    await seal(log)
    const reads: { offset: number; bytes: Promise<Buffer> }[] = []
    const held = await log.read({ offset: 0, maxBytes: 1 << 20, upperBound: log.highWatermark })
    await log.compaction.clean(cleaningOptions())
    reads.push({ offset: 0, bytes: readSlices(held) })
    const found = await decode(await (reads[0]?.bytes as Promise<Buffer>), recordFormat)
    expect(found.slice(0, before.length)).toEqual(before)
    await log.close()
  })

  it('does not take for clean what retention has left of a group', async () => {
    const directory = await temporaryDirectory()
    const log = await openKeyedLog(directory, recordFormat)
    for (const records of [[{ key: 'a', value: '1' }], [{ key: 'gone', value: '1' }], [{ key: 'gone', value: null }]]) {
      await write(log, records, { codec })
      await log.roll()
    }
    const options = cleaningOptions({ deleteRetentionMs: 0 })
    // Behind the last step of the second pass: what is written already takes the place of all three.
    let steps = 0
    const removing = {
      sleptMs: 0,
      budgetBytes: Number.POSITIVE_INFINITY,
      spent: async () => {
        if (++steps !== STEPS) return
        log.raiseLogStart(1)
        await log.retention.removeBelow(1, Date.now())
      },
    }
    const STEPS = codec === 0 ? 6 : 9
    const report = await log.compaction.clean({ ...options, throttle: removing as unknown as Throttle })
    // It began anew with the two that are left.
    expect(steps).toBeGreaterThan(STEPS)
    expect(report).toMatchObject({ firstDirtyOffset: 1, segmentsBefore: 2, segmentsAfter: 1 })
    expect((await readdir(directory)).filter((name) => name.includes('cleaned'))).toEqual([])
    for (let pass = 0; pass < 3; pass++) {
      await log.compaction.clean(options)
      expect(latest(await readAll(log)).has('gone')).toBe(false)
      await write(log, [{ key: 'other', value: `${pass}` }])
      await log.roll()
    }
    expect((await readAll(log)).map(({ key }) => key)).not.toContain('gone')
    await log.close()
  })

  it('takes no offset away by what it has emptied, though retention applies', async () => {
    const log = await openKeyedLog(await temporaryDirectory(), recordFormat, { retentionMs: 1000 })
    const timestamp = Date.now()
    for (let i = 0; i < 3; i++) {
      await write(log, [{ key: 'a', value: randomBytes(5000).toString('hex') }], { codec, timestamp })
      await log.roll()
    }
    await log.compaction.clean(cleaningOptions())
    expect(log.segments().map((segment) => segment.size() > 0)).toEqual([false, false, true, false])
    expect(await log.retention.expire(timestamp)).toBe(false)
    expect(log.logStartOffset).toBe(0)
    expect(await readAll(log, 0)).toMatchObject([{ offset: 2 }])
    // With the records behind it, it goes.
    expect(await log.retention.expire(timestamp + 1001)).toBe(true)
    expect(await log.retention.removeBelow(log.logStartOffset, timestamp)).toMatchObject([
      { reason: { by: 'empty' } },
      { reason: { by: 'empty' } },
      { reason: { by: 'time' } },
    ])
    await log.close()
  })

  it('knows of what compaction has emptied that it has no age', async () => {
    const directory = await temporaryDirectory()
    const log = await openKeyedLog(directory, recordFormat)
    for (let i = 0; i < 3; i++) {
      // More than a segment has, also where it is compressed.
      await write(log, [{ key: 'a', value: randomBytes(5000).toString('hex') }], { codec })
      await log.roll()
    }
    await log.compaction.clean(cleaningOptions())
    expect(log.segments()[0]?.size()).toBe(0)
    const state = { ...stateOf(log), firstDirtyOffset: 0 }
    await log.close()
    // How far it was compacted is not known any more.
    const again = await openKeyedLog(directory, recordFormat, { state })
    const { settings } = cleaningOptions({ minCompactionLagMs: 1, maxCompactionLagMs: 1000 })
    expect(await again.compaction.cleanable(settings)).toMatchObject({ firstDirtyOffset: 0, isOverdue: true })
    await again.close()
  })

  it('leaves a damaged segment as it is', async () => {
    const directory = await temporaryDirectory()
    const logger = memoryLogger()
    let log = await openKeyedLog(directory, recordFormat)
    await fill(log, 10, codec)
    await seal(log)
    const state = stateOf(log)
    const bases = log.segments().map(({ baseOffset }) => baseOffset)
    const { logPath } = log.segments()[1] ?? { logPath: '' }
    await log.close()
    await flipBits(logPath, 700)
    log = await openKeyedLog(directory, recordFormat, { state, logger })
    await expect(log.compaction.clean(cleaningOptions())).rejects.toMatchObject({ code: 'CORRUPT_MESSAGE' })
    expect(log.segments().map(({ baseOffset }) => baseOffset)).toEqual(bases)
    expect((await readdir(directory)).filter((name) => /cleaned|swap|deleted/.test(name))).toEqual([])
    await log.close()
  })
})

describe('a compressed batch that loses a record', () => {
  const vectors = batchVectors.filter(({ set, codec, variant }) => set === 'large' && codec > 0 && variant === 'create')

  it.each(vectors)('is compressed again: $name', async ({ bytes, records }) => {
    const log = await openKeyedLog(await temporaryDirectory(), 'kafka', { segmentBytes: 1 << 20 })
    const batch = { records: Buffer.from(bytes), count: records.length, timestamp: -1, storedLength: bytes.length }
    await log.append([batch], 1)
    const before = await readAll(log)
    const { key = '' } = before[1] ?? {}
    await write(log, [{ key, value: 'later' }])
    await write(log, [{ key: 'filler', value: '.'.repeat(1 << 20) }])
    expect(await log.compaction.clean(cleaningOptions())).toMatchObject({ recordsDropped: 1 })
    expect((await readAll(log)).filter(({ offset }) => offset < records.length)).toEqual(
      before.filter((record) => record.key !== key),
    )
    const stored = await readSlices(await log.read({ offset: 0, maxBytes: 1, upperBound: 1 << 30 }))
    const { attributes, lastOffsetDelta, count } = decodeBatch(stored)
    expect(attributes & 7).not.toBe(0)
    expect({ lastOffsetDelta, count }).toEqual({ lastOffsetDelta: records.length - 1, count: records.length - 1 })
    await log.close()
  })
})

describe('the last batch of a producer', () => {
  it('stays even without records, so that its next one is known', async () => {
    const directory = await temporaryDirectory()
    let log = await openKeyedLog(directory, 'kafka')
    const producer = (baseSequence: number) => ({ producer: { producerId: 7, producerEpoch: 0, baseSequence } })
    await write(log, [{ key: 'a', value: '1' }], producer(0))
    await write(
      log,
      [
        { key: 'a', value: '2' },
        { key: 'b', value: '1' },
      ],
      producer(1),
    )
    for (const key of ['a', 'b']) await write(log, [{ key, value: 'by another' }])
    await seal(log)
    await log.compaction.clean(cleaningOptions())
    const stored = await readSlices(await log.read({ offset: 0, maxBytes: 1, upperBound: 3 }))
    expect(decodeBatch(stored)).toMatchObject({
      baseOffset: 1,
      lastOffsetDelta: 1,
      count: 0,
      producerId: 7,
      baseSequence: 1,
    })
    expect((await readAll(log)).slice(0, 2).map(({ offset, key }) => [offset, key])).toEqual([
      [3, 'a'],
      [4, 'b'],
    ])
    const state = stateOf(log)
    await log.close()
    for (const name of await readdir(directory)) if (name.endsWith('.snapshot')) await rm(join(directory, name))
    log = await openKeyedLog(directory, 'kafka', { state: { ...state, clean: false } })
    await expect(write(log, [{ key: 'a', value: '3' }], producer(5))).rejects.toMatchObject({
      code: 'OUT_OF_ORDER_SEQUENCE_NUMBER',
    })
    await write(log, [{ key: 'a', value: '3' }], producer(3))
    await log.close()
  })
})

describe('how far a log was compacted', () => {
  /** Of a `Log`: a key and its deletion where the log was compacted before it was cut. */
  it('is less behind a cut, also to a later start', async () => {
    const directory = await temporaryDirectory()
    let log = await Log.open(directory)
    const rolled = async () => expect(await log.compact({ deleteRetentionMs: 0 })).not.toBeNull()
    await log.appendBatch(['a', 'b', 'c', 'd'].map((key) => ({ key, value: '1' })))
    await rolled()
    await log.truncateTo(1)
    await log.appendBatch([
      { key: 'gone', value: '1' },
      { key: 'gone', value: null },
      { key: 'e', value: '1' },
      { key: 'f', value: '1' },
    ])
    await log.close()
    log = await Log.open(directory)
    for (let pass = 0; pass < 3; pass++) {
      await log.append({ key: 'other', value: `${pass}` })
      await rolled()
    }
    expect((await log.read(0)).map(({ key }) => key?.toString())).toEqual(['a', 'e', 'f', 'other'])
    await log.close()
  })

  it('is not more than there is of the log at a start', async () => {
    const directory = await temporaryDirectory()
    const log = await openKeyedLog(directory, 'mykafka')
    await fill(log, 5)
    await log.close()
    const { baseOffset } = log.segments().at(-1) ?? {}
    const state = { ...stateOf(log), firstDirtyOffset: 1000 }
    const again = await openKeyedLog(directory, 'mykafka', { state })
    expect(again.compaction.cleanedTo).toBe(baseOffset)
    await fill(again, 20)
    expect(again.compaction.firstDirtyOffset).toBe(baseOffset)
    await again.close()
  })
})
