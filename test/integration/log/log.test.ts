import { readFileSync, watch } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import type { MyKafkaError } from '../../../src/errors.js'
import { Log } from '../../../src/log/log.js'
import { flipBits } from '../../support/damage.js'
import { readStoredIndex, readStoredLog } from '../../support/stored-format.js'
import { temporaryDirectory } from '../../support/temporary.js'

const code = (expected: MyKafkaError['code']) => expect.objectContaining({ code: expected })

async function readAll(log: Log): Promise<{ offset: number; key: string | null; value: string | null }[]> {
  const records = []
  for await (const { offset, key, value } of log.iterate({ follow: false })) {
    records.push({ offset, key: key?.toString() ?? null, value: value?.toString() ?? null })
  }
  return records
}

describe('a log embedded in a program', () => {
  it('gives records consecutive offsets and returns them as they went in', async () => {
    const log = await Log.open(await temporaryDirectory())
    expect(await log.append({ key: 'a', value: 'first', timestamp: 1700000000000 })).toBe(0)
    const batch = [{ value: 'no key' }, { key: '', value: 'empty key' }, { key: 'k', value: null }]
    expect(await log.appendBatch(batch)).toEqual({ baseOffset: 1, count: 3 })
    expect(await log.read(0)).toEqual([
      { offset: 0, timestamp: 1700000000000, key: Buffer.from('a'), value: Buffer.from('first') },
      expect.objectContaining({ offset: 1, key: null, value: Buffer.from('no key') }),
      expect.objectContaining({ offset: 2, key: Buffer.alloc(0), value: Buffer.from('empty key') }),
      expect.objectContaining({ offset: 3, key: Buffer.from('k'), value: null }),
    ])
    expect(log).toMatchObject({ logStartOffset: 0, logEndOffset: 4, highWatermark: 4 })
    await log.close()
  })

  it('keeps the timestamps of a batch, whatever their order', async () => {
    const log = await Log.open(await temporaryDirectory())
    const timestamps = [5, 5, 3, -1, 9007199254740991]
    await log.appendBatch(timestamps.map((timestamp) => ({ value: 'x', timestamp })))
    expect((await log.read(0)).map((record) => record.timestamp)).toEqual(timestamps)
    await log.close()
  })

  it('is there again, whole, when it is opened the next time', async () => {
    const directory = await temporaryDirectory()
    const log = await Log.open(directory)
    for (let i = 0; i < 100; i++) await log.append({ key: `k${i}`, value: `v${i}` })
    await log.close()
    const again = await Log.open(directory)
    expect(await readAll(again)).toEqual(
      Array.from({ length: 100 }, (_, i) => ({ offset: i, key: `k${i}`, value: `v${i}` })),
    )
    expect(await again.append({ value: 'next' })).toBe(100)
    await again.close()
  })

  it('writes what an independent reading of the format finds, log and index', async () => {
    const directory = await temporaryDirectory()
    const log = await Log.open(directory, { indexIntervalBytes: 512, segmentBytes: 16384 })
    const sent = Array.from({ length: 1000 }, (_, i) => ({
      key: i % 3 ? `key-${i}` : null,
      value: 'v'.repeat((i * 37) % 300),
    }))
    for (let i = 0; i < sent.length; i += 10) await log.appendBatch(sent.slice(i, i + 10))
    await log.close()
    const names = (await readdir(directory)).filter((name) => name.endsWith('.log')).sort()
    expect(names.length).toBeGreaterThan(3)
    let offset = 0
    for (const name of names) {
      const entries = readStoredLog(join(directory, name))
      const base = Number(name.slice(0, 20))
      expect(base).toBe(offset)
      let indexedAt = -Infinity
      const expectedIndex = []
      for (const entry of entries) {
        expect(Number(entry.offset)).toBe(offset)
        expect(entry.key?.toString() ?? null).toBe(sent[offset]?.key)
        expect(entry.value?.toString()).toBe(sent[offset]?.value)
        if (entry.position - indexedAt >= 512) {
          expectedIndex.push({ relativeOffset: offset - base, position: entry.position })
          indexedAt = entry.position
        }
        offset++
      }
      expect(readStoredIndex(join(directory, name.replace('.log', '.index')))).toEqual(expectedIndex)
    }
    expect(offset).toBe(1000)
  })

  it('reads as many whole records as fit, and one at least', async () => {
    const log = await Log.open(await temporaryDirectory(), { segmentBytes: 1024 })
    for (let i = 0; i < 50; i++) await log.append({ value: Buffer.alloc(72, i) }) // 100 bytes each
    expect((await log.read(0, { maxBytes: 1 })).map((record) => record.offset)).toEqual([0])
    expect((await log.read(7, { maxBytes: 399 })).map((record) => record.offset)).toEqual([7, 8, 9])
    expect((await log.read(7, { maxBytes: 400 })).map((record) => record.offset)).toEqual([7, 8, 9, 10])
    expect(await log.read(5, { maxBytes: 2500 })).toHaveLength(25) // across segments
    expect(await log.read(50)).toEqual([])
    await expect(log.read(51)).rejects.toEqual(code('OFFSET_OUT_OF_RANGE'))
    await expect(log.read(-1)).rejects.toEqual(code('OFFSET_OUT_OF_RANGE'))
    await log.close()
  })

  it('answers each of many appends at once with its own offset, across rolls', async () => {
    const log = await Log.open(await temporaryDirectory(), { segmentBytes: 4096 })
    const results = await Promise.all(
      Array.from({ length: 500 }, (_, i) =>
        log.appendBatch(Array.from({ length: (i % 5) + 1 }, () => ({ value: `${i}` }))),
      ),
    )
    let expected = 0
    for (const [i, { baseOffset, count }] of results.entries()) {
      expect(baseOffset).toBe(expected)
      for (const record of await log.read(baseOffset, { maxBytes: count * 40 })) {
        if (record.offset < baseOffset + count) expect(record.value?.toString()).toBe(`${i}`)
      }
      expected += count
    }
    await log.close()
  })

  it('puts a batch that is larger than a segment whole into a segment of its own', async () => {
    const directory = await temporaryDirectory()
    const log = await Log.open(directory, { segmentBytes: 1024 })
    await log.append({ value: 'small' })
    await log.appendBatch(Array.from({ length: 100 }, () => ({ value: Buffer.alloc(100) })))
    await log.append({ value: 'small' })
    expect(log.stats().segments).toBe(3)
    expect((await readdir(directory)).filter((name) => name.endsWith('.log')).sort()).toEqual([
      '00000000000000000000.log',
      '00000000000000000001.log',
      '00000000000000000101.log',
    ])
    await log.close()
  })

  it('follows the tail until the signal aborts', async () => {
    const log = await Log.open(await temporaryDirectory())
    const abort = new AbortController()
    const seen: string[] = []
    const walk = async (): Promise<void> => {
      for await (const record of log.iterate({ signal: abort.signal })) {
        seen.push(record.value?.toString() ?? '')
        if (seen.length === 30) abort.abort()
      }
    }
    const told = expect(walk()).rejects.toMatchObject({ name: 'AbortError' })
    for (let i = 0; i < 30; i++) await log.append({ value: `${i}` })
    await told
    expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => `${i}`))
    await log.close()
  })

  it('tells a walk that waits at the tail that the log was closed', async () => {
    const log = await Log.open(await temporaryDirectory())
    const told = expect(log.iterate().next()).rejects.toEqual(code('LOG_CLOSED'))
    await log.close()
    await told
  })

  it('answers every use of a closed log with an error', async () => {
    const log = await Log.open(await temporaryDirectory())
    await log.append({ value: 'x' })
    await log.close()
    await expect(log.append({ value: 'y' })).rejects.toEqual(code('LOG_CLOSED'))
    await expect(log.read(0)).rejects.toEqual(code('LOG_CLOSED'))
    await expect(log.flush()).rejects.toEqual(code('LOG_CLOSED'))
    await expect(log.truncateTo(0)).rejects.toEqual(code('LOG_CLOSED'))
    await expect(log.verify()).rejects.toEqual(code('LOG_CLOSED'))
    await expect(log.iterate().next()).rejects.toEqual(code('LOG_CLOSED'))
    await log.close()
  })

  it('writes appends that were made before the close', async () => {
    const directory = await temporaryDirectory()
    const log = await Log.open(directory)
    const appends = Array.from({ length: 20 }, (_, i) => log.append({ value: `${i}` }))
    await log.close()
    expect(await Promise.all(appends)).toEqual(Array.from({ length: 20 }, (_, i) => i))
    const again = await Log.open(directory)
    expect(await readAll(again)).toHaveLength(20)
    await again.close()
  })

  it('opens a directory once at a time', async () => {
    const directory = await temporaryDirectory()
    const log = await Log.open(directory)
    await expect(Log.open(directory)).rejects.toEqual(code('DATA_DIR_LOCKED'))
    await log.close()
    await (await Log.open(directory)).close()
  })

  it("refuses a broker's directories", async () => {
    const dataDir = await temporaryDirectory()
    await mkdir(join(dataDir, '@broker'), { recursive: true })
    await mkdir(join(dataDir, 'topic', '0'), { recursive: true })
    await writeFile(join(dataDir, 'topic', '0', 'partition.metadata'), '')
    for (const part of ['', '@broker', 'topic', 'topic/0']) {
      await expect(Log.open(join(dataDir, part))).rejects.toEqual(code('INVALID_ARGUMENT'))
    }
  })

  it('tells by one of our codes where the system refuses the directory', async () => {
    const file = join(await temporaryDirectory(), 'file')
    await writeFile(file, '')
    await expect(Log.open(join(file, 'log'))).rejects.toMatchObject({ code: 'KAFKA_STORAGE_ERROR', errno: 'ENOTDIR' })
  })

  it('writes its recovery point behind a roll, without waiting for a stop', async () => {
    const directory = await temporaryDirectory()
    const log = await Log.open(directory, { segmentBytes: 1024 })
    for (let i = 0; i < 11; i++) await log.append({ value: Buffer.alloc(72) })
    await vi.waitFor(async () => {
      const [, , line] = (await readFile(join(directory, 'recovery-point-offset-checkpoint'), 'utf8')).split('\n')
      expect(Number(line?.split(' ')[2])).toBeGreaterThanOrEqual(10)
    }, 5000)
    await log.close()
  })

  it('writes nothing into a directory that has taken the place of its own', async () => {
    const directory = join(await temporaryDirectory(), 'log')
    const stale = await Log.open(directory)
    await stale.append({ value: 'x' })
    await rm(directory, { recursive: true })
    const fresh = await Log.open(directory)
    await expect(stale.close()).rejects.toEqual(code('LOG_FAILED'))
    expect(await readdir(directory)).not.toContain('clean-shutdown')
    await fresh.append({ value: 'y' })
    await fresh.close()
  })

  it('refuses options and records that make no sense, by name', async () => {
    const directory = await temporaryDirectory()
    await expect(Log.open(directory, { segmentBytes: 10 })).rejects.toThrow(/segment\.bytes .* 1024/)
    await expect(Log.open(directory, { fsync: 'sometimes' as never })).rejects.toEqual(code('INVALID_CONFIG'))
    const log = await Log.open(directory)
    await expect(log.appendBatch({} as never)).rejects.toEqual(code('INVALID_ARGUMENT'))
    await expect(log.appendBatch([null as never])).rejects.toEqual(code('INVALID_ARGUMENT'))
    await expect(log.appendBatch([])).rejects.toEqual(code('INVALID_ARGUMENT'))
    await expect(log.append({ value: 42 as never })).rejects.toEqual(code('INVALID_ARGUMENT'))
    await expect(log.append({ value: 'x' }, { acks: 'ALL' as never })).rejects.toEqual(code('INVALID_ARGUMENT'))
    await expect(log.read(0, { maxBytes: Number.NaN })).rejects.toEqual(code('INVALID_ARGUMENT'))
    await expect(Log.open(directory, { flushIntervalMs: Number.POSITIVE_INFINITY })).rejects.toEqual(
      code('INVALID_CONFIG'),
    )
    await expect(log.append({ value: 'x', timestamp: 0.5 })).rejects.toEqual(code('INVALID_ARGUMENT'))
    await expect(log.append({ key: Buffer.alloc((16 << 20) + 1), value: '' })).rejects.toEqual(
      code('MESSAGE_TOO_LARGE'),
    )
    expect(log.logEndOffset).toBe(0)
    await log.close()
  })

  it('takes records from a few bytes to 64 MiB', async () => {
    const log = await Log.open(await temporaryDirectory())
    const sizes = [0, 1, 65535, 65536, 65537, 1 << 20, 64 << 20]
    for (const [i, size] of sizes.entries()) await log.append({ value: Buffer.alloc(size, i) })
    for (const [i, size] of sizes.entries()) {
      const [record] = await log.read(i, { maxBytes: 1 })
      expect(record?.value?.length).toBe(size)
      expect(record?.value?.equals(Buffer.alloc(size, i))).toBe(true)
    }
    await log.close()
  })

  it('moves the recovery point past a record before acks=all is answered', async () => {
    const log = await Log.open(await temporaryDirectory(), { segmentBytes: 2048 })
    for (let i = 0; i < 50; i++) {
      const offset = await log.append({ value: Buffer.alloc(200) }, { acks: 'all' })
      expect(log.stats().recoveryPoint).toBeGreaterThan(offset)
    }
    await log.close()
  })
})

describe('truncateTo', () => {
  it('cuts within and across segments, and the offsets are written anew', async () => {
    const directory = await temporaryDirectory()
    const log = await Log.open(directory, { segmentBytes: 1024 })
    for (let i = 0; i < 100; i++) await log.append({ value: Buffer.alloc(72, i) })
    await log.truncateTo(95)
    expect(log.logEndOffset).toBe(95)
    await log.truncateTo(33)
    expect(log.logEndOffset).toBe(33)
    expect(await log.append({ value: 'again' })).toBe(33)
    expect((await readAll(log)).map(({ offset }) => offset)).toEqual(Array.from({ length: 34 }, (_, i) => i))
    await log.truncateTo(0)
    expect(await log.append({ value: 'from the start' })).toBe(0)
    await log.close()
    const again = await Log.open(directory)
    expect(await readAll(again)).toEqual([{ offset: 0, key: null, value: 'from the start' }])
    await again.close()
  })

  it('does nothing at or above the end, and refuses below the start', async () => {
    const log = await Log.open(await temporaryDirectory())
    await log.append({ value: 'x' })
    await log.truncateTo(1)
    await log.truncateTo(10)
    expect(log.logEndOffset).toBe(1)
    await expect(log.truncateTo(-1)).rejects.toEqual(code('OFFSET_OUT_OF_RANGE'))
    await log.close()
  })

  it('leaves a log that recovers whole where a crash follows at once', async () => {
    const directory = await temporaryDirectory()
    const log = await Log.open(directory, { segmentBytes: 1024 })
    for (let i = 0; i < 100; i++) await log.append({ value: Buffer.alloc(72, i) })
    await log.flush()
    const checkpoints: string[] = []
    const watcher = watch(directory, (_, name) => {
      // What a crash at this moment would find: the recovery point goes down before a file is cut.
      if (name === '00000000000000000090.log') {
        checkpoints.push(readFileSync(join(directory, 'recovery-point-offset-checkpoint'), 'utf8'))
      }
    })
    await log.truncateTo(50)
    await new Promise((resolve) => setTimeout(resolve, 50))
    watcher.close()
    expect(checkpoints.length).toBeGreaterThan(0)
    expect(new Set(checkpoints)).toEqual(new Set(['0\n1\nlog 0 50\n']))
    await log.close()
  })

  it('refuses to cut at a damaged offset, and cuts nothing then', async () => {
    const directory = await temporaryDirectory()
    const log = await Log.open(directory, { segmentBytes: 1024 })
    for (let i = 0; i < 50; i++) await log.append({ value: Buffer.alloc(72, i) })
    await log.close()
    const path = join(directory, '00000000000000000010.log')
    await flipBits(path, 250, 1)
    const again = await Log.open(directory, { segmentBytes: 1024 })
    await expect(again.truncateTo(12)).rejects.toEqual(code('CORRUPT_MESSAGE'))
    expect(again.logEndOffset).toBe(50)
    expect(await again.append({ value: 'goes on' })).toBe(50)
    await again.truncateTo(13)
    expect(await again.append({ value: 'again' })).toBe(13)
    expect((await again.read(13)).map((record) => record.value?.toString())).toEqual(['again'])
    await again.close()
  })

  it('that fails leaves a log that changes no more, and is whole when it is opened again', async () => {
    const directory = await temporaryDirectory()
    const log = await Log.open(directory, { segmentBytes: 1024 })
    for (let i = 0; i < 100; i++) await log.append({ key: `${i}`, value: Buffer.alloc(70, i) })
    const path = join(directory, '00000000000000000090.log')
    await rename(path, `${path}.aside`)
    await mkdir(path)
    await expect(log.truncateTo(33)).rejects.toEqual(code('LOG_FAILED'))
    await rmdir(path)
    await rename(`${path}.aside`, path)
    for (const change of [() => log.truncateTo(5), () => log.append({ value: 'x' }), () => log.compact()])
      await expect(change()).rejects.toEqual(code('LOG_FAILED'))
    await expect(log.flush()).rejects.toEqual(code('LOG_FAILED'))
    await expect(log.close()).rejects.toEqual(code('LOG_FAILED'))
    expect(await readdir(directory)).not.toContain('clean-shutdown')
    const again = await Log.open(directory)
    expect((await readAll(again)).map(({ offset }) => offset)).toEqual(Array.from({ length: 100 }, (_, i) => i))
    expect(await again.verify()).toEqual([])
    await again.close()
  })

  it('gives a reader beside it the old records or none, never bytes of another place', async () => {
    const directory = await temporaryDirectory()
    const first = await Log.open(directory, { segmentBytes: 2048 })
    for (let i = 0; i < 200; i++) await first.append({ value: `${i}`.padEnd(72) })
    await first.close()
    for (let round = 0; round < 10; round++) {
      // Opened anew nothing is verified: reads have to wait, and the cut comes in between.
      const log = await Log.open(directory, { segmentBytes: 2048 })
      const end = log.logEndOffset
      const reads = [0, 5, 10, 15].map((back) => log.read(end - 20 + back).catch((error: MyKafkaError) => error.code))
      await log.truncateTo(end - 12)
      for (let i = end - 12; i < end; i++) await log.append({ value: `${i}`.padEnd(72) })
      for (const found of await Promise.all(reads)) {
        if (found === 'OFFSET_OUT_OF_RANGE') continue
        for (const { offset, value } of found as Awaited<ReturnType<Log['read']>>) {
          expect(value?.toString()).toBe(`${offset}`.padEnd(72))
        }
      }
      await log.close()
    }
  })
})

describe('a log at a relative path', () => {
  it('stays where it is when the working directory changes', async () => {
    const directory = await temporaryDirectory()
    const before = process.cwd()
    process.chdir(directory)
    try {
      const log = await Log.open('here', { segmentBytes: 1024 })
      process.chdir(before)
      for (let i = 0; i < 50; i++) await log.append({ value: Buffer.alloc(72) }, { acks: 'all' })
      await log.close()
      expect((await readdir(join(directory, 'here'))).filter((name) => name.endsWith('.log'))).toHaveLength(5)
    } finally {
      process.chdir(before)
    }
  })
})
