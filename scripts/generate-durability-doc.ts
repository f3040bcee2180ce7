/**
 * Writes the tables of docs/durability.md from what the harnesses last found: test/reports. The rest of that page is
 * written by hand and stays.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Row } from '../test/faults/harness.js'
import { addRows, type RecordedHarness, type RecordedMutant, readMutants, readReports } from '../test/faults/report.js'

export const DURABILITY_DOC = fileURLToPath(new URL('../docs/durability.md', import.meta.url))

const count = (value: number): string => value.toLocaleString('en-US')

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

/** 'a to b' for rounds that have seeds in a row. */
function seedsOf({ runs }: RecordedHarness): string {
  const ranges: { from: number; to: number }[] = []
  for (const { seed, rounds } of runs.toSorted((a, b) => a.seed - b.seed)) {
    const last = ranges.at(-1)
    if (last?.to === seed - 1) last.to = seed + rounds - 1
    else ranges.push({ from: seed, to: seed + rounds - 1 })
  }
  return ranges.map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`)).join(', ')
}

function faultRow(name: string, seeds: string, row: Row): string {
  const { fault, mode, promised, rounds, acknowledged, lost, wrong } = row
  const numbers = [rounds, acknowledged, lost, wrong].map(count)
  return line([fault, mode, promised ? 'yes' : 'no', ...numbers, `${name}: ${seeds}`])
}

export function renderFaults(reports: ReadonlyMap<string, RecordedHarness>): string[] {
  const rows = [...reports].flatMap(([name, report]) =>
    addRows(report.runs.flatMap((run) => run.rows)).map((row) => faultRow(name, seedsOf(report), row)),
  )
  return [
    line(['fault', 'asked for', 'promised', 'rounds', 'acknowledged', 'lost', 'wrong', 'harness: seeds']),
    '|---|---|---|---:|---:|---:|---:|---|',
    ...rows,
  ]
}

export function renderMutants(mutants: readonly RecordedMutant[]): string[] {
  return [
    line(['mutant', 'caught by', 'in round', 'seed']),
    '|---|---|---:|---:|',
    ...mutants.map(({ mutant, harness, rounds, seed }) => line([mutant, harness, count(rounds), String(seed ?? '')])),
  ]
}

/** The page with these lines between the marks of this name. */
function replacePart(page: string, name: string, lines: readonly string[]): string {
  const begin = `<!-- ${name}: made by scripts/generate-durability-doc.ts from test/reports. Do not edit. -->`
  const end = `<!-- end of ${name} -->`
  const from = page.indexOf(begin)
  const to = page.indexOf(end)
  if (from < 0 || to < from) throw new Error(`docs/durability.md has no place for ${name}`)
  return `${page.slice(0, from + begin.length)}\n\n${lines.join('\n')}\n\n${page.slice(to)}`
}

/** The text of docs/durability.md, from what it is now. */
export function renderDurabilityDoc(page: string): string {
  return replacePart(replacePart(page, 'faults', renderFaults(readReports())), 'mutants', renderMutants(readMutants()))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(DURABILITY_DOC, renderDurabilityDoc(readFileSync(DURABILITY_DOC, 'utf8')))
}
