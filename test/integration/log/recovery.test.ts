import { copyFile, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { Log, type LogOptions } from '../../../src/log/log.js'
import { crashedCopy } from '../../support/crashed-copy.js'
import { flipBits } from '../../support/damage.js'
import { memoryLogger } from '../../support/memory-logger.js'
import { readStoredLog } from '../../support/stored-format.js'
import { temporaryDirectory } from '../../support/temporary.js'

const FIRST = '00000000000000000000'

async function offsets(log: Log): Promise<number[]> {
  const list = []
  for await (const record of log.iterate({ follow: false })) list.push(record.offset)
  return list
}

/** A copy of a log's directory as a crash leaves it: no clean-shutdown marker. */
async function uncleanCopy(directory: string, recoveryPoint?: number): Promise<string> {
  const copy = await crashedCopy(directory)
  await rm(join(copy, 'clean-shutdown'), { force: true })
  if (recoveryPoint !== undefined) {
    await writeFile(join(copy, 'recovery-point-offset-checkpoint'), `0\n1\nlog 0 ${recoveryPoint}\n`)
  }
  return copy
}

async function write(count: number, options: LogOptions = {}): Promise<string> {
  const directory = join(await temporaryDirectory(), 'log')
  const log = await Log.open(directory, options)
  for (let i = 0; i < count; i++) await log.append({ key: `key-${i}`, value: `value-${i}`.repeat(4) })
  await log.close()
  return directory
}

describe('behind an unclean stop', () => {
  it('opens with all earlier records, and keeps what was cut, at a tear at every byte of the last record', async () => {
    const directory = await write(12)
    const entries = readStoredLog(join(directory, `${FIRST}.log`))
    const last = entries[11] as (typeof entries)[number]
    for (let kept = 0; kept < last.length; kept++) {
      const copy = await uncleanCopy(directory, 0)
      const path = join(copy, `${FIRST}.log`)
      await truncate(path, last.position + kept)
      const logger = memoryLogger()
      const log = await Log.open(copy, { logger })
      expect(await offsets(log)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      expect(await log.append({ value: 'next' })).toBe(11)
      await log.close()
      const cut = (await readdir(copy)).filter((name) => name.includes('.log.cut-'))
      if (kept === 0) {
        expect(cut).toEqual([])
      } else {
        expect(cut).toEqual([`${FIRST}.log.cut-${last.position}`])
        expect((await stat(join(copy, cut[0] as string))).size).toBe(kept)
        expect(logger.messages('warn')).toContain('recovery cut the end of a log that was not whole')
      }
    }
  })

  it('ends the log at a hole above the recovery point, and keeps later segments aside', async () => {
    const directory = await write(100, { segmentBytes: 1024 })
    const names = (await readdir(directory)).filter((name) => name.endsWith('.log')).sort()
    const damaged = names[2] as string
    const base = Number(damaged.slice(0, 20))
    const copy = await uncleanCopy(directory, 5)
    await flipBits(join(copy, damaged), 30, 0x40)
    const log = await Log.open(copy, { segmentBytes: 1024 })
    expect(await offsets(log)).toEqual(Array.from({ length: base }, (_, i) => i))
    await log.append({ value: 'next' })
    await log.close()
    const aside = (await readdir(copy)).filter((name) => name.includes('.cut-'))
    expect(aside).toHaveLength(names.length - 2)
    const again = await Log.open(copy)
    expect(await offsets(again)).toEqual(Array.from({ length: base + 1 }, (_, i) => i))
    await again.close()
  })

  it('never cuts below the recovery point: damage there is reported, and what lies behind it is served', async () => {
    const directory = await write(100, { segmentBytes: 1024 })
    const copy = await uncleanCopy(directory, 100)
    const entries = readStoredLog(join(copy, `${FIRST}.log`))
    await flipBits(join(copy, `${FIRST}.log`), (entries[3] as (typeof entries)[number]).position + 25, 0x40)
    const logger = memoryLogger()
    const log = await Log.open(copy, { logger })
    expect(log.logEndOffset).toBe(100)
    expect((await log.read(0, { maxBytes: 1 << 20 })).map((record) => record.offset)).toEqual([0, 1, 2])
    await expect(log.read(3)).rejects.toMatchObject({ code: 'CORRUPT_MESSAGE' })
    expect((await log.read(4))[0]?.offset).toBe(4)
    expect((await readdir(copy)).filter((name) => name.includes('.cut-'))).toEqual([])
    expect(logger.messages('error')).toHaveLength(1)
    expect(log.stats().damages).toMatchObject([{ firstOffset: 3, nextOffset: 4 }])
    await log.close()
  })

  it('goes on in a new segment where the end is damaged below the recovery point', async () => {
    const directory = await write(10)
    const copy = await uncleanCopy(directory, 10)
    const entries = readStoredLog(join(copy, `${FIRST}.log`))
    await flipBits(join(copy, `${FIRST}.log`), (entries[9] as (typeof entries)[number]).position + 25, 0x40)
    const logger = memoryLogger()
    const log = await Log.open(copy, { logger })
    expect(log.logEndOffset).toBe(10)
    expect(await log.append({ value: 'next' })).toBe(10)
    expect((await log.read(0)).map((record) => record.offset)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    await expect(log.read(9)).rejects.toMatchObject({ code: 'CORRUPT_MESSAGE' })
    expect((await log.read(10)).map((record) => record.offset)).toEqual([10])
    expect(logger.messages('error').length).toBeGreaterThan(0)
    await log.close()
  })

  it('opens what a crash left of a roll: an empty last segment, an index without its log', async () => {
    const directory = await write(40, { segmentBytes: 1024 })
    const copy = await uncleanCopy(directory, 0)
    await writeFile(join(copy, '00000000000000000040.log'), '')
    await writeFile(join(copy, '00000000000000000077.index'), 'left over')
    const log = await Log.open(copy)
    expect(await offsets(log)).toHaveLength(40)
    expect(await log.append({ value: 'x' })).toBe(40)
    expect(await readdir(copy)).not.toContain('00000000000000000077.index')
    await log.close()
  })

  it('goes on behind what it held where its segments are gone, and says so', async () => {
    const directory = await write(20)
    for (const name of await readdir(directory)) if (/\.(log|index)$/.test(name)) await rm(join(directory, name))
    const logger = memoryLogger()
    const log = await Log.open(directory, { logger })
    expect(await log.append({ value: 'next' })).toBe(20)
    expect(logger.messages('error')).toEqual(['the segments of a log are gone: it goes on behind what they held'])
    await log.close()
  })

  it('says so where segments at its beginning are gone', async () => {
    const directory = await write(60, { segmentBytes: 1024 })
    await rm(join(directory, `${FIRST}.log`))
    const logger = memoryLogger()
    const log = await Log.open(directory, { logger })
    const begins = log.logStartOffset
    expect(begins).toBeGreaterThan(0)
    expect(logger.lines.find(({ level }) => level === 'warn')).toMatchObject({
      message: 'segments at the beginning of a log are gone: it begins behind its log start offset',
      fields: { directory, logStartOffset: 0, baseOffset: begins },
    })
    await log.close()
  })

  it('leaves alone and reports what it does not understand', async () => {
    const directory = await write(3)
    await writeFile(join(directory, 'notes.txt'), 'mine')
    const logger = memoryLogger()
    const log = await Log.open(directory, { logger })
    expect(logger.lines.find((line) => line.message.startsWith('left alone'))?.fields.names).toEqual(['notes.txt'])
    await log.close()
    expect(await readFile(join(directory, 'notes.txt'), 'utf8')).toBe('mine')
  })
})

describe('a flipped bit in a sealed, synced segment', () => {
  it('is reported, never served, and deletes nothing, at every byte of a record', async () => {
    const directory = await write(60, { segmentBytes: 1024 })
    const path = join(directory, `${FIRST}.log`)
    const entries = readStoredLog(path)
    const target = entries[5] as (typeof entries)[number]
    const original = await readFile(path)
    for (let at = 0; at < target.length; at++) {
      await flipBits(path, target.position + at, 0x40)
      const logger = memoryLogger()
      const log = await Log.open(directory, { logger })
      expect((await log.read(0, { maxBytes: 4096 })).map((record) => record.offset)).toEqual([0, 1, 2, 3, 4])
      await expect(log.read(5)).rejects.toMatchObject({ code: 'CORRUPT_MESSAGE' })
      expect((await log.read(6, { maxBytes: 1 }))[0]?.value?.toString()).toBe('value-6'.repeat(4))
      expect(logger.messages('error')).toHaveLength(1)
      await log.close()
      await writeFile(path, original)
    }
  })
})

describe('an index that is not right', () => {
  let directory: string
  beforeEach(async () => {
    directory = await write(400, { segmentBytes: 8192, indexIntervalBytes: 256 })
  })

  const damages: [string, (path: string) => Promise<unknown>][] = [
    ['deleted', (path) => rm(path)],
    ['emptied', (path) => truncate(path, 0)],
    ['cut in the middle of an entry', (path) => truncate(path, 21)],
    ['cut to its first entry', (path) => truncate(path, 8)],
    ['zeroed', async (path) => writeFile(path, Buffer.alloc((await stat(path)).size))],
    [
      'longer than it should be',
      async (path) => writeFile(path, Buffer.concat([await readFile(path), Buffer.alloc(4096)])),
    ],
    [
      'filled with garbage',
      async (path) => {
        const garbage = await readFile(path)
        for (let i = 0; i < garbage.length; i++) garbage[i] = (i * 7919 + 13) & 0xff
        await writeFile(path, garbage)
      },
    ],
    [
      'pointing one byte off',
      async (path) => {
        const index = await readFile(path)
        for (let at = 8; at + 8 <= index.length; at += 8) index.writeUInt32BE(index.readUInt32BE(at + 4) + 1, at + 4)
        await writeFile(path, index)
      },
    ],
    [
      "another segment's",
      async (path) => {
        const other = path.replace(FIRST, (await bases()).at(-1) as string)
        if (other !== path) await copyFile(other, path)
      },
    ],
  ]

  async function bases(): Promise<string[]> {
    return (await readdir(directory))
      .filter((name) => name.endsWith('.log'))
      .map((name) => name.slice(0, 20))
      .sort()
  }

  for (const clean of [true, false]) {
    for (const [name, damage] of damages) {
      it(`changes no answer: ${name}, behind ${clean ? 'a clean' : 'an unclean'} stop`, async () => {
        if (!clean) directory = await uncleanCopy(directory, 100)
        for (const base of await bases()) await damage(join(directory, `${base}.index`))
        const log = await Log.open(directory, { segmentBytes: 8192, indexIntervalBytes: 256 })
        for (const offset of [399, 0, 200, 57, 121, 398, 1]) {
          expect((await log.read(offset, { maxBytes: 1 })).map((record) => record.offset)).toEqual([offset])
        }
        expect(await log.read(30, { maxBytes: 640 })).toHaveLength(Math.floor(640 / 71))
        expect(await offsets(log)).toEqual(Array.from({ length: 400 }, (_, i) => i))
        expect(await log.append({ value: 'next' })).toBe(400)
        expect((await log.read(400)).map((record) => record.value?.toString())).toEqual(['next'])
        await log.close()
      })
    }
  }
})
