import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '../src/client/index.js'
import type { Aim, Benchmark, Report } from './benchmark.js'
import { FetchReader, type ReadTask } from './support/fetch-reader.js'
import { exactBatch } from './support/kafka-batch.js'
import { askKafka } from './support/kafka-connection.js'
import { ServerProcess } from './support/server-process.js'
import { interleave, median, round, times } from './support/statistics.js'
import { withTemporaryDirectory } from './support/temporary.js'

const KIB = 1024
const MIB = 1024 * KIB
const TOPIC = 'bench'
const KAFKA_TOPIC = 'bench-kafka'
/** A stored record, all in all. */
const RECORD_BYTES = KIB
const STORED_OVERHEAD = 28
const BATCH = 1024
/** The least range: so each of them is of whole batches, of four records of RECORD_BYTES. */
const KAFKA_BATCH_BYTES = 4 * KIB
const KAFKA_VALUE_BYTES = 990

const VARIANTS = ['plain', 'copy', 'zero-copy', 'kafka'] as const
type Variant = (typeof VARIANTS)[number]

const FULL = {
  sizes: [4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 8 * MIB],
  connections: [1, 4, 64],
  milliseconds: 300,
  rounds: 5,
  megabytes: 128,
}
const QUICK = { sizes: [4 * KIB, MIB], connections: [4], milliseconds: 150, rounds: 1, megabytes: 16 }

/** Aims: zero-copy against plain for these sizes, and against copy for all. What differs less is noise. */
const AIM_SIZES = { from: 64 * KIB, to: MIB, ratio: 1.9 }
const NOISE = 0.9

interface Sample {
  readonly megabytesPerSecond: number
  readonly cpuSecondsPerGb: number
  readonly p50: number
  readonly p99: number
}

interface Cell {
  readonly bytes: number
  readonly connections: number
  readonly medians: Record<Variant, Sample>
}

async function fill(port: number, megabytes: number): Promise<void> {
  const client = await Client.connect({ port })
  await client.createTopic(TOPIC, 1)
  const value = Buffer.alloc(RECORD_BYTES - STORED_OVERHEAD, 'mykafka ')
  const records = Array.from({ length: BATCH }, () => ({ value }))
  for (let i = 0; i < (megabytes * MIB) / (BATCH * RECORD_BYTES); i++) {
    await client.produce(TOPIC, records, { partition: 0 })
  }
  await client.close()
}

/** A topic in Kafka's format, as long in bytes and records. */
async function fillKafka(port: number, megabytes: number): Promise<void> {
  const batch = exactBatch(KAFKA_BATCH_BYTES, KAFKA_VALUE_BYTES)
  await askKafka(port, async (kafka) => {
    await kafka.createTopic(KAFKA_TOPIC)
    // In writes as large as those of the other topic: the page cache is laid out by them, and sends by its layout.
    for (let i = 0; i < megabytes; i++) await kafka.produce(KAFKA_TOPIC, batch.bytes, 1, MIB / KAFKA_BATCH_BYTES)
  })
}

/** Reads from a server; its CPU time is that of the whole process, the kernel's work for it included. */
async function read(server: ServerProcess, reader: FetchReader, task: ReadTask): Promise<Sample> {
  const before = await server.usage()
  const { seconds, bytes, p50, p99 } = await reader.read(server.port, task)
  const after = await server.usage()
  return {
    megabytesPerSecond: bytes / seconds / 1e6,
    cpuSecondsPerGb: (after.cpuSeconds - before.cpuSeconds) / (bytes / 1e9),
    p50,
    p99,
  }
}

function medianSample(samples: readonly Sample[]): Sample {
  const of = (field: keyof Sample): number => median(samples.map((sample) => sample[field]))
  return {
    megabytesPerSecond: of('megabytesPerSecond'),
    cpuSecondsPerGb: of('cpuSecondsPerGb'),
    p50: of('p50'),
    p99: of('p99'),
  }
}

const BY_MYKAFKA = { topic: TOPIC, wire: 'mykafka' } as const
const BY_KAFKA = { topic: KAFKA_TOPIC, wire: 'kafka' } as const

async function measure(
  servers: Record<Variant, ServerProcess>,
  reader: FetchReader,
  settings: typeof FULL,
): Promise<Cell[]> {
  const cells: Cell[] = []
  const records = (settings.megabytes * MIB) / RECORD_BYTES
  for (const bytes of settings.sizes) {
    for (const connections of settings.connections) {
      const { milliseconds } = settings
      const task = { connections, bytes, recordBytes: RECORD_BYTES, records, milliseconds }
      const run = (name: Variant) => () =>
        read(servers[name], reader, { ...task, ...(name === 'kafka' ? BY_KAFKA : BY_MYKAFKA) })
      const samples = await interleave(
        { plain: run('plain'), copy: run('copy'), 'zero-copy': run('zero-copy'), kafka: run('kafka') },
        { rounds: settings.rounds, warmups: 1 },
      )
      cells.push({
        bytes,
        connections,
        medians: {
          plain: medianSample(samples.plain),
          copy: medianSample(samples.copy),
          'zero-copy': medianSample(samples['zero-copy']),
          kafka: medianSample(samples.kafka),
        },
      })
    }
  }
  return cells
}

function sizeName(bytes: number): string {
  return bytes < MIB ? `${bytes / KIB} KiB` : `${bytes / MIB} MiB`
}

function rows({ bytes, connections, medians }: Cell): (string | number)[][] {
  return VARIANTS.map((name) => {
    const { megabytesPerSecond, cpuSecondsPerGb, p50, p99 } = medians[name]
    return [
      sizeName(bytes),
      connections,
      name,
      round(megabytesPerSecond),
      times(megabytesPerSecond / medians.plain.megabytesPerSecond),
      times(megabytesPerSecond / medians.copy.megabytesPerSecond),
      round(cpuSecondsPerGb),
      round(p50),
      round(p99),
    ]
  })
}

/** The least ratio of a variant to another, and where it was. */
function least(cells: readonly Cell[], variant: Variant, against: Variant): { ratio: number; where: string } {
  const ratios = cells.map(({ bytes, connections, medians }) => ({
    ratio: medians[variant].megabytesPerSecond / medians[against].megabytesPerSecond,
    where: `${sizeName(bytes)}, ${connections} connections`,
  }))
  return ratios.reduce((a, b) => (b.ratio < a.ratio ? b : a))
}

function aims(cells: readonly Cell[]): Aim[] {
  const ofAimSizes = cells.filter(({ bytes }) => bytes >= AIM_SIZES.from && bytes <= AIM_SIZES.to)
  const middle = least(ofAimSizes, 'zero-copy', 'plain')
  const copied = least(cells, 'zero-copy', 'copy')
  const kafka = least(ofAimSizes, 'kafka', 'zero-copy')
  return [
    {
      aim: `zero-copy at least ${AIM_SIZES.ratio} times plain from ${sizeName(AIM_SIZES.from)} to ${sizeName(AIM_SIZES.to)}`,
      measured: `${times(middle.ratio)} at the least (${middle.where})`,
      met: middle.ratio >= AIM_SIZES.ratio,
    },
    {
      aim: `zero-copy nowhere slower than copy (within ${Math.round((1 - NOISE) * 100)} %)`,
      measured: `${times(copied.ratio)} at the least (${copied.where})`,
      met: copied.ratio >= NOISE,
    },
    {
      aim: `Kafka's Fetch of stored batches as fast as MyKafka's zero-copy FETCH for these sizes (within ${Math.round((1 - NOISE) * 100)} %)`,
      measured: `${times(kafka.ratio)} at the least (${kafka.where})`,
      met: kafka.ratio >= NOISE,
    },
  ]
}

async function runIn(directory: string, settings: typeof FULL): Promise<Report> {
  const paths = { copy: join(directory, 'copy'), zero: join(directory, 'zero-copy') }
  for (const path of Object.values(paths)) await mkdir(path)
  const started: ServerProcess[] = []
  const reader = new FetchReader(directory)
  try {
    const zero = await ServerProcess.broker(paths.zero, '--zero-copy', 'on')
    started.push(zero)
    const copy = await ServerProcess.broker(paths.copy, '--zero-copy', 'off')
    started.push(copy)
    for (const { port } of started) await fill(port, settings.megabytes)
    await fillKafka(zero.port, settings.megabytes)
    const file = join(paths.zero, TOPIC, '0', '00000000000000000000.log')
    const plain = await ServerProcess.script('plain-fetch-server.ts', file, String(RECORD_BYTES))
    started.push(plain)
    const cells = await measure({ plain, copy, 'zero-copy': zero, kafka: zero }, reader, settings)
    return {
      settings: { ...settings, recordBytes: RECORD_BYTES, reader: reader.name },
      tables: [
        {
          title:
            'plain: fs.read into a fresh buffer, socket.write; copy: the broker with --zero-copy off (pooled buffers); ' +
            'kafka: zero-copy by the Fetch of Kafka, from a topic in its format',
          columns: ['size', 'connections', 'variant', 'MB/s', 'to plain', 'to copy', 'CPU s/GB', 'p50 ms', 'p99 ms'],
          rows: cells.flatMap(rows),
        },
      ],
      aims: aims(cells),
    }
  } finally {
    for (const server of started) await server.stop()
  }
}

export const fetch: Benchmark = {
  question: 'What does zero-copy gain over copying, from the page cache to a reader in a process of its own?',
  run: ({ quick }) => withTemporaryDirectory((directory) => runIn(directory, quick ? QUICK : FULL)),
}
