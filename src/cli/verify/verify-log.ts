import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordFormat } from '../../log/record-format.js'
import { listSegmentFiles } from '../../log/segment-files.js'
import { STATE_FILES } from '../../log/state-directory.js'
import type { NativeLogCheck } from '../../native/native.js'
import { PARTITION_METADATA } from '../../topic/partition-metadata.js'
import { checkSegment, type IndexFiles, readIndexes } from '../log-check/check-segment.js'
import { CompanionFiles } from './companion-files.js'
import { type Finding, unreadable } from './finding.js'
import { IndexTails } from './index-tails.js'
import { endFindings, startFindings } from './log-ends.js'
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
    const isGone = (): boolean => live && !existsSync(log.directory)
    const report = await new LogVerification(log, state, first ? passed : () => {}).run(!first).catch((error) => {
      if (isGone()) return goneReport(log)
      throw error
    })
    if (report.damages.length > 0 && isGone()) return goneReport(log)
    if (!live || report.damages.length === 0 || attempt === MOST_ATTEMPTS) return report
    if (!first && before === (await fingerprint(log.directory))) return report
  }
}

/** The broker has deleted its topic meanwhile. */
function goneReport(log: LogDirectory): LogReport {
  const nothing = { segments: 0, entries: 0, records: 0, bytes: 0, logStartOffset: 0, logEndOffset: 0, damages: [] }
  return { ...log, ...nothing, notes: [`${log.directory} was deleted meanwhile`] }
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
  readonly #counts = { segments: 0, entries: 0, records: 0, bytes: 0 }
  readonly #tails = new IndexTails()
  #damages: Finding[] = []

  constructor(log: LogDirectory, state: VerifiedState | null, passed: (bytes: number) => void) {
    this.#log = log
    this.#state = state
    this.#passed = passed
  }

  /** @param fresh - reads the checkpoints anew */
  async run(fresh: boolean): Promise<LogReport> {
    const { directory } = this.#log
    const companions = new CompanionFiles(this.#log)
    const recordFormat = await companions.recordFormat()
    const files = await listSegmentFiles(directory, KNOWN_FILES)
    // Behind the listing: what is removed meanwhile counts as deleted before its files go.
    const points = (await this.#state?.pointsOf(this.#log, fresh)) ?? null
    const segments = planSegments(directory, files, points?.logStartOffset ?? 0)
    const logStartOffset = Math.max(points?.logStartOffset ?? 0, segments[0]?.baseOffset ?? 0)
    let end = logStartOffset
    if (points !== null) this.#damages.push(...startFindings(directory, segments, points))
    for (const segment of segments) end = await this.#segment(segment, recordFormat, points, end)
    const { findings, notes } = this.#tails.judge()
    this.#damages.push(...findings)
    if (points !== null) {
      const clean = this.#state?.clean !== false
      this.#damages = endFindings(this.#damages, { directory, segments, points, end, clean })
    }
    await companions.check(files, this.#live ? null : end)
    return {
      ...this.#log,
      ...this.#counts,
      logStartOffset,
      logEndOffset: end,
      damages: [...companions.findings, ...this.#damages],
      notes: [...notes, ...companions.notes],
    }
  }

  get #live(): boolean {
    return this.#state?.live === true
  }

  /** Returns the log's end as far as this segment says it. */
  async #segment(
    segment: PlannedSegment,
    recordFormat: RecordFormat | undefined,
    points: LogPoints | null,
    end: number,
  ): Promise<number> {
    const { baseOffset, endOffset, logPath, compacted: sparse, swap } = segment
    const below = this.#live ? points?.recoveryPoint : undefined
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
    this.#tails.add(indexes.index.path, check.indexWidest, check.indexTail)
  }
}

const NO_INDEXES: IndexFiles = {
  index: { path: '', error: new Error() },
  timeIndex: { path: '', error: new Error() },
}
