import type { Fault } from './format.js'

/** The faults of a history that may take away what was not synced: between them a log only grows. */
export class Timeline {
  /** By time. */
  readonly losing: readonly { readonly begin: number; readonly end: number }[]

  constructor(faults: readonly Fault[]) {
    this.losing = faults
      .filter(({ loses }) => loses === 'unsynced')
      .map(({ begin, end }) => ({ begin, end: end ?? Number.POSITIVE_INFINITY }))
      .sort((a, b) => a.begin - b.begin)
  }

  /** How many such faults were over by a time. */
  eraAt(time: number): number {
    let era = 0
    while (era < this.losing.length && (this.losing[era]?.end as number) <= time) era++
    return era
  }

  get lastEra(): number {
    return this.losing.length
  }
}
