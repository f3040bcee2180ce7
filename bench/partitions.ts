import { join } from 'node:path'
import type { Aim, Benchmark, Report, Table } from './benchmark.js'
import { FEW, LAYOUTS, type Layout, MANY, nameOf } from './partitions/layouts.js'
import { type Load, type Outcome, PartitionWriter, REQUEST_BYTES } from './partitions/load.js'
import { type Loads, makeTopics, type Sample, takeTurn } from './partitions/turn.js'
import { interleave, median, round, times } from './support/statistics.js'
import { withTemporaryDirectory } from './support/temporary.js'

const MIB = 1 << 20
/** Within which the same load is carried. */
const AIMS = { throughput: 0.9, p99: 2 }

interface Settings {
  readonly layouts: readonly Layout[]
  readonly rounds: number
  readonly warmups: number
  readonly loads: Loads
}

const FULL: Settings = {
  layouts: LAYOUTS,
  rounds: 3,
  warmups: 1,
  loads: {
    pipelined: { inFlight: 32, uncounted: 7_200, counted: 14_400 },
    paced: { inFlight: 32, perSecond: 3_000, uncounted: 300, counted: 7_200 },
    client: { inFlight: 32, uncounted: 0, counted: 7_200 },
  },
}

const QUICK: Settings = {
  layouts: [FEW, { topics: 8, partitions: 8 }],
  rounds: 1,
  warmups: 0,
  loads: {
    pipelined: { inFlight: 32, uncounted: 100, counted: 500 },
    paced: { inFlight: 32, perSecond: 1_000, uncounted: 10, counted: 100 },
    client: { inFlight: 32, uncounted: 0, counted: 200 },
  },
}

type Samples = Readonly<Record<string, readonly Sample[]>>
type Part = keyof Loads

function of(samples: Samples, layout: Layout, figure: (sample: Sample) => number): number {
  return median((samples[nameOf(layout)] as readonly Sample[]).map(figure))
}

/** The median of what a figure is in each round against that of few partitions in the same round. */
function against(samples: Samples, layout: Layout, figure: (sample: Sample) => number): number {
  const few = samples[nameOf(FEW)] as readonly Sample[]
  const these = samples[nameOf(layout)] as readonly Sample[]
  return median(these.map((sample, turn) => figure(sample) / figure(few[turn] as Sample)))
}

function rate(part: Part, load: Load): (sample: Sample) => number {
  return (sample) => load.counted / sample[part].seconds
}

function latency(part: Part, quantile: keyof Outcome): (sample: Sample) => number {
  return (sample) => sample[part][quantile]
}

function loadTable(samples: Samples, title: string, part: Part, { layouts, loads }: Settings): Table {
  const perSecond = rate(part, loads[part])
  return {
    title,
    columns: ['partitions', 'requests/s', 'MiB/s', 'of 8', 'p50 ms', 'p99 ms', 'of 8', 'p99.9 ms', 'max ms'],
    rows: layouts.map((layout) => [
      nameOf(layout),
      round(of(samples, layout, perSecond)),
      round((of(samples, layout, perSecond) * REQUEST_BYTES) / MIB),
      times(against(samples, layout, perSecond)),
      round(of(samples, layout, latency(part, 'p50'))),
      round(of(samples, layout, latency(part, 'p99'))),
      times(against(samples, layout, latency(part, 'p99'))),
      round(of(samples, layout, latency(part, 'p999'))),
      round(of(samples, layout, latency(part, 'max'))),
    ]),
  }
}

function brokerTable(samples: Samples, made: Readonly<Record<string, number>>, { layouts }: Settings): Table {
  return {
    title: 'The broker',
    columns: [
      'partitions',
      'CPU µs a request',
      'descriptors',
      'mappings',
      'RSS MiB',
      'topics made ms',
      'start, clean ms',
      'start behind kill -9 ms',
      'stop ms',
    ],
    rows: layouts.map((layout) => [
      nameOf(layout),
      round(of(samples, layout, ({ cpuMicroseconds }) => cpuMicroseconds)),
      of(samples, layout, ({ descriptors }) => descriptors),
      of(samples, layout, ({ mappings }) => mappings),
      round(of(samples, layout, ({ rssMiB }) => rssMiB)),
      round(made[nameOf(layout)] as number),
      round(of(samples, layout, ({ cleanStartMs }) => cleanStartMs)),
      round(of(samples, layout, ({ uncleanStartMs }) => uncleanStartMs)),
      round(of(samples, layout, ({ stopMs }) => stopMs)),
    ]),
  }
}

function aims(samples: Samples, { layouts, loads }: Settings): Aim[] {
  if (!layouts.includes(MANY)) return []
  const names: Readonly<Record<Part, string>> = {
    pipelined: 'as many as the broker takes',
    paced: `${loads.paced.perSecond} a second`,
    client: "by the library's client",
  }
  return (Object.keys(names) as Part[]).flatMap((part) => {
    const throughput = against(samples, MANY, rate(part, loads[part]))
    const p99 = against(samples, MANY, latency(part, 'p99'))
    const [few, many] = [FEW, MANY].map((layout) => round(of(samples, layout, latency(part, 'p99'))))
    return [
      {
        aim: `${names[part]}: with 7200 partitions at least ${AIMS.throughput * 100} % of the requests with 8`,
        measured: `${round(throughput * 100)} %`,
        met: throughput >= AIMS.throughput,
      },
      {
        aim: `${names[part]}: p99 with 7200 partitions at most ${AIMS.p99} times that with 8`,
        measured: `${times(p99)}: ${many} ms against ${few} ms`,
        met: p99 <= AIMS.p99,
      },
    ]
  })
}

async function runIn(directory: string, settings: Settings): Promise<Report> {
  const { layouts, rounds, warmups, loads } = settings
  const writer = await PartitionWriter.make(directory)
  const place = (layout: Layout): string => join(directory, nameOf(layout).replaceAll(' ', '-'))
  const made: Record<string, number> = {}
  for (const layout of layouts) made[nameOf(layout)] = await makeTopics(place(layout), layout)
  const turns = layouts.map((layout) => [
    nameOf(layout),
    () => takeTurn(place(layout), layout, writer, loads),
  ]) as readonly [string, () => Promise<Sample>][]
  const samples = await interleave(Object.fromEntries(turns), { rounds, warmups })
  return {
    settings: { rounds, warmups, loads, requestBytes: REQUEST_BYTES, fsync: 'acks' },
    tables: [
      loadTable(samples, `As many as the broker takes, ${loads.pipelined.inFlight} under way`, 'pipelined', settings),
      loadTable(samples, `${loads.paced.perSecond} a second`, 'paced', settings),
      loadTable(samples, "By the library's client, which encodes each request", 'client', settings),
      brokerTable(samples, made, settings),
    ],
    aims: aims(samples, settings),
  }
}

export const partitions: Benchmark = {
  question: 'What do many partitions cost at the same total load?',
  run: ({ quick }) => withTemporaryDirectory((directory) => runIn(directory, quick ? QUICK : FULL)),
}
