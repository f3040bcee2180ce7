import { visible } from './visible.js'

const GAP = '  '

/** What a table shows where there is nothing, as Kafka's tools do. */
const NOTHING = '-'

type Cell = string | number | null

function shown(cell: Cell): string {
  return cell === null || cell === '' ? NOTHING : visible(`${cell}`)
}

/** Rows under the heads of their columns, each column as wide as its widest cell. */
export function table(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const texts = [heads, ...rows.map((row) => row.map(shown))]
  const widths = heads.map((_, column) => texts.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0))
  return texts
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join('')
}
