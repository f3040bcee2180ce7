import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { resolveLogConfig } from '../src/log/log-config.js'
import { PartitionLog } from '../src/log/partition-log.js'
import { silentLogger } from '../src/logger.js'
import { native } from '../src/native/load.js'
import type { Aim, Benchmark, Report } from './benchmark.js'
import { packedRecords } from './support/filled-segment.js'
import { type RawAppender, rawAppender } from './support/raw-append.js'
import { interleave, median, round, times } from './support/statistics.js'
import { withTemporaryDirectory } from './support/temporary.js'

const KIB = 1024
const MIB = 1024 * KIB
const RECORD_BYTES = KIB
/** Appends that are under way at once where they are not awaited one by one. */
const IN_FLIGHT = 64

const FULL = { sizes: [KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB], megabytes: 128, rounds: 7, warmups: 2 }
const QUICK = { sizes: [KIB, 16 * KIB, MIB], megabytes: 16, rounds: 2, warmups: 1 }
const AIM = { bytes: 16 * KIB, ratio: 0.6 }

const VARIANTS = ['raw', 'segment', 'log', 'log in flight'] as const
type Variant = (typeof VARIANTS)[number]

interface Batch {
  readonly packed: Buffer
  readonly records: number
  readonly batches: number
}

let directories = 0

async function withFolder<T>(directory: string, run: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(directory, String(directories++))
  await mkdir(folder)
  try {
    return await run(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The engine alone: one native call a batch. */
async function appendToSegment(directory: string, { packed, records, batches }: Batch): Promise<number> {
  return withFolder(directory, async (folder) => {
    const segment = native.createSegment({
      directory: folder,
      baseOffset: 0,
      indexIntervalBytes: 4096,
      indexMaxBytes: 10 * MIB,
    })
    const begin = process.hrtime.bigint()
    for (let n = 0; n < batches; n++) segment.append([packed], [records], [0], n * records)
    const nanoseconds = Number(process.hrtime.bigint() - begin)
    segment.close()
    return nanoseconds
  })
}

/** The log as the broker uses it: records checked, offsets from the queue, acknowledged by promises. */
async function appendToLog(directory: string, batch: Batch, inFlight: number): Promise<number> {
  const { packed, records, batches } = batch
  return withFolder(directory, async (folder) => {
    const log = await PartitionLog.open(folder, {
      config: resolveLogConfig({ fsync: 'never' }),
      logger: silentLogger,
      recoveryPoint: 0,
      logStartOffset: 0,
      clean: false,
    })
    const begin = process.hrtime.bigint()
    for (let n = 0; n < batches; n += inFlight) {
      const appends = Array.from({ length: Math.min(inFlight, batches - n) }, () => {
        const storedLength = native.checkPacked(packed, records)
        return log.append([{ records: packed, count: records, timestamp: 0, storedLength }], 1)
      })
      await Promise.all(appends)
    }
    const nanoseconds = Number(process.hrtime.bigint() - begin)
    // So that the close has nothing to bring to the disk.
    await log.truncateTo(0)
    await log.close()
    return nanoseconds
  })
}

async function measure(directory: string, raw: RawAppender, bytes: number, settings: typeof FULL) {
  const records = bytes / RECORD_BYTES
  const batches = (settings.megabytes * MIB) / bytes
  const batch = { packed: packedRecords(records, RECORD_BYTES), records, batches }
  const rawBatch = { parts: records, partBytes: RECORD_BYTES, batches }
  const samples = await interleave<Variant, number>(
    {
      raw: async () => raw.append(join(directory, 'raw'), rawBatch),
      segment: () => appendToSegment(directory, batch),
      log: () => appendToLog(directory, batch, 1),
      'log in flight': () => appendToLog(directory, batch, IN_FLIGHT),
    },
    settings,
  )
  const megabytesPerSecond = (name: Variant): number => (settings.megabytes * MIB * 1000) / median(samples[name])
  return { bytes, megabytesPerSecond, microseconds: (name: Variant) => median(samples[name]) / batches / 1000 }
}

async function runIn(directory: string, settings: typeof FULL): Promise<Report> {
  const raw = rawAppender(directory)
  const measured = []
  for (const bytes of settings.sizes) measured.push(await measure(directory, raw, bytes, settings))
  const aims: Aim[] = measured
    .filter(({ bytes }) => bytes === AIM.bytes)
    .map(({ megabytesPerSecond }) => {
      const ratio = megabytesPerSecond('segment') / megabytesPerSecond('raw')
      return {
        aim: `an append of ${AIM.bytes / KIB} KiB, CRC included, at least ${AIM.ratio} of raw pwritev`,
        measured: String(round(ratio)),
        met: ratio >= AIM.ratio,
      }
    })
  return {
    settings: {
      ...settings,
      recordBytes: RECORD_BYTES,
      inFlight: IN_FLIGHT,
      raw: raw.name,
      crc: native.crc32Implementation,
    },
    tables: [
      {
        title: `raw: ${raw.name}, a record a part; segment: the native append; log: awaited one by one; in flight: ${IN_FLIGHT} at once`,
        columns: ['batch KiB', 'variant', 'MB/s', 'µs a batch', 'of raw'],
        rows: measured.flatMap(({ bytes, megabytesPerSecond, microseconds }) =>
          VARIANTS.map((name) => [
            bytes / KIB,
            name,
            round(megabytesPerSecond(name)),
            round(microseconds(name)),
            times(megabytesPerSecond(name) / megabytesPerSecond('raw')),
          ]),
        ),
      },
    ],
    aims,
  }
}

export const append: Benchmark = {
  question: 'How fast are appends into the page cache, CRC, index and offsets included, against raw writes?',
  run: ({ quick }) => withTemporaryDirectory((directory) => runIn(directory, quick ? QUICK : FULL)),
}
