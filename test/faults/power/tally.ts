import type { Row } from '../harness.js'

type Counts = Partial<Pick<Row, 'acknowledged' | 'lost' | 'wrong'>>

/** The rows of one round. */
export class Tally {
  readonly #rows = new Map<string, Row>()

  add(fault: string, mode: string, promised: boolean, { acknowledged = 0, lost = 0, wrong = 0 }: Counts): void {
    const key = JSON.stringify([fault, mode, promised])
    const row = this.#rows.get(key) ?? { fault, mode, promised, rounds: 1, acknowledged: 0, lost: 0, wrong: 0 }
    this.#rows.set(key, {
      ...row,
      acknowledged: row.acknowledged + acknowledged,
      lost: row.lost + lost,
      wrong: row.wrong + wrong,
    })
  }

  get rows(): Row[] {
    return [...this.#rows.values()]
  }
}
