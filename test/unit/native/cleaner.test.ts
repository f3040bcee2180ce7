import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { native } from '../../../src/native/load.js'
import type {
  NativeCleaner,
  NativeCleanStep,
  NativeCleanWriter,
  NativeSegment,
  NativeSegmentOptions,
} from '../../../src/native/native.js'
import { FIND, RANGE } from '../../../src/native/native.js'
import { flipBits } from '../../support/damage.js'
import { packed, type SentRecord } from '../../support/frames.js'
import { temporaryDirectory } from '../../support/temporary.js'

const BUDGET = 1 << 20
const cleanerOptions = { recordFormat: 'mykafka', bufferBytes: 1 << 16, loadFactor: 0.9, runBytes: 0 } as const

/** A sealed segment of records. */
async function segmentOf(
  records: readonly SentRecord[],
): Promise<{ options: NativeSegmentOptions; segment: NativeSegment }> {
  const options = { directory: await temporaryDirectory(), baseOffset: 0, indexIntervalBytes: 100, indexMaxBytes: 8000 }
  const segment = native.createSegment(options)
  expect(segment.append([packed(records)], [records.length], [1000], 0)).toBe(true)
  segment.seal()
  return { options, segment }
}

const writerOf = (
  cleaner: NativeCleaner,
  options: NativeSegmentOptions,
  endOffset: number,
): Promise<NativeCleanWriter> =>
  cleaner.openWriter({
    directory: options.directory,
    baseOffset: options.baseOffset,
    endOffset,
    indexIntervalBytes: options.indexIntervalBytes,
    nowMs: 2000,
    deleteHorizonMs: 3000,
    keepEmpty: new Float64Array(),
  })

/** Key i of 10, over and over. */
const thousand = Array.from({ length: 1000 }, (_, i) => ({ key: `key-${i % 10}`, value: `value-${i}` }))

describe('the native cleaner', () => {
  it('leaves a segment that is read as a sparse one', async () => {
    const { options, segment } = await segmentOf(thousand)
    const cleaner = native.createCleaner(cleanerOptions)
    expect(cleaner.indexedTo()).toBe(-1)
    let step: NativeCleanStep = await cleaner.index(segment, 0, 1000, 5000)
    expect(step).toMatchObject({ stop: 'budget', run: null, bytesWritten: 0 })
    while (step.stop === 'budget') step = await cleaner.index(segment, step.nextOffset, 1000, 5000)
    expect(step).toMatchObject({ nextOffset: 1000, stop: 'end' })
    expect([cleaner.indexedTo(), cleaner.keys()]).toEqual([1000, 10])

    const writer = await writerOf(cleaner, options, 1000)
    expect(writer).toMatchObject({ logPath: join(options.directory, '00000000000000000000.log.cleaned') })
    step = await writer.copy(segment, 0, 0, BUDGET)
    const bytes = 10 * (28 + 5 + 9)
    expect(step).toMatchObject({ nextOffset: 1000, stop: 'end', bytesRead: segment.size(), bytesWritten: bytes })
    expect(await writer.finish()).toEqual({
      bytes,
      entries: 10,
      largestTimestamp: 1000,
      recordsRead: 1000,
      recordsKept: 10,
      tombstones: 0,
    })
    segment.close()
    renameSync(writer.logPath, segment.logPath)
    renameSync(writer.indexPath, join(options.directory, '00000000000000000000.index'))
    cleaner.close()

    const cleaned = native.openSealedSegment({ ...options, sparse: true }, 1000)
    const out = new Float64Array(RANGE.fields)
    expect(await cleaned.findRangeAsync(0, BUDGET, 1000, out)).toBe(FIND.found)
    expect(Array.from(out)).toEqual([0, bytes, 990, 999, 10])
    const value = Buffer.alloc(9)
    expect(cleaned.read(value, 20 + 5 + 4)).toBe(true)
    expect(value.toString()).toBe('value-990')
    cleaned.close()
  })

  it('takes one call at a time', async () => {
    const { options, segment } = await segmentOf(thousand)
    const cleaner = native.createCleaner(cleanerOptions)
    const first = cleaner.index(segment, 0, 1000, BUDGET)
    await expect(cleaner.index(segment, 0, 1000, BUDGET)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(writerOf(cleaner, options, 1000)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(() => cleaner.keys()).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
    expect(await first).toMatchObject({ stop: 'end' })
    expect(cleaner.keys()).toBe(10)
  })

  it('that is closed ends what is under way, and its file can still be removed', async () => {
    const { options, segment } = await segmentOf(thousand)
    const cleaner = native.createCleaner(cleanerOptions)
    const writer = await writerOf(cleaner, options, 1000)
    const copying = writer.copy(segment, 0, 0, BUDGET)
    cleaner.close()
    cleaner.close()
    // Whichever was faster.
    await copying.catch((error) => expect(error).toMatchObject({ code: 'ABORTED' }))
    await expect(cleaner.index(segment, 0, 1000, BUDGET)).rejects.toMatchObject({ code: 'ABORTED' })
    await expect(writer.finish()).rejects.toMatchObject({ code: 'ABORTED' })
    expect(() => cleaner.indexedTo()).toThrow(expect.objectContaining({ code: 'ABORTED' }))
    await writer.abort()
    expect([writer.logPath, writer.indexPath].map((path) => existsSync(path))).toEqual([false, false])
  })

  it('refuses a damaged segment', async () => {
    const { options, segment } = await segmentOf(thousand)
    await flipBits(segment.logPath, 20_000, 1)
    const cleaner = native.createCleaner(cleanerOptions)
    await expect(cleaner.index(segment, 0, 1000, BUDGET)).rejects.toMatchObject({ code: 'CORRUPT_MESSAGE' })
    const writer = await writerOf(cleaner, options, 1000)
    await expect(writer.copy(segment, 0, 0, BUDGET)).rejects.toMatchObject({ code: 'CORRUPT_MESSAGE' })
    await writer.abort()
  })

  it('tells where no file can be made', async () => {
    const cleaner = native.createCleaner(cleanerOptions)
    const options = { directory: '/nowhere', baseOffset: 0, indexIntervalBytes: 0, indexMaxBytes: 8 }
    await expect(writerOf(cleaner, options, 1)).rejects.toMatchObject({ code: 'KAFKA_STORAGE_ERROR' })
  })
})

interface CleanedVector {
  readonly name: string
  readonly source: string
  readonly records: string
  readonly now: number
  readonly horizon: number
  readonly keepEmpty: number
  readonly result: string
  readonly left: string
}

const file = new URL('../../vectors/kafka-cleaned-batches.json', import.meta.url)
const vectors: readonly CleanedVector[] = JSON.parse(readFileSync(file, 'utf8')).vectors

/** The source of a vector, of a compressed batch, and behind it, at offset 200, one that has the key `a`. */
async function compressedSegment(vector: CleanedVector): Promise<NativeSegment> {
  const behind = Buffer.from(vectors.find(({ name }) => name === 'all stay')?.source ?? '', 'hex')
  behind.writeBigInt64BE(200n)
  const directory = await temporaryDirectory()
  writeFileSync(join(directory, '00000000000000000100.log'), Buffer.concat([Buffer.from(vector.source, 'hex'), behind]))
  const options = {
    directory,
    baseOffset: 100,
    indexIntervalBytes: 0,
    indexMaxBytes: 8000,
    recordFormat: 'kafka',
  } as const
  return native.openSealedSegment({ ...options, sparse: true }, 204)
}

describe('a compressed batch', () => {
  it.each(['the first goes, gzip', 'the last of a producer, gzip'])(
    'is left as the Java client leaves it: %s',
    async (name) => {
      const vector = vectors.find((each) => each.name === name) as CleanedVector
      const [source, records, result] = [vector.source, vector.records, vector.result].map((hex) =>
        Buffer.from(hex, 'hex'),
      )
      const segment = await compressedSegment(vector)
      const run = { bytes: source, compressed: Uint32Array.of(0) }
      const cleaner = native.createCleaner({ ...cleanerOptions, recordFormat: 'kafka' })
      expect(await cleaner.index(segment, 100, 204, BUDGET)).toMatchObject({ stop: 'compressed', run })
      const indexed = await cleaner.indexRecords([records as Buffer])
      expect(indexed.stop).toBe('end')
      // Only `a` is known to have a later record, and for the other vector `b` too.
      const to = name === 'the first goes, gzip' ? 201 : 202
      expect(await cleaner.index(segment, indexed.nextOffset, to, BUDGET)).toMatchObject({
        stop: 'end',
        nextOffset: to,
      })

      const writer = await cleaner.openWriter({
        directory: join(segment.logPath, '..'),
        baseOffset: 100,
        endOffset: 204,
        indexIntervalBytes: 0,
        nowMs: vector.now,
        deleteHorizonMs: vector.horizon,
        keepEmpty: Float64Array.of(101),
      })
      const step = await writer.copy(segment, 100, 0, BUDGET)
      expect(step).toMatchObject({ stop: 'compressed', run })
      const left = await writer.filter([records as Buffer])
      expect(left.records.toString('hex')).toBe(vector.left)
      expect(left.lengths).toEqual(Uint32Array.of(vector.left.length / 2))
      if (vector.left === '') {
        expect(left.bytesWritten).toBe(result?.length)
      } else {
        // The client's compressed bytes stand for the compression.
        expect(await writer.append([(result as Buffer).subarray(61)], Uint8Array.of(1))).toBe(result?.length)
      }
      expect(await writer.copy(segment, step.nextOffset, 0, BUDGET)).toMatchObject({ stop: 'end', nextOffset: 204 })
      await writer.finish()
      expect(readFileSync(writer.logPath).subarray(0, result?.length)).toEqual(result)
    },
  )
})
