import { encodePacked } from '../../src/log/record-codec.js'
import { partitionOfKey } from '../../src/topic/partitioner.js'
import { encodeRequest } from '../../src/wire/mykafka/produce.js'
import type { Table } from '../benchmark.js'
import { median, round, timed, times } from '../support/statistics.js'

/** What Kafka's batch.size is by default. */
export const BATCH_BYTES = 16_384

export const VALUE_BYTES = [100, 1024] as const
export const PARTITIONS = [1, 16] as const

/** Records of one size for so many partitions. */
export interface Workload {
  readonly topic: string
  readonly partitions: number
  readonly valueBytes: number
  readonly records: readonly { readonly key: string; readonly value: Buffer }[]
  /** The same in batches, as frames. */
  readonly frames: readonly Buffer[]
}

export interface Effort {
  readonly rounds: number
  readonly warmups: number
  /** By bytes of a value. */
  readonly records: Readonly<Record<number, number>>
}

/** What one pass took. */
export interface Sample {
  readonly wallMs: number
  /** Of this process. */
  readonly cpuMs: number
}

/** A table, and how many times as long each variant took as its raw frames. */
export interface Measured {
  readonly table: Table
  readonly ratios: Readonly<Record<string, number>>
}

export function makeWorkload(partitions: number, valueBytes: number, count: number): Workload {
  const topic = `of-${partitions}-${valueBytes}`
  const records = Array.from({ length: count }, (_, i) => {
    return { key: `user-${i % 9973}`, value: Buffer.alloc(valueBytes, i) }
  })
  const frames: Buffer[] = []
  const batches = Array.from({ length: partitions }, () => ({ records: [] as typeof records, bytes: 0 }))
  const close = (partition: number): void => {
    const batch = batches[partition]
    if (batch === undefined || batch.records.length === 0) return
    frames.push(encodeRequest(topic, partition, batch.records.length, encodePacked(batch.records)))
    batches[partition] = { records: [], bytes: 0 }
  }
  for (const record of records) {
    const partition = partitionOfKey('murmur2', Buffer.from(record.key), partitions)
    const bytes = 8 + record.key.length + valueBytes
    if ((batches[partition]?.bytes ?? 0) + bytes > BATCH_BYTES) close(partition)
    const batch = batches[partition]
    batch?.records.push(record)
    if (batch !== undefined) batch.bytes += bytes
  }
  for (let partition = 0; partition < partitions; partition++) close(partition)
  return { topic, partitions, valueBytes, records, frames }
}

export async function measured(run: () => Promise<unknown>): Promise<Sample> {
  const before = process.cpuUsage()
  const wallMs = await timed(run)
  const { user, system } = process.cpuUsage(before)
  return { wallMs, cpuMs: (user + system) / 1000 }
}

export const THROUGHPUT_COLUMNS = [
  'variant',
  'value B',
  'partitions',
  'records/s',
  'MB/s',
  'µs a record',
  'CPU µs a record',
  'against raw',
]

/** Rows of a table, one a variant: the first is what the others are against. */
export function throughputRows(
  { records, partitions, valueBytes }: Workload,
  samples: Readonly<Record<string, readonly Sample[]>>,
): { rows: (string | number)[][]; ratios: Record<string, number> } {
  const wall = (name: string): number => median((samples[name] ?? []).map(({ wallMs }) => wallMs))
  const [raw, ...others] = Object.keys(samples) as [string, ...string[]]
  const ratios = Object.fromEntries(
    others.map((name) => [`${name}, ${valueBytes} B, ${partitions} partitions`, wall(name) / wall(raw)]),
  )
  const rows = [raw, ...others].map((name) => {
    const perSecond = (records.length / wall(name)) * 1000
    const cpuMs = median((samples[name] ?? []).map((sample) => sample.cpuMs))
    return [
      name,
      valueBytes,
      partitions,
      round(perSecond),
      round((perSecond * valueBytes) / 1e6),
      round((wall(name) * 1000) / records.length),
      round((cpuMs * 1000) / records.length),
      times(wall(name) / wall(raw)),
    ]
  })
  return { rows, ratios }
}
