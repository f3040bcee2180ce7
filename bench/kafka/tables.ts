/** What the comparison found, as tables with ratios, and the aims. */
import type { Aim, Table } from '../benchmark.js'
import { round, times } from '../support/statistics.js'
import type { Sample } from './cells.js'
import type { ClientName } from './clients.js'
import type { Percentiles } from './java-output.js'
import type { StartSample } from './start.js'

export interface Compared<T> {
  readonly mykafka: T
  readonly kafka: T
}

export interface Cell<T> extends Compared<T> {
  readonly client: ClientName
  readonly recordBytes: number
  /** '' where nothing is acknowledged. */
  readonly durability: string
}

export interface Memory {
  readonly now: number
  readonly peak: number
}

const AIMS = { throughput: 2, p99: 1 / 3, fetchCpu: 1 / 3 }

const CLIENT_NAMES: Readonly<Record<ClientName, string>> = {
  java: "Kafka's perf-test",
  librdkafka: 'librdkafka',
  bare: 'bare',
}

const THROUGHPUT_COLUMNS = [
  'MB/s',
  "Kafka's",
  'ratio',
  'krec/s',
  "Kafka's",
  'CPU s/GB',
  "Kafka's",
  'ratio',
  'broker busy',
  "Kafka's",
  'client busy',
  "by Kafka's",
]

export function produceTable(cells: readonly Cell<Sample>[]): Table {
  return {
    title:
      'Produce. Kafka fsyncs by flush.messages=1, ours by --fsync acks (no fsync: --fsync never, with acks=1 either). ' +
      'bare: ready-made batches, 5 under way',
    columns: ['client', 'record', 'acknowledged', ...THROUGHPUT_COLUMNS],
    rows: cells.map((cell) => [...labels(cell), cell.durability, ...throughput(cell)]),
  }
}

export function fetchTable(cells: readonly Cell<Sample>[]): Table {
  return {
    title: 'Fetch, from the page cache, batches of 16 KiB. bare: takes every byte and looks at none',
    columns: ['client', 'record', ...THROUGHPUT_COLUMNS],
    rows: cells.map((cell) => [...labels(cell), ...throughput(cell)]),
  }
}

export function latencyTable(cells: readonly Cell<Percentiles>[], recordsPerSecond: number): Table {
  return {
    title: `Milliseconds from a record to its acknowledgement, ${recordsPerSecond} a second, linger.ms=0. Kafka's tool tells whole ones`,
    columns: [
      'client',
      'record',
      'acknowledged',
      'p50',
      "Kafka's",
      'p99',
      "Kafka's",
      'ratio',
      'p99.9',
      "Kafka's",
      'ratio',
    ],
    rows: cells.map((cell) => {
      const { mykafka, kafka } = cell
      const of = (name: 'p99' | 'p999') => [
        round(mykafka[name]),
        round(kafka[name]),
        ratioOf(mykafka[name], kafka[name]),
      ]
      return [...labels(cell), cell.durability, round(mykafka.p50), round(kafka.p50), ...of('p99'), ...of('p999')]
    }),
  }
}

export function startTable(starts: Compared<StartSample>, memory: Compared<Memory>): Table {
  const row = (what: string, mykafka: number, kafka: number): (string | number)[] => [
    what,
    round(mykafka),
    round(kafka),
    times(mykafka / kafka),
  ]
  const { mykafka, kafka } = starts
  return {
    title: 'Start and memory. Data directories are new, and of Kafka formatted before; started on all cores',
    columns: ['', 'mykafka', 'kafka', 'ratio'],
    rows: [
      row('start of the process to the first Produce acknowledged, ms', mykafka.firstProduceMs, kafka.firstProduceMs),
      row('RSS idle, MiB', mykafka.idleRssMiB, kafka.idleRssMiB),
      row('RSS behind the load, MiB', memory.mykafka.now, memory.kafka.now),
      row('RSS at the most, MiB', memory.mykafka.peak, memory.kafka.peak),
    ],
  }
}

export function aims(
  produced: readonly Cell<Sample>[],
  fetched: readonly Cell<Sample>[],
  latencies: readonly Cell<Percentiles>[],
): Aim[] {
  const clients = [...new Set(fetched.map(({ client }) => client))]
  const by = <T>(cells: readonly Cell<T>[], client: ClientName) => cells.filter((cell) => cell.client === client)
  return [
    ...clients.map((client) => throughputAim('produce', by(produced, client))),
    ...clients.map((client) => throughputAim('fetch', by(fetched, client))),
    worst("p99 at most 1/3 of Kafka's", latencies, ({ p99 }) => p99, AIMS.p99),
    worst(
      "CPU per GB of fetch at most 1/3 of Kafka's",
      fetched,
      ({ cpuSecondsPerGb }) => cpuSecondsPerGb,
      AIMS.fetchCpu,
    ),
  ]
}

/** Where it is missed, how busy the two cores were tells what limits. */
function throughputAim(what: string, cells: readonly Cell<Sample>[]): Aim {
  const ratio = ({ mykafka, kafka }: Cell<Sample>): number => mykafka.megabytesPerSecond / kafka.megabytesPerSecond
  const least = cells.reduce((a, b) => (ratio(b) < ratio(a) ? b : a))
  const { brokerBusy, clientBusy } = least.mykafka
  return {
    aim: `${what} by ${CLIENT_NAMES[least.client]} at least ${AIMS.throughput} times Kafka's MB/s`,
    measured: `${times(ratio(least))} at the least (${where(least)}; broker ${percent(brokerBusy)} busy, client ${percent(clientBusy)})`,
    met: ratio(least) >= AIMS.throughput,
  }
}

function worst<T>(aim: string, cells: readonly Cell<T>[], of: (sample: T) => number, limit: number): Aim {
  const ratio = ({ mykafka, kafka }: Cell<T>): number => of(mykafka) / of(kafka)
  const most = cells.reduce((a, b) => (ratio(b) > ratio(a) ? b : a))
  return {
    aim,
    measured: `${times(ratio(most))} at the most (${CLIENT_NAMES[most.client]}, ${where(most)})`,
    met: ratio(most) <= limit,
  }
}

function labels({ client, recordBytes }: Cell<unknown>): string[] {
  return [CLIENT_NAMES[client], `${recordBytes} B`]
}

function throughput({ mykafka, kafka }: Compared<Sample>): (string | number)[] {
  return [
    round(mykafka.megabytesPerSecond),
    round(kafka.megabytesPerSecond),
    times(mykafka.megabytesPerSecond / kafka.megabytesPerSecond),
    round(mykafka.recordsPerSecond / 1000),
    round(kafka.recordsPerSecond / 1000),
    round(mykafka.cpuSecondsPerGb),
    round(kafka.cpuSecondsPerGb),
    times(mykafka.cpuSecondsPerGb / kafka.cpuSecondsPerGb),
    percent(mykafka.brokerBusy),
    percent(kafka.brokerBusy),
    percent(mykafka.clientBusy),
    percent(kafka.clientBusy),
  ]
}

function where({ recordBytes, durability }: Cell<unknown>): string {
  return durability === '' ? `${recordBytes} B` : `${recordBytes} B, ${durability}`
}

/** Kafka's tool says 0 below a millisecond. */
function ratioOf(mykafka: number, kafka: number): string {
  return kafka === 0 ? '-' : times(mykafka / kafka)
}

function percent(part: number): string {
  return `${Math.round(part * 100)} %`
}
