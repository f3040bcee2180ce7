import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Benchmark, Report } from './benchmark.js'
import { median, quantile, round } from './support/statistics.js'

const PROGRAM = fileURLToPath(new URL('support/first-message-program.mjs', import.meta.url))
const AIM_MS = 1000

/** What the program prints. */
interface Steps {
  readonly broker: number
  readonly produced: number
  readonly consumed: number
  readonly total: number
  /** From the start of the process: Node and the imports count too. */
  readonly process: number
}

const NAMES: [step: keyof Steps, shown: string][] = [
  ['broker', 'the broker listens'],
  ['produced', 'kafkajs has connected and sent a message'],
  ['consumed', 'a consumer has connected, joined a fresh group and got it'],
  ['total', 'all of it'],
  ['process', 'the same from the start of the process'],
]

const runProgram = promisify(execFile)

async function measure(rounds: number): Promise<Steps[]> {
  const all: Steps[] = []
  for (let i = 0; i < rounds; i++) {
    const { stdout } = await runProgram(process.execPath, [PROGRAM])
    all.push(JSON.parse(stdout) as Steps)
  }
  return all
}

async function run(quick: boolean): Promise<Report> {
  const rounds = quick ? 1 : 20
  const all = await measure(rounds)
  const of = (step: keyof Steps): number[] => all.map((steps) => steps[step])
  const total = median(of('total'))
  return {
    settings: { rounds },
    tables: [
      {
        title: 'From nothing to the first message, milliseconds',
        columns: ['step', 'median', 'p90'],
        rows: NAMES.map(([step, shown]) => [shown, round(median(of(step))), round(quantile(of(step), 0.9))]),
      },
    ],
    aims: [{ aim: `under ${AIM_MS} ms`, measured: `${round(total)} ms`, met: total < AIM_MS }],
  }
}

export const firstMessage: Benchmark = {
  question:
    'How long from starting broker and kafkajs in one process, both with their defaults, to the first message that a fresh group consumes?',
  run: ({ quick }) => run(quick),
}
