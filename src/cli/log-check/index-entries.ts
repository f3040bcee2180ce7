/** What an index entry is found to be, held against its log; by the number that native code gives it. */
export const INDEX_VERDICTS = ['right', 'wrong', 'not checked'] as const

export type IndexVerdict = (typeof INDEX_VERDICTS)[number]

export interface CheckedIndexEntry {
  readonly slot: number
  readonly offset: number
  readonly position: number
  readonly index: IndexVerdict
}

export interface CheckedTimeIndexEntry {
  readonly slot: number
  readonly timestamp: number
  readonly offset: number
  readonly timeindex: IndexVerdict
}

const INDEX_ENTRY_BYTES = 8
const TIME_INDEX_ENTRY_BYTES = 12

/** The entries of an `.index` file, as far as there are verdicts on them. */
export function* indexEntries(file: Buffer, baseOffset: number, verdicts: Uint8Array): Generator<CheckedIndexEntry> {
  for (const [slot, verdict] of verdicts.entries()) {
    const at = slot * INDEX_ENTRY_BYTES
    const offset = baseOffset + file.readUInt32BE(at)
    yield { slot, offset, position: file.readUInt32BE(at + 4), index: INDEX_VERDICTS[verdict] as IndexVerdict }
  }
}

/** The same of a `.timeindex` file. */
export function* timeIndexEntries(
  file: Buffer,
  baseOffset: number,
  verdicts: Uint8Array,
): Generator<CheckedTimeIndexEntry> {
  for (const [slot, verdict] of verdicts.entries()) {
    const at = slot * TIME_INDEX_ENTRY_BYTES
    const timestamp = Number(file.readBigInt64BE(at))
    const offset = baseOffset + file.readUInt32BE(at + 8)
    yield { slot, timestamp, offset, timeindex: INDEX_VERDICTS[verdict] as IndexVerdict }
  }
}

/** Whether a file ends in a part of an entry. Zeroes are room that was reserved. */
export function endsInPart(file: Buffer, kind: 'index' | 'timeindex'): boolean {
  const entryBytes = kind === 'index' ? INDEX_ENTRY_BYTES : TIME_INDEX_ENTRY_BYTES
  return file.subarray(file.length - (file.length % entryBytes)).some((byte) => byte !== 0)
}

/** How many of them are wrong. */
export function countWrong(verdicts: Uint8Array): number {
  let wrong = 0
  for (const verdict of verdicts) if (INDEX_VERDICTS[verdict] === 'wrong') wrong++
  return wrong
}
