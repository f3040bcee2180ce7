import { readFileSync } from 'node:fs'
import { type DumpedEntry, isWhole } from './entry.js'

const ENTRY_BYTES = 8

/** What an index entry is found to be, held against its log. */
export type IndexVerdict = 'right' | 'wrong' | 'not checked'

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
  readonly #count: number
  /** Slots by the position they name: the log goes by in that order. */
  readonly #byPosition: Uint32Array
  readonly #verdicts: IndexVerdict[]
  #next = 0

  /** @throws Node's error where there is no such file */
  constructor(path: string, baseOffset: number) {
    this.#file = readFileSync(path)
    this.#baseOffset = baseOffset
    this.#count = usedSlots(this.#file, ENTRY_BYTES)
    this.#byPosition = Uint32Array.from({ length: this.#count }, (_, slot) => slot)
    this.#byPosition.sort((a, b) => this.#position(a) - this.#position(b))
    this.#verdicts = Array.from({ length: this.#count }, () => 'not checked')
  }

  /** Call it with the entries in the order of their positions. */
  pass(entry: DumpedEntry): void {
    if (!isWhole(entry)) return
    this.#judgeUpTo(entry.position)
    for (let slot = this.#slotAt(entry.position); slot !== null; slot = this.#slotAt(entry.position)) {
      const right = this.#offset(slot) === entry.offset && entry.verdict === 'right'
      this.#verdicts[slot] = right ? 'right' : 'wrong'
      this.#next++
    }
  }

  /** @param position - how far the log was read: what lies behind is not checked, unless it is behind the file's end */
  *finish(position: number, end: number): Generator<CheckedIndexEntry> {
    // The zeroes of a preallocated index are an entry 0,0 only where the log has one.
    if (end === 0 && this.#count === 1 && this.#position(0) === 0) return
    this.#judgeUpTo(position >= end ? Number.POSITIVE_INFINITY : position)
    let last = -1
    for (const [slot, found] of this.#verdicts.entries()) {
      // A search finds an entry only where the slots ascend.
      const index = found === 'right' && this.#position(slot) <= last ? 'wrong' : found
      if (index === 'right') last = this.#position(slot)
      yield { slot, offset: this.#offset(slot), position: this.#position(slot), index }
    }
  }

  /** No entry began where these slots say. */
  #judgeUpTo(position: number): void {
    for (; this.#next < this.#count; this.#next++) {
      const slot = this.#byPosition[this.#next] as number
      if (this.#position(slot) >= position) return
      this.#verdicts[slot] = 'wrong'
    }
  }

  #slotAt(position: number): number | null {
    const slot = this.#byPosition[this.#next]
    return slot !== undefined && this.#position(slot) === position ? slot : null
  }

  #offset(slot: number): number {
    return this.#baseOffset + this.#file.readUInt32BE(slot * ENTRY_BYTES)
  }

  #position(slot: number): number {
    return this.#file.readUInt32BE(slot * ENTRY_BYTES + 4)
  }
}

/** A preallocated index ends in zeroes, which are no entries; only slot 0 may be 0,0. */
export function usedSlots(file: Buffer, entryBytes: number): number {
  let used = Math.floor(file.length / entryBytes) * entryBytes
  while (used > entryBytes && file[used - 1] === 0) used--
  return Math.ceil(used / entryBytes)
}
