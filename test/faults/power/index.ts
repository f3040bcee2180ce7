import type { Harness, Outcome, Row, RunOptions } from '../harness.js'
import { missingForPower } from './disk.js'
import type { Fault } from './promise.js'
import { runRound } from './round.js'

async function runRounds(fault: Fault, { seed, rounds, log, signal }: RunOptions): Promise<Outcome> {
  const rows: Row[] = []
  const failures: string[] = []
  for (let round = 0; round < rounds && !signal.aborted; round++) {
    const outcome = await runRound(fault, seed + round, signal).catch((error: unknown) => failed(seed + round, error))
    rows.push(...outcome.rows)
    failures.push(...outcome.failures)
    for (const failure of outcome.failures) log(`  ${failure}`)
    if ((round + 1) % 10 === 0) log(`  ${round + 1} rounds, ${failures.length} failures`)
  }
  if (!signal.aborted && !rows.some(({ acknowledged }) => acknowledged > 0)) {
    failures.push(`seeds from ${seed}: nothing was acknowledged`)
  }
  return { rows, failures }
}

function failed(seed: number, error: unknown): Outcome {
  return { rows: [], failures: [`seed ${seed}: ${error instanceof Error ? error.stack : error}`] }
}

export const power: Harness = {
  about: 'pulls the plug of an ext4 disk under a broker that both wires write to, up to three times a round',
  rounds: { ci: 5, full: 200 },
  async run(options) {
    const missing = missingForPower()
    if (missing === null) return await runRounds('power', options)
    const text = `NOT RUN: the power-loss harness needs ${missing}, which is not here`
    options.log(text)
    return { rows: [], failures: process.env.CI === 'true' ? [text] : [] }
  },
}

export const kill: Harness = {
  about: 'ends a broker that both wires write to by kill -9, up to three times a round',
  rounds: { ci: 5, full: 100 },
  run: (options) => runRounds('kill', options),
}
