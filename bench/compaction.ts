import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Benchmark, Report } from './benchmark.js'
import { measureCommits } from './compaction/commits.js'
import { measureCompressed } from './compaction/compressed.js'
import { compactCopy } from './compaction/copy.js'
import { type Entries, fillLog, KEYS, type Keys, openLog } from './compaction/keyed-log.js'
import { median, round, times } from './support/statistics.js'
import { withTemporaryDirectory } from './support/temporary.js'

const MIB = 1 << 20
/** How the entries of a log are written. */
const ENTRIES: readonly Entries[] = ["MyKafka's records", 'batches', 'batches, lz4']

const FULL = {
  records: [800_000, 8_000_000],
  segmentMiB: 32,
  rounds: 3,
  commits: 10_000_000,
  groups: 1000,
  offsetsSegmentMiB: 100,
  compressedMiB: 64,
}
const QUICK = {
  records: [8_000, 80_000],
  segmentMiB: 1,
  rounds: 1,
  commits: 100_000,
  groups: 1000,
  offsetsSegmentMiB: 1,
  compressedMiB: 4,
}
export type CompactionSettings = typeof FULL

interface Cell {
  readonly entries: Entries
  readonly keys: Keys
  readonly records: number
}

async function measure(parent: string, cell: Cell, { segmentMiB, rounds }: CompactionSettings) {
  const segmentBytes = segmentMiB * MIB
  const directory = join(parent, 'filled')
  await mkdir(directory)
  const log = await openLog(directory, cell.entries, segmentBytes)
  await fillLog(log, cell.entries, cell.keys, cell.records)
  await log.close()
  const samples: Awaited<ReturnType<typeof compactCopy>>[] = []
  for (let i = 0; i < rounds; i++) samples.push(await compactCopy(directory, cell.entries, segmentBytes))
  await rm(directory, { recursive: true })
  const middle = (field: keyof (typeof samples)[0]): number => median(samples.map((sample) => sample[field]))
  return { ...cell, middle }
}

type Measured = Awaited<ReturnType<typeof measure>>

function row({ entries, keys, records, middle }: Measured): (string | number)[] {
  const milliseconds = middle('milliseconds')
  const bytes = middle('bytesBefore')
  return [
    entries,
    KEYS[keys],
    records / 1e6,
    round(bytes / 1e6),
    middle('keys'),
    middle('passes'),
    round(milliseconds),
    round(bytes / 1000 / milliseconds),
    times(middle('readMs') / milliseconds),
    round(middle('records') / milliseconds / 1000),
    round(middle('bytesAfter') / 1e6),
    round(middle('peakMiB')),
    round(middle('peakMiB') - middle('rssMiB')),
  ]
}

async function runIn(directory: string, settings: CompactionSettings): Promise<Report> {
  const measured: Measured[] = []
  for (const entries of ENTRIES) {
    for (const keys of ['stay', 'grow'] as const) {
      for (const records of settings.records) {
        measured.push(await measure(directory, { entries, keys, records }, settings))
      }
    }
  }
  return {
    settings: { ...settings, dedupeBufferMiB: 128, keyBytes: 16, valueBytes: 100 },
    tables: [
      {
        title: 'A log that was never compacted, in the page cache, compacted to its end',
        columns: [
          'entries',
          'keys',
          'million records',
          'log MB',
          'different keys',
          'passes',
          'ms',
          'MB/s of the log',
          'of reading',
          'million records/s',
          'left MB',
          'peak MiB',
          'more than before',
        ],
        rows: measured.map(row),
      },
      await measureCompressed(directory, settings),
      await measureCommits(join(directory, 'broker'), settings),
    ],
    aims: [],
  }
}

export const compaction: Benchmark = {
  question: 'How fast is a log compacted, in how much memory as it grows, and what does a start load of the offsets?',
  run: ({ quick }) => withTemporaryDirectory((directory) => runIn(directory, quick ? QUICK : FULL)),
}
