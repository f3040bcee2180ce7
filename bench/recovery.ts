import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { resolveLogConfig } from '../src/log/log-config.js'
import { PartitionLog } from '../src/log/partition-log.js'
import { silentLogger } from '../src/logger.js'
import { native } from '../src/native/load.js'
import type { Benchmark, Report } from './benchmark.js'
import { packedRecords } from './support/filled-segment.js'
import { interleave, median, round, times } from './support/statistics.js'
import { withTemporaryDirectory } from './support/temporary.js'

const MIB = 1 << 20
const READ_BYTES = MIB
const BATCH_BYTES = MIB

const FULL = { recordBytes: [128, 1024, 65536], megabytes: 512, rounds: 5, warmups: 1 }
const QUICK = { recordBytes: [1024], megabytes: 32, rounds: 1, warmups: 0 }

const VARIANTS = {
  start: 'unclean start: every record checked, cached pages dropped first',
  rawCold: 'the file read, cached pages dropped first',
  verify: 'every record checked, from the page cache',
  rawWarm: 'the file read, from the page cache',
} as const

type Variant = keyof typeof VARIANTS

function open(directory: string, clean: boolean): Promise<PartitionLog> {
  return PartitionLog.open(directory, {
    config: resolveLogConfig({}),
    logger: silentLogger,
    // Nothing is known to be on the disk: all of it is checked.
    recoveryPoint: 0,
    logStartOffset: 0,
    clean,
  })
}

async function fill(directory: string, recordBytes: number, megabytes: number): Promise<string> {
  const log = await open(directory, false)
  const count = BATCH_BYTES / recordBytes
  const records = packedRecords(count, recordBytes)
  const storedLength = native.checkPacked(records, count)
  for (let i = 0; i < megabytes; i++) await log.append([{ records, count, timestamp: 0, storedLength }], 1)
  await log.close()
  const [file] = readdirSync(directory).filter((name) => name.endsWith('.log'))
  return join(directory, file as string)
}

function dropPages(file: string): void {
  execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0'], { stdio: 'ignore' })
}

function readThrough(file: string): number {
  const into = Buffer.allocUnsafeSlow(READ_BYTES)
  const begin = performance.now()
  const descriptor = openSync(file, 'r')
  while (readSync(descriptor, into, 0, READ_BYTES, null) > 0);
  closeSync(descriptor)
  return performance.now() - begin
}

/** Milliseconds of one recovery. */
async function start(directory: string): Promise<number> {
  const begin = performance.now()
  const log = await open(directory, false)
  const milliseconds = performance.now() - begin
  await log.close()
  return milliseconds
}

async function verify(directory: string, file: string): Promise<number> {
  const log = await open(directory, true)
  readThrough(file)
  const begin = performance.now()
  const damages = await log.verify()
  const milliseconds = performance.now() - begin
  await log.close()
  if (damages.length > 0) throw new Error('a fresh log is damaged')
  return milliseconds
}

async function measure(directory: string, recordBytes: number, settings: typeof FULL) {
  const file = await fill(directory, recordBytes, settings.megabytes)
  const samples = await interleave<Variant, number>(
    {
      start: () => start(directory),
      rawCold: async () => {
        dropPages(file)
        return readThrough(file)
      },
      verify: () => verify(directory, file),
      rawWarm: async () => {
        readThrough(file)
        return readThrough(file)
      },
    },
    settings,
  )
  for (const name of readdirSync(directory)) rmSync(join(directory, name))
  return { recordBytes, samples }
}

function rows(recordBytes: number, megabytes: number, samples: Record<Variant, number[]>): (string | number)[][] {
  const bytes = megabytes * MIB
  return (Object.keys(VARIANTS) as Variant[]).map((name) => {
    const milliseconds = median(samples[name])
    const raw = median(name === 'start' || name === 'rawCold' ? samples.rawCold : samples.rawWarm)
    const checks = name === 'start' || name === 'verify'
    return [
      recordBytes,
      VARIANTS[name],
      round(milliseconds),
      round(bytes / 1000 / milliseconds),
      checks ? round(bytes / recordBytes / milliseconds / 1000) : '-',
      times(raw / milliseconds),
    ]
  })
}

async function runIn(directory: string, settings: typeof FULL): Promise<Report> {
  const measured = []
  for (const recordBytes of settings.recordBytes) measured.push(await measure(directory, recordBytes, settings))
  return {
    settings: { ...settings, crc: native.crc32Implementation },
    tables: [
      {
        title: `One partition of ${settings.megabytes} MiB in one segment`,
        columns: ['record bytes', 'variant', 'ms', 'MB/s', 'million records/s', 'of reading'],
        rows: measured.flatMap(({ recordBytes, samples }) => rows(recordBytes, settings.megabytes, samples)),
      },
    ],
    aims: [],
  }
}

export const recovery: Benchmark = {
  question: 'How long does a start behind an unclean stop take, against reading the files?',
  run: ({ quick }) => withTemporaryDirectory((directory) => runIn(directory, quick ? QUICK : FULL)),
}
