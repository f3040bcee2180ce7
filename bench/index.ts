import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FIND, type NativeSegment, RANGE } from '../src/native/native.js'
import type { Aim, Benchmark, Report } from './benchmark.js'
import { fillSegment } from './support/filled-segment.js'
import { interleave, median, round, times } from './support/statistics.js'
import { withTemporaryDirectory } from './support/temporary.js'

const RECORD_BYTES = 128
const INTERVAL_BYTES = 4096
/** So rare that only the first entry is indexed: a lookup walks from there. */
const NO_INDEX = 2 ** 31 - 1
const MIB = 1 << 20

const FULL = { megabytes: [1, 16, 256, 1024], lookups: 200_000, rounds: 7, scans: 5 }
const QUICK = { megabytes: [1, 16], lookups: 20_000, rounds: 3, scans: 2 }
/** A lookup may take so many times as long in the largest segment as in the smallest. */
const GROWTH_AIM = 4

const out = new Float64Array(RANGE.fields)

/** Nanoseconds of a lookup of one record, over offsets that were drawn beforehand. */
async function lookUp(segment: NativeSegment, offsets: Float64Array): Promise<number> {
  const begin = process.hrtime.bigint()
  for (const offset of offsets) {
    let found = segment.findRange(offset, 0, offset + 1, out)
    // Rare: a page that the system moves or has dropped.
    if (found === FIND.wouldBlock) found = await segment.findRangeAsync(offset, 0, offset + 1, out)
    if (found !== FIND.found || out[RANGE.firstOffset] !== offset) throw new Error(`${offset}: answer ${found}, ${out}`)
  }
  return Number(process.hrtime.bigint() - begin) / offsets.length
}

/** Nanoseconds of a call that does next to nothing: what every lookup pays for coming from JavaScript. */
function callEmpty(segment: NativeSegment, calls: number): number {
  const begin = process.hrtime.bigint()
  for (let i = 0; i < calls; i++) segment.nextOffset()
  return Number(process.hrtime.bigint() - begin) / calls
}

async function measure(directory: string, megabytes: number, settings: typeof FULL) {
  const records = (megabytes * MIB) / RECORD_BYTES
  const shape = { records, recordBytes: RECORD_BYTES }
  const folders = { indexed: join(directory, `${megabytes}-indexed`), bare: join(directory, `${megabytes}-bare`) }
  for (const folder of Object.values(folders)) await mkdir(folder)
  const indexed = fillSegment({ ...shape, directory: folders.indexed, indexIntervalBytes: INTERVAL_BYTES })
  const bare = fillSegment({ ...shape, directory: folders.bare, indexIntervalBytes: NO_INDEX })
  const random = Float64Array.from({ length: settings.lookups }, () => Math.floor(Math.random() * records))
  // As far into an interval as the average lookup.
  const hot = new Float64Array(settings.lookups).fill(Math.floor(records / 2) + INTERVAL_BYTES / RECORD_BYTES / 2)
  const scanned = Float64Array.from({ length: settings.scans }, () => Math.floor(Math.random() * records))
  const samples = await interleave(
    {
      hot: () => lookUp(indexed, hot),
      random: () => lookUp(indexed, random),
      scan: () => lookUp(bare, scanned),
      call: async () => callEmpty(indexed, settings.lookups),
    },
    { rounds: settings.rounds, warmups: 1 },
  )
  indexed.close()
  bare.close()
  return {
    megabytes,
    indexEntries: Math.ceil((megabytes * MIB) / INTERVAL_BYTES),
    hot: median(samples.hot),
    random: median(samples.random),
    scan: median(samples.scan),
    call: median(samples.call),
  }
}

async function runIn(directory: string, settings: typeof FULL): Promise<Report> {
  const measured = []
  for (const megabytes of settings.megabytes) measured.push(await measure(directory, megabytes, settings))
  const smallest = measured[0] as (typeof measured)[number]
  const largest = measured.at(-1) as (typeof measured)[number]
  const growth = largest.random / smallest.random
  const aims: Aim[] = [
    {
      aim: `a random lookup in ${largest.megabytes} MiB at most ${GROWTH_AIM} times that in ${smallest.megabytes} MiB`,
      measured: times(growth),
      met: growth <= GROWTH_AIM,
    },
  ]
  return {
    settings: { ...settings, recordBytes: RECORD_BYTES, indexIntervalBytes: INTERVAL_BYTES },
    tables: [
      {
        title:
          'findRange of one record, called from JavaScript; linear: the same call where only the first entry is indexed',
        columns: [
          'segment MiB',
          'index entries',
          'hot ns',
          'random ns',
          'linear ns',
          'linear to random',
          'empty call ns',
        ],
        rows: measured.map(({ megabytes, indexEntries, hot, random, scan, call }) => [
          megabytes,
          indexEntries,
          round(hot),
          round(random),
          round(scan),
          times(scan / random),
          round(call),
        ]),
      },
    ],
    aims,
  }
}

export const index: Benchmark = {
  question: 'What does it cost to find an offset, by the size of the index?',
  run: ({ quick }) => withTemporaryDirectory((directory) => runIn(directory, quick ? QUICK : FULL)),
}
