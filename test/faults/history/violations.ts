/** What a history can show against a broker. */
export type Kind =
  /** An acknowledged record is not there. */
  | 'lost'
  /** An offset held one record, then another. */
  | 'altered'
  /** A record that nobody sent to this partition, or whose bytes are not those that were sent. */
  | 'never sent'
  /** A record that was refused. */
  | 'refused'
  /** A record at more offsets than it may be. */
  | 'twice'
  /** Records of one producer in another order than it sent them. */
  | 'order'
  /** An offset below one that was known before the record was sent. */
  | 'real time'
  /** The log ends below, or begins below, where it did before. */
  | 'went back'
  /** Offsets are missing where nothing was allowed to take them. */
  | 'gap'
  /** A reader met an offset again, or an earlier one. */
  | 'read back'
  /** A group's offset is an older one than was acknowledged, or none that was committed. */
  | 'commit'
  /** A group's offset is behind records that no member of it was given. */
  | 'skipped'
  /** Two members had a partition in one generation, or one of a former generation committed. */
  | 'owners'
  /** An answer that no fault excuses. */
  | 'error'

export interface Violation {
  readonly on: string
  readonly kind: Kind
  readonly what: string
  /** The lines that show it. */
  readonly lines: readonly Origin[]
}

/** A line of a history. */
export interface Origin {
  readonly file: string
  readonly line: number
}

/** How many violations of one kind in one partition are kept: one cause can have thousands. */
const KEPT = 5

/** Takes what the checks of one partition find. */
export class Findings {
  readonly violations: Violation[] = []
  readonly counts = new Map<Kind, number>()
  readonly #on: string

  constructor(on: string) {
    this.#on = on
  }

  add(kind: Kind, what: string, ...lines: (Origin | undefined)[]): void {
    const count = (this.counts.get(kind) ?? 0) + 1
    this.counts.set(kind, count)
    if (count > KEPT) return
    this.violations.push({ on: this.#on, kind, what, lines: lines.filter((line) => line !== undefined) })
  }
}
