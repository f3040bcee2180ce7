/**
 * `npm run faults -- NAME... [--rounds N] [--seed N] [--only TEXT] [--write]`: breaks things and holds what is left
 * against the promise of docs/durability.md. `ci` runs what CI has the time for, `all` the whole of it. With `--write`
 * the outcome goes into test/reports, of which `npm run generate` makes tables. Ends with 1 where a promise was broken.
 *
 * @module
 */
import { parseArgs } from 'node:util'
import { cleanUp } from '../support/clean-up.js'
import type { Harness, Outcome, Row, RunOptions } from './harness.js'
import { addRows, currentCommit, type RecordedRun, saveCaught, saveRun } from './report.js'

const HARNESSES: Readonly<Record<string, () => Promise<Harness>>> = {
  history: async () => (await import('./history/history.js')).history,
  soak: async () => (await import('./soak/harness.js')).soak,
  power: async () => (await import('./power/index.js')).power,
  kill: async () => (await import('./power/index.js')).kill,
  hostile: async () => (await import('./hostile.js')).hostile,
  simulator: async () => (await import('./simulator.js')).simulator,
  mutants: async () => (await import('./mutants/mutants.js')).mutants,
  disk: async () => (await import('./disk/disk.js')).disk,
}

const USAGE = `usage: npm run faults -- NAME... [--rounds N] [--seed N] [--only TEXT] [--write]
NAME: ${Object.keys(HARNESSES).join(', ')}; ci: what CI runs; all: as many rounds as by hand
Round i of the seed s has the seed s + i: --seed X --rounds 1 runs one again.
--only: the mutants whose names hold this text, or one of several, parted by commas`

interface Arguments {
  readonly names: readonly string[]
  readonly all: 'ci' | 'full' | null
  readonly seed: number
  readonly rounds: number | null
  readonly only: string | undefined
  readonly write: boolean
}

function readArguments(args: readonly string[]): Arguments | null {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        rounds: { type: 'string' },
        seed: { type: 'string' },
        only: { type: 'string' },
        write: { type: 'boolean', default: false },
      },
    })
    const all = positionals.includes('ci') ? 'ci' : positionals.includes('all') ? 'full' : null
    const names = all === null ? positionals : Object.keys(HARNESSES)
    if (all === null ? names.length === 0 : positionals.length > 1) return null
    if (!names.every((name) => Object.hasOwn(HARNESSES, name))) return null
    const seed = values.seed === undefined ? Date.now() % 2 ** 31 : wholeNumber(values.seed)
    const rounds = values.rounds === undefined ? null : wholeNumber(values.rounds)
    return { names, all, seed, rounds, only: values.only, write: values.write }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return null
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${text} is no whole number`)
  return Number(text)
}

/** What a harness throws is a failure like others, and what it opened is closed behind it. */
async function run(harness: Harness, options: RunOptions): Promise<Outcome> {
  const begin = performance.now()
  const failed = (error: unknown): string => `seed ${options.seed}: ${error instanceof Error ? error.stack : error}`
  const failures: string[] = []
  let outcome: Outcome = { rows: [], failures: [] }
  try {
    outcome = await harness.run(options)
  } catch (error) {
    failures.push(failed(error))
  }
  await cleanUp().catch((error: unknown) => failures.push(failed(error)))
  options.log(`(${((performance.now() - begin) / 1000).toFixed(1)} s)`)
  const broken = outcome.failures.length > 0 ? [] : brokenPromises(outcome.rows, options.seed)
  return { ...outcome, rows: addRows(outcome.rows), failures: [...outcome.failures, ...broken, ...failures] }
}

/** A harness that counts a loss and does not call it a failure is not believed. */
function brokenPromises(rows: readonly Row[], seed: number): string[] {
  return rows
    .filter(({ promised, lost, wrong }) => (promised && lost > 0) || wrong > 0)
    .map(({ fault, mode, lost, wrong }) => `seeds from ${seed} on: ${fault}, ${mode}: ${lost} lost, ${wrong} wrong`)
}

function tableOf(rows: readonly Row[]): string {
  const lines = [
    ['fault', 'mode', 'promised', 'rounds', 'acknowledged', 'lost', 'wrong'],
    ...rows.map((row) => [
      row.fault,
      row.mode,
      row.promised ? 'yes' : 'no',
      ...[row.rounds, row.acknowledged, row.lost, row.wrong].map(String),
    ]),
  ]
  const widths = (lines[0] as string[]).map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  const padded = lines.map((line) => line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
  return padded.map((line) => `  ${line.trimEnd()}`).join('\n')
}

/** Adds it to the reports. A run that is not whole would hide something. */
function save(name: string, harness: Harness, outcome: Outcome, run: Omit<RecordedRun, 'rows'>): void {
  const { date, commit } = run
  const written = outcome.caught
    ? saveCaught(outcome.caught, outcome.missed ?? [], { date, commit })
    : saveRun(name, harness.about, { ...run, rows: outcome.rows })
  console.log(`written: ${written}`)
}

async function main(): Promise<number> {
  const given = readArguments(process.argv.slice(2))
  if (given === null) {
    console.error(USAGE)
    return 2
  }
  const ending = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      console.error(`${name}: ending, and clearing up`)
      ending.abort()
    })
  }
  const { seed, only } = given
  let failed = false
  for (const name of given.names) {
    const harness = await (HARNESSES[name] as () => Promise<Harness>)()
    if (ending.signal.aborted) break
    if (given.all !== null && harness.rounds[given.all] === 0) continue
    const rounds = given.rounds ?? harness.rounds[given.all ?? 'full']
    console.log(`\n${name}: ${harness.about}\n${rounds > 0 ? `${rounds} rounds, ` : ''}--seed ${seed}`)
    // Sources may change while it runs.
    const source = { date: new Date().toISOString(), commit: currentCommit() }
    const outcome = await run(harness, { seed, rounds, only, log: console.log, signal: ending.signal })
    if (outcome.rows.length > 0) console.log(tableOf(outcome.rows))
    for (const failure of outcome.failures) console.error(`FAILED: ${name}: ${failure}`)
    failed ||= outcome.failures.length > 0
    if (!given.write) continue
    // Each mutant is looked at by itself.
    const isWhole = outcome.failures.length === 0 && !ending.signal.aborted
    if (!isWhole && !outcome.caught) console.error('not written: the run is not whole')
    else save(name, harness, outcome, { ...source, seed, rounds })
  }
  return failed || ending.signal.aborted ? 1 : 0
}

process.exitCode = await main()
