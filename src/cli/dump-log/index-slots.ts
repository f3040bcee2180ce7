/** What an index entry is found to be, held against its log. */
export type IndexVerdict = 'right' | 'wrong' | 'not checked'

/** The entries of an index file, judged in the order of what they are looked up by, as the log goes by. */
export class IndexSlots {
  readonly count: number
  /** What the entry of a slot is looked up by: right ones ascend. */
  readonly keyOf: (slot: number) => number
  readonly #byKey: Uint32Array
  readonly #verdicts: IndexVerdict[]
  #next = 0

  constructor(file: Buffer, entryBytes: number, keyOf: (slot: number) => number) {
    this.count = usedSlots(file, entryBytes)
    this.keyOf = keyOf
    this.#byKey = Uint32Array.from({ length: this.count }, (_, slot) => slot)
    this.#byKey.sort((a, b) => keyOf(a) - keyOf(b))
    this.#verdicts = Array.from({ length: this.count }, () => 'not checked')
  }

  /** Judges those below a key that are not judged yet. */
  judgeBelow(key: number, verdict: (slot: number) => IndexVerdict): void {
    for (; this.#next < this.count; this.#next++) {
      const slot = this.#byKey[this.#next] as number
      if (this.keyOf(slot) >= key) return
      this.#verdicts[slot] = verdict(slot)
    }
  }

  /** Slot by slot, what each is found to be. */
  *verdicts(): Generator<[slot: number, verdict: IndexVerdict]> {
    let last = Number.NEGATIVE_INFINITY
    for (const [slot, found] of this.#verdicts.entries()) {
      // A search finds an entry only where the slots ascend.
      const verdict = found === 'right' && this.keyOf(slot) <= last ? 'wrong' : found
      if (verdict === 'right') last = this.keyOf(slot)
      yield [slot, verdict]
    }
  }
}

/** A preallocated index ends in zeroes, which are no entries; only slot 0 may be 0,0. */
function usedSlots(file: Buffer, entryBytes: number): number {
  let used = Math.floor(file.length / entryBytes) * entryBytes
  while (used > entryBytes && file[used - 1] === 0) used--
  return Math.ceil(used / entryBytes)
}
