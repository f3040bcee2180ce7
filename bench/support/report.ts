import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Report, Table } from '../benchmark.js'
import { describeMachine } from './machine.js'

const RESULTS = fileURLToPath(new URL('../results/', import.meta.url))

export function printReport({ tables, aims }: Report): void {
  for (const table of tables) console.log(`\n${table.title}\n${formatTable(table)}`)
  if (aims.length > 0) console.log('\nAims')
  for (const { aim, measured, met } of aims) console.log(`  ${met ? 'met   ' : 'missed'} ${aim}: ${measured}`)
}

/** Writes bench/results/NAME.json; returns its path. */
export async function saveReport(name: string, question: string, report: Report): Promise<string> {
  await mkdir(RESULTS, { recursive: true })
  const path = `${RESULTS}${name}.json`
  const result = { name, question, date: new Date().toISOString(), machine: describeMachine(), ...report }
  await writeFile(path, `${JSON.stringify(result, null, 2)}\n`)
  return path
}

function formatTable({ columns, rows }: Table): string {
  const lines = [columns, ...rows.map((row) => row.map(String))]
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)))
  const numeric = columns.map((_, i) => rows.every((row) => /^[-+]?[\d.]/.test(String(row[i])) || row[i] === '-'))
  const format = (line: readonly string[]): string =>
    line
      .map((cell, i) => (numeric[i] ? cell.padStart(widths[i] as number) : cell.padEnd(widths[i] as number)))
      .join('  ')
      .trimEnd()
  return lines.map((line) => `  ${format(line)}`).join('\n')
}
