import { readFileSync } from 'node:fs'
import { type DumpedEntry, isWhole } from './entry.js'
import { type IndexVerdict, usedSlots } from './index-check.js'

const ENTRY_BYTES = 12

export interface CheckedTimeIndexEntry {
  readonly slot: number
  readonly timestamp: number
  readonly offset: number
  readonly timeindex: IndexVerdict
}

/**
 * A `.timeindex` file, checked against the entries of its log as they go by: each of its entries names the largest
 * timestamp up to an offset.
 */
export class TimeIndexCheck {
  readonly #file: Buffer
  readonly #baseOffset: number
  readonly #count: number
  /** Slots by the offset they name: the log goes by in that order. */
  readonly #byOffset: Uint32Array
  readonly #verdicts: IndexVerdict[]
  #next = 0
  #largest = Number.NEGATIVE_INFINITY

  /** @throws Node's error where there is no such file */
  constructor(path: string, baseOffset: number) {
    this.#file = readFileSync(path)
    this.#baseOffset = baseOffset
    this.#count = usedSlots(this.#file, ENTRY_BYTES)
    this.#byOffset = Uint32Array.from({ length: this.#count }, (_, slot) => slot)
    this.#byOffset.sort((a, b) => this.#offset(a) - this.#offset(b))
    this.#verdicts = Array.from({ length: this.#count }, () => 'not checked')
  }

  /** Call it with the entries in the order of their offsets. */
  pass(entry: DumpedEntry): void {
    if (!isWhole(entry) || entry.verdict !== 'right') return
    this.#judgeBelow(Number(entry.offset))
    this.#largest = Math.max(this.#largest, Number(entry.timestamp))
  }

  /** @param position - how far the log was read: what lies behind is not checked, unless it is behind the file's end */
  *finish(position: number, end: number): Generator<CheckedTimeIndexEntry> {
    if (position >= end) this.#judgeBelow(Number.POSITIVE_INFINITY)
    // The zeroes of a preallocated index are an entry only where the log begins in 1970.
    if (this.#count === 1 && this.#verdicts[0] !== 'right' && this.#timestamp(0) === 0 && this.#relative(0) === 0)
      return
    let last = Number.NEGATIVE_INFINITY
    for (const [slot, found] of this.#verdicts.entries()) {
      // A search finds an entry only where the slots ascend.
      const timeindex = found === 'right' && this.#offset(slot) <= last ? 'wrong' : found
      if (timeindex === 'right') last = this.#offset(slot)
      yield { slot, timestamp: this.#timestamp(slot), offset: this.#offset(slot), timeindex }
    }
  }

  /** All entries up to the offsets of these slots went by. */
  #judgeBelow(offset: number): void {
    for (; this.#next < this.#count; this.#next++) {
      const slot = this.#byOffset[this.#next] as number
      if (this.#offset(slot) >= offset) return
      this.#verdicts[slot] = this.#timestamp(slot) === this.#largest ? 'right' : 'wrong'
    }
  }

  #timestamp(slot: number): number {
    return Number(this.#file.readBigInt64BE(slot * ENTRY_BYTES))
  }

  #relative(slot: number): number {
    return this.#file.readUInt32BE(slot * ENTRY_BYTES + 8)
  }

  #offset(slot: number): number {
    return this.#baseOffset + this.#relative(slot)
  }
}
