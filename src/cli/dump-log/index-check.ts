import { readFileSync } from 'node:fs'
import { type DumpedEntry, isWhole } from './entry.js'
import { IndexSlots, type IndexVerdict } from './index-slots.js'

const ENTRY_BYTES = 8

export interface CheckedIndexEntry {
  readonly slot: number
  readonly offset: number
  readonly position: number
  readonly index: IndexVerdict
}

/** An `.index` file, checked against the entries of its log as they go by. */
export class IndexCheck {
  readonly #file: Buffer
  readonly #baseOffset: number
  /** By the position they name. */
  readonly #slots: IndexSlots

  /** @throws Node's error where there is no such file */
  constructor(path: string, baseOffset: number) {
    this.#file = readFileSync(path)
    this.#baseOffset = baseOffset
    this.#slots = new IndexSlots(this.#file, ENTRY_BYTES, (slot) => this.#position(slot))
  }

  /** Call it with the entries in the order of their positions. */
  pass(entry: DumpedEntry): void {
    if (!isWhole(entry)) return
    this.#judgeUpTo(entry.position)
    this.#slots.judgeBelow(entry.position + 1, (slot) => {
      return this.#offset(slot) === entry.offset && entry.verdict === 'right' ? 'right' : 'wrong'
    })
  }

  /** @param position - how far the log was read: what lies behind is not checked, unless it is behind the file's end */
  *finish(position: number, end: number): Generator<CheckedIndexEntry> {
    // The zeroes of a preallocated index are an entry 0,0 only where the log has one.
    if (end === 0 && this.#slots.count === 1 && this.#position(0) === 0) return
    this.#judgeUpTo(position >= end ? Number.POSITIVE_INFINITY : position)
    for (const [slot, index] of this.#slots.verdicts()) {
      yield { slot, offset: this.#offset(slot), position: this.#position(slot), index }
    }
  }

  /** No entry began where these slots say. */
  #judgeUpTo(position: number): void {
    this.#slots.judgeBelow(position, () => 'wrong')
  }

  #offset(slot: number): number {
    return this.#baseOffset + this.#file.readUInt32BE(slot * ENTRY_BYTES)
  }

  #position(slot: number): number {
    return this.#file.readUInt32BE(slot * ENTRY_BYTES + 4)
  }
}
