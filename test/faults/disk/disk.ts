/**
 * Torn and reordered writes, recorded: what a broker's engine does with its files is written down, and from that the
 * states are made that a crash could have left at any moment: any of the sectors and names that were not synced. The
 * engine is started on each.
 *
 * @module
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compiledProgram } from '../../support/programs.js'
import type { Harness, Outcome, Row, RunOptions } from '../harness.js'
import { failingRound } from './failing-calls.js'
import type { LogStep } from './recorded-life.js'
import { canRecord, Recorder } from './recorder.js'
import { newTally, round, type Tallies, type Tally } from './rounds.js'

export interface DiskOptions extends RunOptions {
  /** program.ts, compiled. */
  readonly program: string
  readonly states: number
  readonly failingLives: number
  readonly script?: readonly LogStep[]
}

const OPERATIONS = 30
const FAILING_STATES = 6

export async function runDisk(
  options: DiskOptions,
): Promise<Outcome & { readonly silent: ReadonlyMap<string, number> }> {
  const { seed, rounds, program, states, failingLives, script, signal, log } = options
  // A memory disk, where there is one: nothing is to be waited for.
  const place = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'mykafka-disk-'))
  const recorder = new Recorder(program, place)
  const tallies: Tallies = { power: newTally(), kill: newTally() }
  const failing: Tallies = { power: newTally(), kill: newTally() }
  const silent = new Map<string, number>()
  const begin = performance.now()
  try {
    for (let i = 0; i < rounds && !signal.aborted; i++) {
      const one = { seed: seed + i, recorder, place, states, operations: OPERATIONS, signal, ...(script && { script }) }
      const well = await round(one, tallies)
      await failingRound(well, { lives: failingLives, states: FAILING_STATES }, one, failing, silent)
      if ((i + 1) % 50 === 0 || i === rounds - 1) {
        const all = [tallies.power, tallies.kill, failing.power, failing.kill].reduce(
          (sum, each) => sum + each.states,
          0,
        )
        const perSecond = Math.round((all * 1000) / (performance.now() - begin))
        log(`${i + 1} of ${rounds} lives, ${all} states, ${perSecond} a second`)
      }
    }
  } finally {
    await recorder.close()
    rmSync(place, { recursive: true, force: true })
  }
  const rows = [
    ...rowsOf('torn and reordered writes (recorded)', tallies.power, false),
    ...rowsOf('kill at any call (recorded)', tallies.kill, true),
    ...rowsOf('n-th call fails, then power loss', failing.power, false),
    ...rowsOf('n-th call fails, then kill', failing.kill, true),
  ]
  const failures = [tallies, failing].flatMap(({ power, kill }) => [...power.failures, ...kill.failures])
  return { rows, failures, silent }
}

function rowsOf(fault: string, { states: rounds, all, one, wrong }: Tally, promisesOne: boolean): Row[] {
  return [
    { fault, mode: 'acks=all', promised: true, rounds, ...all, wrong },
    { fault, mode: 'acks=1', promised: promisesOne, rounds, ...one, wrong: 0 },
  ]
}

const STATES = 200
const FAILING_LIVES = 4

export const disk: Harness = {
  about: `each round is a life of a broker's engine, of which some ${STATES} crash states are made and started`,
  rounds: { ci: 12, full: 500 },
  run: async (options) => {
    if (!canRecord) {
      options.log('not on this system: the recorder is preloaded as Linux does it')
      return { rows: [], failures: [] }
    }
    const { program, remove } = await compiledProgram('recorded-life')
    try {
      const outcome = await runDisk({ ...options, program, states: STATES, failingLives: FAILING_LIVES })
      for (const [what, times] of outcome.silent) options.log(`passed in silence ${times} times: ${what}`)
      return outcome
    } finally {
      remove()
    }
  },
}
