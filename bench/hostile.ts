import type { Aim, Benchmark, Report, Table } from './benchmark.js'
import { ATTACKS } from './hostile/attacks.js'
import { type Sample, takeTurn } from './hostile/turn.js'
import { type Load, PartitionWriter } from './partitions/load.js'
import { interleave, median, round, times } from './support/statistics.js'
import { withTemporaryDirectory } from './support/temporary.js'

/** How many times as long the slowest of a hundred requests may take as beside equally heavy traffic. */
const MOST_TIMES = 3
/** Above what the broker had before. */
const MOST_MIB = 1200

interface Settings {
  readonly attacks: readonly string[]
  readonly rounds: number
  readonly load: Load
}

const FULL: Settings = {
  attacks: Object.keys(ATTACKS),
  rounds: 3,
  load: { inFlight: 32, perSecond: 400, uncounted: 100, counted: 1600 },
}

const QUICK: Settings = {
  attacks: ['greetings', 'half frames'],
  rounds: 1,
  load: { inFlight: 32, perSecond: 400, uncounted: 20, counted: 100 },
}

type Samples = Readonly<Record<string, readonly Sample[]>>
const ALONE = 'nobody'

function of(samples: Samples, name: string, figure: (sample: Sample) => number): number {
  return median((samples[name] as readonly Sample[]).map(figure))
}

const p99 = ({ client }: Sample): number => client.p99

/** The median of the ratios within the rounds. */
function ratio(samples: Samples, attack: string): number {
  const hostile = samples[`${attack} hostile`] as readonly Sample[]
  const valid = samples[`${attack} valid`] as readonly Sample[]
  return median(hostile.map((sample, turn) => p99(sample) / p99(valid[turn] as Sample)))
}

function latencies(samples: Samples, { attacks }: Settings): Table {
  const row = (beside: string, name: string, against: string): (string | number)[] => [
    beside,
    round(of(samples, name, ({ client }) => client.p50)),
    round(of(samples, name, p99)),
    round(of(samples, name, ({ client }) => client.max)),
    against,
  ]
  return {
    title: 'A client that means no harm',
    columns: ['beside', 'p50 ms', 'p99 ms', 'max ms', 'p99 against valid'],
    rows: [
      row(ALONE, ALONE, '-'),
      ...attacks.flatMap((attack) => [
        row(`  valid: ${ATTACKS[attack]?.().alike}`, `${attack} valid`, '-'),
        row(attack, `${attack} hostile`, times(ratio(samples, attack))),
      ]),
    ],
  }
}

function brokerTable(samples: Samples, { attacks }: Settings): Table {
  return {
    title: 'The broker',
    columns: ['beside', 'RSS before MiB', 'RSS at most MiB', 'at most, valid', 'sockets left', 'lines of the log'],
    rows: attacks.map((attack) => [
      attack,
      round(of(samples, `${attack} hostile`, ({ rssBeforeMiB }) => rssBeforeMiB)),
      round(of(samples, `${attack} hostile`, ({ rssPeakMiB }) => rssPeakMiB)),
      round(of(samples, `${attack} valid`, ({ rssPeakMiB }) => rssPeakMiB)),
      of(samples, `${attack} hostile`, ({ socketsLeft }) => socketsLeft),
      of(samples, `${attack} hostile`, ({ lines }) => lines),
    ]),
  }
}

function aims(samples: Samples, { attacks }: Settings): Aim[] {
  return attacks.flatMap((attack) => {
    const measured = ratio(samples, attack)
    const grown = of(samples, `${attack} hostile`, (sample) => sample.rssPeakMiB - sample.rssBeforeMiB)
    const left = of(samples, `${attack} hostile`, ({ socketsLeft }) => socketsLeft)
    return [
      {
        aim: `${attack}: p99 at most ${MOST_TIMES} times that beside equally heavy valid traffic`,
        measured: times(measured),
        met: measured <= MOST_TIMES,
      },
      {
        aim: `${attack}: at most ${MOST_MIB} MiB more, and no socket is left`,
        measured: `${round(grown)} MiB, ${left} left`,
        met: grown <= MOST_MIB && left === 0,
      },
    ]
  })
}

async function runIn(directory: string, settings: Settings): Promise<Report> {
  const { attacks, rounds, load } = settings
  const writer = await PartitionWriter.make(directory)
  const turns = attacks.flatMap((attack) =>
    (['valid', 'hostile'] as const).map((kind) => [
      `${attack} ${kind}`,
      () => takeTurn(directory, writer, load, { attack, kind }),
    ]),
  ) as [string, () => Promise<Sample>][]
  turns.unshift([ALONE, () => takeTurn(directory, writer, load, null)])
  const samples = await interleave(Object.fromEntries(turns), { rounds, warmups: 0 })
  return {
    settings: { rounds, load, fsync: 'acks' },
    tables: [latencies(samples, settings), brokerTable(samples, settings)],
    aims: aims(samples, settings),
  }
}

export const hostile: Benchmark = {
  question: 'How does a client fare beside peers that mean harm, against traffic that is as heavy?',
  run: ({ quick }) => withTemporaryDirectory((directory) => runIn(directory, quick ? QUICK : FULL)),
}
