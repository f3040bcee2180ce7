import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Benchmark, Report } from './benchmark.js'
import { DURABILITIES, fetchSample, latencySample, produceSample, type Sample } from './kafka/cells.js'
import { BATCH_BYTES, Clients, type Duration } from './kafka/clients.js'
import type { Percentiles } from './kafka/java-output.js'
import { type Peer, startApacheKafka, startMyKafka } from './kafka/peers.js'
import { startSamples } from './kafka/start.js'
import {
  aims,
  type Cell,
  type Compared,
  fetchTable,
  latencyTable,
  type Memory,
  produceTable,
  startTable,
} from './kafka/tables.js'
import { askKafka } from './support/kafka-connection.js'
import { residentMiB } from './support/process-usage.js'
import { canPin } from './support/server-process.js'
import { interleave, median } from './support/statistics.js'
import { withTemporaryDirectory } from './support/temporary.js'

const MIB = 1 << 20
const BROKER_CORE = '0'
const CLIENT_CORE = '1'
const ALL_CORES = '0-1'
/** Of the latency cells. */
const LATENCY_RECORD_BYTES = 1024

/** Milliseconds of the clients: Java needs seconds to compile what it does on one core. */
type Durations = Readonly<Record<'java' | 'librdkafka' | 'bare', Duration>>

interface Settings {
  readonly recordBytes: readonly number[]
  readonly rounds: number
  readonly produce: Durations
  readonly fetch: Durations
  readonly latency: Duration & { readonly recordsPerSecond: number }
  /** Of the topics that are read, by the records' size. */
  readonly fetchMiB: Readonly<Record<number, number>>
}

const FULL: Settings = {
  recordBytes: [100, 1024],
  rounds: 3,
  produce: {
    java: { warmupMs: 4000, measureMs: 5000 },
    librdkafka: { warmupMs: 1000, measureMs: 4000 },
    bare: { warmupMs: 500, measureMs: 2000 },
  },
  fetch: {
    java: { warmupMs: 3000, measureMs: 6000 },
    librdkafka: { warmupMs: 500, measureMs: 10_000 },
    bare: { warmupMs: 0, measureMs: 2000 },
  },
  latency: { warmupMs: 4000, measureMs: 8000, recordsPerSecond: 5000 },
  fetchMiB: { 100: 1024, 1024: 2560 },
}

const QUICK: Settings = {
  recordBytes: [1024],
  rounds: 1,
  produce: {
    java: { warmupMs: 1000, measureMs: 1500 },
    librdkafka: { warmupMs: 300, measureMs: 700 },
    bare: { warmupMs: 100, measureMs: 300 },
  },
  fetch: {
    java: { warmupMs: 500, measureMs: 3000 },
    librdkafka: { warmupMs: 50, measureMs: 3000 },
    bare: { warmupMs: 0, measureMs: 300 },
  },
  latency: { warmupMs: 500, measureMs: 1000, recordsPerSecond: 2000 },
  fetchMiB: { 1024: 576 },
}

/** What is measured against: ours with the fsync that a cell is about, and Apache Kafka. */
interface Peers {
  readonly acks: Peer
  readonly never: Peer
  readonly kafka: Peer
}

function compare<T>(ours: Peer, kafka: Peer, rounds: number, measure: (peer: Peer) => Promise<T>) {
  return interleave({ mykafka: () => measure(ours), kafka: () => measure(kafka) }, { rounds, warmups: 0 })
}

function medianOf<T extends object>(samples: readonly T[]): T {
  const names = Object.keys(samples[0] as T) as (keyof T)[]
  return Object.fromEntries(names.map((name) => [name, median(samples.map((each) => each[name] as number))])) as T
}

function compared<T extends object>(samples: Record<'mykafka' | 'kafka', T[]>): Compared<T> {
  return { mykafka: medianOf(samples.mykafka), kafka: medianOf(samples.kafka) }
}

/** Each durability and client in turn; the two brokers take turns within. */
async function produceCells(peers: Peers, clients: Clients, settings: Settings): Promise<Cell<Sample>[]> {
  const cells: Cell<Sample>[] = []
  for (const recordBytes of settings.recordBytes) {
    for (const client of clients.names) {
      for (const durability of DURABILITIES) {
        const measure = (peer: Peer): Promise<Sample> =>
          produceSample(peer, clients, client, { recordBytes, durability }, settings.produce[client])
        const samples = await compare(peers[durability.fsync], peers.kafka, settings.rounds, measure)
        cells.push({ client, recordBytes, durability: durability.name, ...compared(samples) })
      }
    }
  }
  return cells
}

async function fetchCells(peers: Peers, clients: Clients, settings: Settings): Promise<Cell<Sample>[]> {
  const cells: Cell<Sample>[] = []
  for (const recordBytes of settings.recordBytes) {
    const topic = `fetch-${recordBytes}`
    let records = 0
    for (const { port } of [peers.acks, peers.kafka]) {
      await askKafka(port, (kafka) => kafka.createTopic(topic))
      const bytes = (settings.fetchMiB[recordBytes] ?? 0) * MIB
      records = await clients.fill({ port, topic, recordBytes, acks: 1 }, bytes)
    }
    for (const client of clients.names) {
      const measure = (peer: Peer): Promise<Sample> =>
        fetchSample(peer, clients, client, { topic, recordBytes, records }, settings.fetch[client])
      const samples = await compare(peers.acks, peers.kafka, settings.rounds, measure)
      cells.push({ client, recordBytes, durability: '', ...compared(samples) })
    }
    for (const { port } of [peers.acks, peers.kafka]) await askKafka(port, (kafka) => kafka.deleteTopic(topic))
  }
  return cells
}

async function latencyCells(peers: Peers, clients: Clients, settings: Settings): Promise<Cell<Percentiles>[]> {
  const cells: Cell<Percentiles>[] = []
  for (const client of clients.names) {
    if (client === 'bare') continue
    for (const durability of DURABILITIES) {
      const what = { recordBytes: LATENCY_RECORD_BYTES, durability }
      const measure = (peer: Peer): Promise<Percentiles> =>
        latencySample(peer, clients, client, what, settings.latency).then(({ p50, p99, p999 }) => ({ p50, p99, p999 }))
      const samples = await compare(peers[durability.fsync], peers.kafka, settings.rounds, measure)
      cells.push({ client, recordBytes: what.recordBytes, durability: durability.name, ...compared(samples) })
    }
  }
  return cells
}

function memoryOf(peers: Peers): Compared<Memory> {
  const of = ({ pid }: Peer): Memory => residentMiB(pid)
  return { mykafka: of(peers.acks), kafka: of(peers.kafka) }
}

async function withPeers<T>(directory: string, use: (peers: Peers) => Promise<T>): Promise<T> {
  const started: Peer[] = []
  const start = async (starting: Promise<Peer>): Promise<Peer> => {
    started.push(await starting)
    return starting
  }
  try {
    const acks = await start(startMyKafka(join(directory, 'acks'), 'acks', BROKER_CORE))
    const never = await start(startMyKafka(join(directory, 'never'), 'never', BROKER_CORE))
    const kafka = await start(startApacheKafka(join(directory, 'kafka'), BROKER_CORE))
    return await use({ acks, never, kafka })
  } finally {
    for (const peer of started) await peer.stop()
  }
}

async function runIn(directory: string, settings: Settings): Promise<Report> {
  if (!canPin()) throw new Error('this benchmark needs taskset, and two cores')
  for (const name of ['acks', 'never']) await mkdir(join(directory, name))
  const clients = new Clients(directory, CLIENT_CORE)
  const starts = compared(await startSamples(directory, settings.rounds, ALL_CORES))
  return await withPeers(directory, async (peers) => {
    // Those of Apache Kafka compile what they do first; one round that does not count is enough for both.
    await produceCells(peers, clients, { ...QUICK, recordBytes: settings.recordBytes })
    const produced = await produceCells(peers, clients, settings)
    const fetched = await fetchCells(peers, clients, settings)
    const latencies = await latencyCells(peers, clients, settings)
    const memory = memoryOf(peers)
    return {
      settings: {
        ...settings,
        brokerCore: BROKER_CORE,
        clientCore: CLIENT_CORE,
        partitions: 1,
        batchBytes: BATCH_BYTES,
        kafkaJava: '-Xmx1g -Xms1g -XX:+UseG1GC, as bin/kafka-server-start.sh',
        fsync: Object.fromEntries(
          DURABILITIES.map(({ name, fsync, kafkaTopic }) => [name, { mykafka: `--fsync ${fsync}`, kafka: kafkaTopic }]),
        ),
        clients: clients.names,
      },
      tables: [
        produceTable(produced),
        fetchTable(fetched),
        latencyTable(latencies, settings.latency.recordsPerSecond),
        startTable(starts, memory),
      ],
      aims: aims(produced, fetched, latencies),
    }
  })
}

export const kafka: Benchmark = {
  question: 'How does the broker compare with Apache Kafka, one node on the same core, by the same clients?',
  run: ({ quick }) => withTemporaryDirectory((directory) => runIn(directory, quick ? QUICK : FULL)),
}
