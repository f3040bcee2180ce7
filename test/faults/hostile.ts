import { loadConversations } from '../hostile/support/corpus.js'
import {
  faultsIn,
  hostileRound,
  prepare,
  residentMiB,
  socketsGone,
  socketsOf,
} from '../hostile/support/hostile-round.js'
import { BrokerProcess } from '../support/broker-process.js'
import { temporaryDirectory } from '../support/temporary.js'
import type { Harness, Outcome, Row, RunOptions } from './harness.js'

const STRANGERS = 8
const VISITS = 60
/** A broker under attack stays below: 256 MiB each for requests, responses and groups, and what V8 leaves uncollected. */
const MOST_MIB = 1800
/** Of warnings in a round: each kind is told once in ten seconds. */
const MOST_WARNINGS = 60

async function run({ seed, rounds, log, signal }: RunOptions): Promise<Outcome> {
  const failures: string[] = []
  const rows: Row[] = []
  const conversations = loadConversations()
  const args = ['--override', 'max.partitions=1000', '--override', 'log.segment.bytes=1048576']
  const broker = await BrokerProcess.start({ dataDir: await temporaryDirectory(), args })
  try {
    await prepare(broker.port)
    const sockets = socketsOf(broker.pid)
    for (let round = 0; round < rounds && !signal.aborted; round++) {
      const own = seed + round
      const from = broker.output.lastIndexOf('\n') + 1
      const options = { seed: own, strangers: STRANGERS, visits: VISITS }
      const accounts = await hostileRound(broker.port, conversations, options)
      for (const { mode, acknowledged, lost, wrong } of accounts) {
        rows.push({ fault: 'hostile bytes', mode, promised: true, rounds: 1, acknowledged, lost, wrong })
        if (acknowledged === 0) failures.push(`seed ${own}: nothing was acknowledged (${mode})`)
      }
      const left = await socketsGone(broker.pid, sockets)
      if (left > sockets) failures.push(`seed ${own}: ${left} sockets are open, ${sockets} were`)
      const { now, peak } = residentMiB(broker.pid)
      if (peak > MOST_MIB) failures.push(`seed ${own}: ${peak} MiB in memory`)
      const output = broker.output.slice(from, broker.output.lastIndexOf('\n') + 1)
      failures.push(...faultsIn(output).map((problem) => `seed ${own}: ${problem}`))
      const warnings = output.split('"level":40').length - 1
      if (warnings > MOST_WARNINGS) failures.push(`seed ${own}: ${warnings} warnings in the log`)
      const told = accounts.map(({ mode, acknowledged }) => `${acknowledged} (${mode})`).join(', ')
      log(`seed ${own}: acknowledged ${told}; RSS ${now} MiB, at most ${peak}; ${warnings} warnings`)
      if (failures.length > 0) break
    }
    const { code } = await broker.stop()
    if (code !== 0) failures.push(`seeds from ${seed}: the broker ended with ${code}:\n${broker.output.slice(-2000)}`)
  } catch (error) {
    failures.push(`seeds from ${seed}: ${(error as Error).stack}\n${broker.output.slice(-2000)}`)
  }
  return { rows, failures }
}

/** Strangers that say what no client says. */
export const hostile: Harness = {
  about: 'mutated conversations of both wires with a running broker, and a client beside them',
  rounds: { ci: 5, full: 1000 },
  run,
}
