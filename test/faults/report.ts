/** What each harness has found so far, in test/reports: docs/durability.md is made of it. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Caught, Row } from './harness.js'

export interface Source {
  readonly date: string
  /** What was run. */
  readonly commit: string
}

/** Rounds that followed one another on the same sources, with the seeds from `seed` to below `seed + rounds`. */
export interface RecordedRun extends Source {
  readonly seed: number
  readonly rounds: number
  readonly rows: readonly Row[]
}

export interface RecordedHarness {
  readonly about: string
  readonly runs: readonly RecordedRun[]
}

export type RecordedMutant = Caught & Source

const REPORTS = fileURLToPath(new URL('../reports/durability/', import.meta.url))
const MUTANTS = fileURLToPath(new URL('../reports/mutants.json', import.meta.url))

/** Adds up the rows that are of the same fault and mode, in the order in which those come first. */
export function addRows(rows: readonly Row[]): Row[] {
  const sums = new Map<string, Row>()
  for (const row of rows) {
    const key = JSON.stringify([row.fault, row.mode, row.promised])
    const sum = sums.get(key)
    sums.set(
      key,
      sum === undefined
        ? row
        : {
            ...sum,
            rounds: sum.rounds + row.rounds,
            acknowledged: sum.acknowledged + row.acknowledged,
            lost: sum.lost + row.lost,
            wrong: sum.wrong + row.wrong,
          },
    )
  }
  return [...sums.values()]
}

/**
 * With one more run. One of the same seeds takes the place of the former; one that shares some of them is refused, as
 * its rounds would count twice; one that goes on where the last one ended, on the same sources, is added to it.
 */
export function mergeRun(runs: readonly RecordedRun[], run: RecordedRun): RecordedRun[] {
  const others = runs.filter(({ seed, rounds }) => seed !== run.seed || rounds !== run.rounds)
  const shared = others.find(({ seed, rounds }) => seed < run.seed + run.rounds && run.seed < seed + rounds)
  if (shared !== undefined) {
    throw new Error(`${shared.rounds} rounds from the seed ${shared.seed} on are in the report: take other seeds`)
  }
  const before = others.find(({ seed, rounds, commit }) => seed + rounds === run.seed && commit === run.commit)
  if (before === undefined) return [...others, run].sort((a, b) => a.seed - b.seed)
  const rows = addRows([...before.rows, ...run.rows])
  const longer = { ...run, seed: before.seed, rounds: before.rounds + run.rounds, rows }
  return others.map((other) => (other === before ? longer : other))
}

/** Puts a run into the report of its harness; returns the file. */
export function saveRun(name: string, about: string, run: RecordedRun): string {
  mkdirSync(REPORTS, { recursive: true })
  const file = join(REPORTS, `${name}.json`)
  const recorded: RecordedHarness = { about, runs: mergeRun(readReports().get(name)?.runs ?? [], run) }
  writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`)
  return file
}

/** By the names of the harnesses. */
export function readReports(): Map<string, RecordedHarness> {
  if (!existsSync(REPORTS)) return new Map()
  const files = readdirSync(REPORTS).filter((file) => file.endsWith('.json'))
  return new Map(
    files.sort().map((file) => [file.slice(0, -'.json'.length), JSON.parse(readFileSync(join(REPORTS, file), 'utf8'))]),
  )
}

/** Each mutant has the place of the last time that it was looked at; one that was missed has none. Returns the file. */
export function saveCaught(caught: readonly Caught[], missed: readonly string[], { date, commit }: Source): string {
  const known = new Map(readMutants().map((each) => [each.mutant, each]))
  for (const mutant of missed) known.delete(mutant)
  for (const each of caught) known.set(each.mutant, { ...each, date, commit })
  writeFileSync(MUTANTS, `${JSON.stringify([...known.values()], null, 2)}\n`)
  return MUTANTS
}

export function readMutants(): RecordedMutant[] {
  return existsSync(MUTANTS) ? JSON.parse(readFileSync(MUTANTS, 'utf8')) : []
}

/** What is run: the commit, and whether files differ from it, but for the reports that runs write. */
export function currentCommit(): string {
  const cwd = fileURLToPath(new URL('../../', import.meta.url))
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!test/reports')
    return git('rev-parse', '--short', 'HEAD') + (changed === '' ? '' : '-dirty')
  } catch {
    return 'unknown'
  }
}
