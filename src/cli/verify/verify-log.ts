import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeSnapshot } from '../../log/producer-snapshot.js'
import type { RecordFormat } from '../../log/record-format.js'
import { compactedPath, listSegmentFiles, type SegmentFiles, segmentName } from '../../log/segment-files.js'
import { STATE_FILES } from '../../log/state-directory.js'
import type { NativeLogCheck } from '../../native/native.js'
import { PARTITION_METADATA, readPartitionMetadata } from '../../topic/partition-metadata.js'
import { checkSegment, type IndexFiles, readIndexes } from '../log-check/check-segment.js'
import { type Finding, offsetsText, unreadable } from './finding.js'
import { indexFindings, logFindings } from './segment-findings.js'
import { type PlannedSegment, planSegments } from './segment-plan.js'
import type { LogPoints, VerifiedState } from './state.js'
import type { LogDirectory } from './target.js'

/** What was found out about a log. */
export interface LogReport extends LogDirectory {
  readonly segments: number
  readonly entries: number
  readonly records: number
  /** Of its log files. */
  readonly bytes: number
  readonly logStartOffset: number
  /** Of a live log: up to where it was verified. */
  readonly logEndOffset: number
  readonly damages: readonly Finding[]
  /** What is worth knowing and no damage. */
  readonly notes: readonly string[]
}

/** The interval of the index where nothing is set. */
const USUAL_INTERVAL = 4096
const COMPACTED_BYTES = 8
const KNOWN_FILES: ReadonlySet<string> = new Set([
  PARTITION_METADATA,
  ...Object.values(STATE_FILES).flatMap((name) => [name, `${name}.tmp`]),
])
/** A live log changes under the reader: what was found counts when nothing did. */
const MOST_ATTEMPTS = 5

/**
 * Verifies a log. Reads only.
 *
 * @param passed - is told of each log file that is done with, by its bytes
 */
export async function verifyLog(
  log: LogDirectory,
  state: VerifiedState | null,
  passed: (bytes: number) => void,
): Promise<LogReport> {
  for (let attempt = 1; ; attempt++) {
    const live = state?.live === true
    const before = live ? await fingerprint(log.directory) : ''
    const first = attempt === 1
    const report = await new LogVerification(log, state, first ? passed : () => {}).run(!first)
    if (!live || report.damages.length === 0 || attempt === MOST_ATTEMPTS) return report
    if (!first && before === (await fingerprint(log.directory))) return report
  }
}

/** Changes with each removal, roll and compaction. */
async function fingerprint(directory: string): Promise<string> {
  const names = await readdir(directory).catch(() => [])
  const files = names.sort().map(async (name) => {
    const found = await stat(join(directory, name)).catch(() => null)
    return `${name} ${found?.ino}`
  })
  return (await Promise.all(files)).join('\n')
}

class LogVerification {
  readonly #log: LogDirectory
  readonly #state: VerifiedState | null
  readonly #passed: (bytes: number) => void
  readonly #damages: Finding[] = []
  readonly #notes: string[] = []
  readonly #counts = { segments: 0, entries: 0, records: 0, bytes: 0 }
  /** Indexes that may end early, and the most bytes between two entries of any: what decides. */
  readonly #tails: { file: string; bytes: number }[] = []
  #widest = -1

  constructor(log: LogDirectory, state: VerifiedState | null, passed: (bytes: number) => void) {
    this.#log = log
    this.#state = state
    this.#passed = passed
  }

  /** @param fresh - reads the checkpoints anew */
  async run(fresh: boolean): Promise<LogReport> {
    const { directory } = this.#log
    const recordFormat = await this.#recordFormat()
    const files = await listSegmentFiles(directory, KNOWN_FILES)
    // Behind the listing: what is removed meanwhile counts as deleted before its files go.
    const points = (await this.#state?.pointsOf(this.#log, fresh)) ?? null
    const segments = planSegments(directory, files, points?.logStartOffset ?? 0)
    const logStartOffset = Math.max(points?.logStartOffset ?? 0, segments[0]?.baseOffset ?? 0)
    let end = logStartOffset
    this.#checkStart(segments, points)
    for (const segment of segments) end = await this.#segment(segment, recordFormat, points, end)
    this.#judgeTails()
    this.#checkEnd(segments, points, end)
    await this.#compacted(files)
    await this.#snapshots(files, end)
    await this.#noteOthers(files)
    const { topic, partition } = this.#log
    const counts = this.#counts
    return {
      directory,
      topic,
      partition,
      ...counts,
      logStartOffset,
      logEndOffset: end,
      damages: this.#damages,
      notes: this.#notes,
    }
  }

  /** Undefined: by its first entry. */
  async #recordFormat(): Promise<RecordFormat | undefined> {
    const { directory, topic } = this.#log
    if (topic === null) return undefined
    const file = join(directory, PARTITION_METADATA)
    try {
      const metadata = await readPartitionMetadata(directory)
      if (metadata !== null) return metadata.recordFormat
      this.#damages.push({ file, kind: 'metadata', what: 'is missing or says nothing that is known' })
    } catch (error) {
      this.#damages.push(unreadable(file, error))
    }
    return undefined
  }

  #checkStart(segments: readonly PlannedSegment[], points: LogPoints | null): void {
    const first = segments[0]
    if (points === null) return
    const { logStartOffset, recoveryPoint } = points
    const next = first?.baseOffset ?? recoveryPoint
    if (next > logStartOffset) this.#missing(logStartOffset, next, 'and no segment holds them')
  }

  #missing(firstOffset: number, nextOffset: number, why: string): void {
    const what = `${offsetsText(firstOffset, nextOffset)} missing: ${why}`
    this.#damages.push({ file: this.#log.directory, kind: 'segments', what, firstOffset, nextOffset })
  }

  /** Returns the log's end as far as this segment says it. */
  async #segment(
    segment: PlannedSegment,
    recordFormat: RecordFormat | undefined,
    points: LogPoints | null,
    end: number,
  ): Promise<number> {
    const { baseOffset, endOffset, logPath, compacted: sparse, swap } = segment
    const below = this.#state?.live === true ? points?.recoveryPoint : undefined
    if (below !== undefined && baseOffset >= below) return end
    const indexes = swap ? null : await readIndexes(logPath)
    try {
      const options = { baseOffset, endOffset, below, sparse, recordFormat }
      const check = await checkSegment(logPath, options, indexes ?? NO_INDEXES)
      this.#passed(check.size)
      this.#take(segment, check, indexes)
      return endOffset === undefined || (below !== undefined && endOffset > below) ? check.nextOffset : endOffset
    } catch (error) {
      this.#damages.push(unreadable(logPath, error))
      return endOffset ?? end
    }
  }

  #take(segment: PlannedSegment, check: NativeLogCheck, indexes: IndexFiles | null): void {
    const counts = this.#counts
    counts.segments++
    counts.entries += check.entries
    counts.records += check.records
    counts.bytes += check.size
    this.#damages.push(...logFindings(segment.logPath, check))
    if (indexes === null) return
    this.#damages.push(...indexFindings(indexes, check))
    this.#widest = Math.max(this.#widest, check.indexWidest)
    this.#tails.push({ file: indexes.index.path, bytes: check.indexTail })
  }

  /**
   * An entry that begins an interval behind the one indexed last is indexed itself. The interval is not in the files:
   * what lies between other entries of the index was one at least.
   */
  #judgeTails(): void {
    const interval = Math.max(this.#widest, USUAL_INTERVAL)
    for (const { file, bytes } of this.#tails) {
      if (bytes < interval) continue
      if (this.#widest >= 0) {
        this.#damages.push({ file, kind: 'index', what: `ends early: nothing in it is of the last ${bytes} bytes` })
      } else this.#notes.push(`${file} has one entry: index.interval.bytes is above ${bytes}, or the others are gone`)
    }
  }

  #checkEnd(segments: readonly PlannedSegment[], points: LogPoints | null, end: number): void {
    const last = segments.at(-1)
    if (last === undefined || points === null) return
    const { recoveryPoint } = points
    const cut = this.#damages.findIndex(({ file, nextOffset }) => file === last.logPath && nextOffset === end)
    const damage = this.#damages[cut]
    if (damage === undefined) {
      // The end of a log that was compacted may be in no record any more.
      if (end < recoveryPoint && !last.compacted) this.#missing(end, recoveryPoint, 'they were on the disk once')
      return
    }
    if (end < recoveryPoint) {
      const what = `${damage.what}, ${offsetsText(end, recoveryPoint)} lost`
      this.#damages[cut] = { ...damage, nextOffset: recoveryPoint, what }
    } else if (this.#state?.clean === false) {
      const what = `${damage.what}: not known to have been on the disk, the next start cuts it off`
      this.#damages[cut] = { ...damage, what }
    }
  }

  async #compacted({ compacted }: SegmentFiles): Promise<void> {
    for (const base of compacted) {
      const file = compactedPath(this.#log.directory, base)
      const bytes = await this.#read(file)
      // An empty one counts, by its date: it may stand for one that was lost.
      if (bytes === null || bytes.length === 0 || bytes.length === COMPACTED_BYTES) continue
      this.#damages.push({ file, kind: 'compacted', what: `has ${bytes.length} bytes: its date counts` })
    }
  }

  async #snapshots({ snapshots }: SegmentFiles, end: number): Promise<void> {
    for (const offset of snapshots) {
      const file = join(this.#log.directory, `${segmentName(offset)}.snapshot`)
      const bytes = await this.#read(file)
      if (bytes === null) continue
      if (decodeSnapshot(bytes) === null) this.#damages.push({ file, kind: 'snapshot', what: 'is damaged' })
      else if (offset > end && this.#state?.live !== true) {
        this.#notes.push(`${file} is above the end of the log: it does not count`)
      }
    }
  }

  /** Null where it is gone meanwhile, or unreadable. */
  async #read(file: string): Promise<Buffer | null> {
    try {
      return await readFile(file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#damages.push(unreadable(file, error))
      return null
    }
  }

  async #noteOthers({ unknown, swaps }: SegmentFiles): Promise<void> {
    const { directory } = this.#log
    if (swaps.length > 0 && this.#state?.live !== true)
      this.#notes.push(`${directory} has a compaction that the next start finishes`)
    for (const name of unknown) this.#notes.push(`${join(directory, name)} is no part of a log`)
    const cut = (await readdir(directory)).filter((name) => name.includes('.log.cut-'))
    for (const name of cut) this.#notes.push(`${join(directory, name)} is what a recovery has cut off`)
  }
}

const NO_INDEXES: IndexFiles = {
  index: { path: '', error: new Error() },
  timeIndex: { path: '', error: new Error() },
}
