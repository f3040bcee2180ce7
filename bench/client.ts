import { availableParallelism } from 'node:os'
import { Client, connect, type Producer } from '../src/client/index.js'
import { encodePacked } from '../src/log/record-codec.js'
import { partitionOfKey } from '../src/topic/partitioner.js'
import { encodeRequest } from '../src/wire/mykafka/produce.js'
import type { Aim, Benchmark, Report, Table } from './benchmark.js'
import { FrameClient } from './support/frame-client.js'
import { PipelinedFrames } from './support/pipelined-frames.js'
import { ServerProcess } from './support/server-process.js'
import { interleave, median, quantile, round, timed, times } from './support/statistics.js'
import { withTemporaryDirectory } from './support/temporary.js'

const BATCH_BYTES = 16_384
const IN_FLIGHT = 5
const PRODUCE_RESPONSE_BYTES = 22
const VALUE_BYTES = [100, 1024]
const PARTITIONS = [1, 16]
const LINGERS = [0, 5]
/** A program that sends on waits for the record so far behind. */
const WINDOW = 2000
const SINGLES = 300

interface Workload {
  readonly topic: string
  readonly partitions: number
  readonly valueBytes: number
  readonly records: readonly { key: string; value: Buffer }[]
  /** The same in batches, as frames. */
  readonly frames: readonly Buffer[]
}

interface Sample {
  readonly wallMs: number
  /** Of this process. */
  readonly cpuMs: number
}

async function measured(run: () => Promise<unknown>): Promise<Sample> {
  const before = process.cpuUsage()
  const wallMs = await timed(run)
  const { user, system } = process.cpuUsage(before)
  return { wallMs, cpuMs: (user + system) / 1000 }
}

function workload(partitions: number, valueBytes: number, count: number): Workload {
  const topic = `p${partitions}-${valueBytes}`
  const records = Array.from({ length: count }, (_, i) => ({
    key: `user-${i % 9973}`,
    value: Buffer.alloc(valueBytes, i),
  }))
  const batches = Array.from({ length: partitions }, () => ({ records: [] as typeof records, bytes: 0 }))
  const frames: Buffer[] = []
  const close = (partition: number): void => {
    const batch = batches[partition] as (typeof batches)[number]
    if (batch.records.length > 0) {
      frames.push(encodeRequest(topic, partition, batch.records.length, encodePacked(batch.records)))
    }
    batches[partition] = { records: [], bytes: 0 }
  }
  for (const record of records) {
    const partition = partitionOfKey('murmur2', Buffer.from(record.key), partitions)
    const bytes = 8 + record.key.length + valueBytes
    if ((batches[partition]?.bytes ?? 0) + bytes > BATCH_BYTES) close(partition)
    const batch = batches[partition] as (typeof batches)[number]
    batch.records.push(record)
    batch.bytes += bytes
  }
  for (let partition = 0; partition < partitions; partition++) close(partition)
  return { topic, partitions, valueBytes, records, frames }
}

/** As a program does that does not wait for each record, but for all in the end. */
async function sendAll(producer: Producer, { topic, records }: Workload): Promise<void> {
  const window: Promise<unknown>[] = []
  for (let i = 0; i < records.length; i++) {
    const { key, value } = records[i] as { key: string; value: Buffer }
    const sent = producer.send({ topic, key, value })
    if (i % WINDOW === 0) {
      window.push(sent)
      if (window.length > 1) await window.shift()
    }
  }
  await producer.flush()
  if (producer.statistics().failedRecords > 0) throw new Error('records failed')
}

async function produceTable(port: number, counts: Readonly<Record<number, number>>, effort: Effort): Promise<Measured> {
  const raw = await PipelinedFrames.connect(port, PRODUCE_RESPONSE_BYTES)
  const kafka = connect({ brokers: `127.0.0.1:${port}` })
  const client = await Client.connect({ port })
  const rows: (string | number)[][] = []
  const ratios: number[] = []
  try {
    for (const valueBytes of VALUE_BYTES) {
      for (const partitions of PARTITIONS) {
        const work = workload(partitions, valueBytes, counts[valueBytes] as number)
        await client.createTopic(work.topic, partitions)
        const producers = LINGERS.map((lingerMs) => ({ lingerMs, producer: kafka.producer({ lingerMs }) }))
        const variants: Record<string, () => Promise<Sample>> = {
          'raw frames': () => measured(() => raw.send(work.frames, IN_FLIGHT)),
        }
        for (const { lingerMs, producer } of producers) {
          variants[`Producer, linger ${lingerMs}`] = () => measured(() => sendAll(producer, work))
        }
        const samples = await interleave(variants, effort)
        const wall = (name: string): number => median((samples[name] as Sample[]).map(({ wallMs }) => wallMs))
        for (const name of Object.keys(variants)) {
          const ratio = wall(name) / wall('raw frames')
          if (name !== 'raw frames') ratios.push(ratio)
          rows.push(rowOf(name, work, samples[name] as Sample[], wall(name), ratio))
        }
        for (const { producer } of producers) await producer.close()
      }
    }
  } finally {
    raw.close()
    await client.close()
    await kafka.close()
  }
  const columns = [
    'variant',
    'value B',
    'partitions',
    'records/s',
    'MB/s',
    'µs a record',
    'CPU µs a record',
    'against raw',
  ]
  return { table: { title: 'Producing: batches of 16 KiB, keyed records', columns, rows }, ratios }
}

interface Effort {
  readonly rounds: number
  readonly warmups: number
}

interface Measured {
  readonly table: Table
  readonly ratios: readonly number[]
}

function rowOf(
  name: string,
  { records, partitions, valueBytes }: Workload,
  samples: readonly Sample[],
  wallMs: number,
  ratio: number,
): (string | number)[] {
  const perSecond = (records.length / wallMs) * 1000
  const cpuMs = median(samples.map(({ cpuMs }) => cpuMs))
  return [
    name,
    valueBytes,
    partitions,
    round(perSecond),
    round((perSecond * valueBytes) / 1e6),
    round((wallMs * 1000) / records.length),
    round((cpuMs * 1000) / records.length),
    times(ratio),
  ]
}

/** One record after another, each waited for. */
async function latencyTable(port: number, effort: Effort): Promise<Measured> {
  const topic = 'latency'
  const raw = await FrameClient.connect(port)
  const client = await Client.connect({ port })
  const kafka = connect({ brokers: `127.0.0.1:${port}` })
  await client.createTopic(topic, 1)
  const value = Buffer.alloc(100, 1)
  const frame = encodeRequest(topic, 0, 1, encodePacked([{ key: null, value }]))
  const each = async (run: () => Promise<unknown>): Promise<number[]> => {
    const all: number[] = []
    for (let i = 0; i < SINGLES; i++) all.push(await timed(run))
    return all
  }
  const producer = kafka.producer()
  try {
    const samples = await interleave(
      {
        'raw frame': () => each(() => raw.request(frame, PRODUCE_RESPONSE_BYTES)),
        'Client.produce': () => each(() => client.produce(topic, [{ value }], { partition: 0 })),
        'Producer.send, linger 0': () => each(() => producer.send({ topic, value })),
      },
      effort,
    )
    const p50 = (name: keyof typeof samples): number => median(samples[name].flat())
    const names = Object.keys(samples) as (keyof typeof samples)[]
    const rows = names.map((name) => [
      name,
      round(p50(name) * 1000),
      round(quantile(samples[name].flat(), 0.99) * 1000),
      times(p50(name) / p50('raw frame')),
    ])
    const columns = ['one record, waited for', 'p50 µs', 'p99 µs', 'against raw']
    const ratios = [p50('Producer.send, linger 0') / p50('raw frame')]
    return { table: { title: 'One record of 100 B at a time', columns, rows }, ratios }
  } finally {
    raw.close()
    await client.close()
    await kafka.close()
  }
}

async function measure(port: number, quick: boolean): Promise<Report> {
  const effort = quick ? { rounds: 2, warmups: 1 } : { rounds: 15, warmups: 3 }
  const counts = quick ? { 100: 5000, 1024: 2000 } : { 100: 100_000, 1024: 30_000 }
  const produced = await produceTable(port, counts, effort)
  const latency = await latencyTable(port, effort)
  const aims: Aim[] = []
  return {
    settings: {
      batchBytes: BATCH_BYTES,
      inFlight: IN_FLIGHT,
      records: counts,
      cores: availableParallelism(),
      ...effort,
    },
    tables: [produced.table, latency.table],
    aims,
  }
}

export const client: Benchmark = {
  question: 'What does the client cost, against ready-made frames to the same broker?',
  run: ({ quick }) =>
    withTemporaryDirectory(async (directory) => {
      const broker = await ServerProcess.broker(directory, '--fsync', 'never')
      try {
        return await measure(broker.port, quick)
      } finally {
        await broker.stop()
      }
    }),
}
