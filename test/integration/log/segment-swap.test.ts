import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resolveLogConfig } from '../../../src/log/log-config.js'
import { openSegments } from '../../../src/log/log-recovery.js'
import { listSegmentFiles } from '../../../src/log/segment-files.js'
import { beginSwap, cleanedPath, finishSwap, readCleanedAt } from '../../../src/log/segment-swap.js'
import { compactedMark, segmentFile, writeDense } from '../../support/compacted-log.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { storedEntry } from '../../support/stored-format.js'
import { temporaryDirectory } from '../../support/temporary.js'

const entry = (offset: number, value = 'old') => storedEntry(offset, 1000, Buffer.from('k'), Buffer.from(value))
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

const SWAP = { baseOffset: 0, endOffset: 30 }
const CLEANED = Buffer.concat([entry(9, 'new'), entry(25, 'new')])
const SWAP_NAME = '00000000000000000000.log.swap-30'
const NO_NAMES: ReadonlySet<string> = new Set()

/** Segments [0, 10), [10, 20), [20, 30) and [30, …), each with indexes, and what compaction has left of the first three. */
async function writeLog(): Promise<string> {
  const directory = await temporaryDirectory()
  for (const base of [0, 10, 20, 30]) {
    await writeDense(
      directory,
      base,
      range(base, base + 10).map((offset) => entry(offset)),
    )
    for (const ending of ['index', 'timeindex'])
      await writeFile(segmentFile(directory, base, ending), 'of the old bytes')
  }
  await writeFile(cleanedPath(directory, 0), CLEANED)
  await writeFile(segmentFile(directory, 0, 'index.cleaned'), '')
  return directory
}

async function open(directory: string, logStartOffset = 0) {
  const config = resolveLogConfig({ fsync: 'never' })
  const logger = memoryLogger()
  const known = { knownFiles: NO_NAMES, recoveryPoint: 40, logStartOffset, clean: true }
  const opened = await openSegments({ directory, config, logger, ...known })
  for (const segment of opened.segments) segment.close()
  return { ...opened, bases: opened.segments.map(({ baseOffset }) => baseOffset) }
}

/** What holds once a swap is decided, whatever had been done of it. */
async function expectSwapped(directory: string): Promise<void> {
  const before = Date.now()
  const { bases, segments, cleanedAt } = await open(directory)
  expect(bases).toEqual([0, 30])
  expect(segments.map(({ sparse }) => sparse)).toEqual([true, false])
  expect(segments[0]?.nextOffset()).toBe(30)
  expect(cleanedAt.get(0)).toBeGreaterThanOrEqual(before)
  expect(await readFile(segmentFile(directory, 0, 'log'))).toEqual(CLEANED)
  const names = (await readdir(directory)).filter((name) => !name.startsWith('00000000000000000030'))
  expect(names.sort()).toEqual(['00000000000000000000.compacted', '00000000000000000000.log'])
}

describe('a compacted segment takes the place of others', () => {
  it('in a running log', async () => {
    const directory = await writeLog()
    await beginSwap(directory, SWAP)
    await finishSwap(directory, SWAP, 1234)
    expect(await readCleanedAt(directory, 0)).toBe(1234)
    expect(await readFile(segmentFile(directory, 0, 'compacted'))).toEqual(compactedMark(1234))
    const { bases, cleanedAt } = await open(directory)
    expect(bases).toEqual([0, 30])
    expect([...cleanedAt]).toEqual([[0, 1234]])
    expect(await readdir(directory)).toContain('00000000000000000000.index')
  })

  it('not before that is decided', async () => {
    const directory = await writeLog()
    expect((await open(directory)).bases).toEqual([0, 10, 20, 30])
    expect((await readdir(directory)).filter((name) => name.endsWith('.cleaned'))).toEqual([])
    expect(await readFile(segmentFile(directory, 0, 'log'))).toEqual(Buffer.concat(range(0, 10).map((at) => entry(at))))
  })

  const gone = (base: number, ...endings: string[]) => endings.map((ending) => [base, ending] as const)
  const all = ['log', 'index', 'timeindex']
  it.each([
    ['deciding it', false, []],
    ['writing when it was cleaned', true, []],
    ['removing the first file', true, gone(10, 'log')],
    ['removing a segment', true, gone(10, ...all)],
    ['removing the segments', true, [...gone(10, ...all), ...gone(20, ...all)]],
    ['removing its indexes', true, [...gone(10, ...all), ...gone(20, ...all), ...gone(0, 'index', 'timeindex')]],
  ] as const)('also where a crash comes behind %s', async (_, hasMark, removed) => {
    const directory = await writeLog()
    await beginSwap(directory, SWAP)
    if (hasMark) await writeFile(segmentFile(directory, 0, 'compacted'), compactedMark(5))
    for (const [base, ending] of removed) await rm(segmentFile(directory, base, ending))
    await expectSwapped(directory)
  })

  it('where it had been compacted before, and the crash came behind the last step but one', async () => {
    const directory = await writeLog()
    await beginSwap(directory, SWAP)
    await finishSwap(directory, SWAP, 5)
    await writeFile(join(directory, SWAP_NAME), CLEANED)
    await expectSwapped(directory)
  })

  it('at the second attempt, where the first fails half way', async () => {
    const directory = await writeLog()
    await beginSwap(directory, SWAP)
    const refusing = async (paths: readonly string[]) => {
      await rm(paths[0] as string)
      throw new Error('the disk refused')
    }
    await expect(finishSwap(directory, SWAP, 5, refusing)).rejects.toThrow('the disk refused')
    await expectSwapped(directory)
  })

  it('by files that others keep for a time', async () => {
    const directory = await writeLog()
    await beginSwap(directory, SWAP)
    const kept: string[] = []
    await finishSwap(directory, SWAP, 5, async (paths) => {
      kept.push(...paths)
      for (const path of paths) await rm(path, { force: true })
    })
    expect(kept).toEqual(
      [10, 20].flatMap((base) =>
        ['log', 'index', 'timeindex', 'compacted'].map((end) => segmentFile(directory, base, end)),
      ),
    )
  })

  it('and goes like any other when the log begins behind it', async () => {
    const directory = await writeLog()
    await beginSwap(directory, SWAP)
    const { bases, cleanedAt } = await open(directory, 30)
    expect(bases).toEqual([30])
    expect(cleanedAt.size).toBe(0)
    expect((await readdir(directory)).every((name) => name.startsWith('00000000000000000030'))).toBe(true)
  })
})

describe('the files of a partition', () => {
  it('are known by their names', async () => {
    const directory = await temporaryDirectory()
    const name = '00000000000000000007'
    const understood = ['log', 'index', 'timeindex', 'compacted', 'log.swap-9', 'log.cut-0', 'log.cut-12.1', 'snapshot']
    const orphans = [
      '00000000000000000008.index',
      '00000000000000000008.timeindex',
      '00000000000000000008.compacted',
      `${name}.log.cleaned`,
      `${name}.index.cleaned`,
      `${name}.timeindex.cleaned`,
      `${name}.compacted.tmp`,
      `${name}.log.deleted`,
      `${name}.compacted.deleted`,
    ]
    const unknown = [
      `${name}.log.swap-7`,
      `${name}.log.swap-`,
      `${name}.logs`,
      '7.log',
      `${name}.log.swap-99999999999999999999`,
    ]
    for (const file of [...understood.map((ending) => `${name}.${ending}`), ...orphans, ...unknown]) {
      await writeFile(join(directory, file), '')
    }
    const files = await listSegmentFiles(directory, NO_NAMES)
    expect(files).toMatchObject({ baseOffsets: [7], snapshots: [7], swaps: [{ baseOffset: 7, endOffset: 9 }] })
    expect(files.compacted).toEqual(new Set([7]))
    expect(files.orphans.sort()).toEqual(orphans.sort())
    expect(files.unknown.sort()).toEqual(unknown.sort())
  })

  it('say when a segment was cleaned, or at least since when that is known', async () => {
    const directory = await temporaryDirectory()
    await writeFile(segmentFile(directory, 0, 'compacted'), 'torn')
    const before = Date.now() - 1000
    expect(await readCleanedAt(directory, 0)).toBeGreaterThan(before)
  })
})
