/** The files in test/reports/durability: what each harness has found so far, of which docs/durability.md is made. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Row } from './harness.js'

/** Rounds that followed one another on the same sources, with the seeds from `seed` to below `seed + rounds`. */
export interface RecordedRun {
  readonly date: string
  readonly commit: string
  readonly seed: number
  readonly rounds: number
  readonly rows: readonly Row[]
}

export interface RecordedHarness {
  readonly about: string
  readonly runs: readonly RecordedRun[]
}

export const REPORTS = fileURLToPath(new URL('../reports/durability/', import.meta.url))

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
  const names = listed().sort()
  return new Map(names.map((name) => [name, JSON.parse(readFileSync(join(REPORTS, `${name}.json`), 'utf8'))]))
}

function listed(): string[] {
  try {
    return readdirSync(REPORTS)
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length))
  } catch {
    return []
  }
}

/** What is run: the commit, and whether files differ from it. */
export function currentCommit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--exclude=*'], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return 'unknown'
  }
}
