import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as zlib from 'node:zlib'
import type { Table } from '../benchmark.js'
import { median, round, times } from '../support/statistics.js'
import { type Compacted, compactCopy } from './copy.js'
import { type Entries, fillLog, openLog, type Shape } from './keyed-log.js'

/** Some 1, 16 and 100 KiB. */
const SHAPES: readonly Shape[] = [
  { records: 8, valueBytes: 100 },
  { records: 128, valueBytes: 100 },
  { records: 100, valueBytes: 1000 },
]
// Node has zstd from 22.15 on; by then it is decompressed aside.
const CODECS: readonly Entries[] = [
  'batches',
  'batches, lz4',
  'batches, snappy',
  'batches, gzip',
  ...('zstdCompress' in zlib ? (['batches, zstd'] as const) : []),
]

export interface CompressedSettings {
  /** Megabytes of records in each log. */
  readonly compressedMiB: number
  readonly segmentMiB: number
  readonly rounds: number
}

/** What batches of some size take to be compacted, by their codec. */
export async function measureCompressed(parent: string, settings: CompressedSettings): Promise<Table> {
  const rows = []
  for (const shape of SHAPES) rows.push(...(await measureShape(parent, shape, settings)))
  return {
    title: `Batches of ${settings.compressedMiB} MiB of records with 100,000 keys, by their codec, compacted to the end`,
    columns: [
      'entries',
      'records a batch',
      'bytes a value',
      'log MB',
      'ms',
      'MB/s of the log',
      'MB/s of records',
      'of uncompressed',
      'million records/s',
      'CPU ms',
      'more MiB than before',
      'longest turn, ms',
    ],
    rows,
  }
}

async function measureShape(parent: string, shape: Shape, { compressedMiB, segmentMiB, rounds }: CompressedSettings) {
  const bytes = compressedMiB << 20
  const records = Math.ceil(bytes / (shape.valueBytes + 22))
  const directories = CODECS.map((_, index) => join(parent, `codec-${index}`))
  for (const [index, entries] of CODECS.entries()) {
    const directory = directories[index] as string
    await mkdir(directory)
    const log = await openLog(directory, entries, segmentMiB << 20)
    await fillLog(log, entries, 'stay', records, shape)
    await log.close()
  }
  const samples: (Compacted & { readMs: number })[][] = CODECS.map(() => [])
  for (let turn = 0; turn < rounds; turn++) {
    for (const [index, entries] of CODECS.entries()) {
      samples[index]?.push(await compactCopy(directories[index] as string, entries, segmentMiB << 20))
    }
  }
  for (const directory of directories) await rm(directory, { recursive: true })
  const middle = (index: number, field: keyof Compacted): number =>
    median((samples[index] ?? []).map((sample) => sample[field]))
  return CODECS.map((entries, index) => {
    const milliseconds = middle(index, 'milliseconds')
    const logBytes = middle(index, 'bytesBefore')
    return [
      entries,
      shape.records,
      shape.valueBytes,
      round(logBytes / 1e6),
      round(milliseconds),
      round(logBytes / 1000 / milliseconds),
      round(bytes / 1000 / milliseconds),
      times(middle(0, 'milliseconds') / milliseconds),
      round(middle(index, 'records') / milliseconds / 1000),
      round(middle(index, 'cpuMs')),
      round(middle(index, 'peakMiB') - middle(index, 'rssMiB')),
      round(middle(index, 'longestTurn')),
    ]
  })
}
