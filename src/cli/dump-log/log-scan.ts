import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordFormat } from '../../log/record-format.js'
import { native } from '../../native/load.js'
import { type DumpedEntry, entriesOf, exact, isWhole, lastVerdict } from './entry.js'

const ENTRIES_PER_SCAN = 1000
/** A running broker may be in the middle of a write: its end is looked at again. */
const WRITE_PAUSE_MS = 100

/** Some of a log's entries. */
export interface ScannedChunk {
  readonly recordFormat: RecordFormat
  readonly entries: readonly DumpedEntry[]
  /** Where the scan stands behind them. */
  readonly position: number
  /** The file's size. */
  readonly end: number
}

/** The entries of a log file in order, up to its end or to what is no whole entry. */
export async function* scanLog(file: string, fd: number): AsyncGenerator<ScannedChunk> {
  for (let position = 0; ; ) {
    const scanned = await scanFrom(file, position)
    const { recordFormat } = scanned
    const inexact = recordFormat === 'mykafka'
    const entries = Array.from(entriesOf(scanned.entries), (entry) =>
      inexact && isWhole(entry) ? exact(fd, entry) : entry,
    )
    position = scanned.nextPosition
    yield { recordFormat, entries, position, end: scanned.end }
    const last = entries.at(-1)
    if (last === undefined || !isWhole(last) || position >= scanned.end) return
  }
}

/** The next entries. A torn one at the end is given the time of a write to become whole. */
async function scanFrom(file: string, position: number) {
  const scanned = await native.scanLogFile(file, position, ENTRIES_PER_SCAN)
  if (lastVerdict(scanned.entries) !== 'torn') return scanned
  await sleep(WRITE_PAUSE_MS)
  return await native.scanLogFile(file, position, ENTRIES_PER_SCAN)
}
