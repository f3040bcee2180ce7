import { readFileSync } from 'node:fs'
import { type DumpedEntry, isWhole } from './entry.js'
import { IndexSlots, type IndexVerdict } from './index-slots.js'

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
  /** By the offset they name. */
  readonly #slots: IndexSlots
  #largest = Number.NEGATIVE_INFINITY

  /** @throws Node's error where there is no such file */
  constructor(path: string, baseOffset: number) {
    this.#file = readFileSync(path)
    this.#baseOffset = baseOffset
    this.#slots = new IndexSlots(this.#file, ENTRY_BYTES, (slot) => this.#offset(slot))
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
    const isZero = this.#slots.count === 1 && this.#timestamp(0) === 0 && this.#relative(0) === 0
    for (const [slot, timeindex] of this.#slots.verdicts()) {
      if (isZero && timeindex !== 'right') return
      yield { slot, timestamp: this.#timestamp(slot), offset: this.#offset(slot), timeindex }
    }
  }

  /** All entries up to the offsets of these slots went by. */
  #judgeBelow(offset: number): void {
    this.#slots.judgeBelow(offset, (slot) => (this.#timestamp(slot) === this.#largest ? 'right' : 'wrong'))
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
