import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import { pMapIterable } from 'p-map'
import { listSegmentFiles, segmentName } from '../../log/segment-files.js'
import { CommandFailure, EXIT, QuietExit, UsageError } from '../failure.js'
import { Output } from '../output.js'
import { startProgress } from '../progress.js'
import { missingPartitions } from './missing-partitions.js'
import { reportLines, stateLines, summaryLine } from './report.js'
import { VerifiedState } from './state.js'
import { findTarget, type LogDirectory, type Target } from './target.js'
import { type LogReport, verifyLog } from './verify-log.js'

export interface VerifyOptions {
  readonly json: boolean
  /** Whether a directory that a broker holds is verified too. */
  readonly live: boolean
}

/** Reading is all there is to wait for: more at a time than disks like is of no use. */
const LOGS_AT_A_TIME = 4
const STDOUT = 1

/**
 * Verifies the logs of a directory, and prints what it finds.
 *
 * @throws UsageError where the directory holds no log, a broker has it, or it cannot be read
 * @throws CommandFailure behind the report, where something is damaged
 */
export async function verify(path: string, options: VerifyOptions): Promise<void> {
  const target = await findTarget(path)
  const state = target.state && (await VerifiedState.open(target.state))
  try {
    if (state?.live && !options.live) {
      const held = `DATA_DIR_LOCKED: a broker, or a program with the log in it, holds ${state.directory}`
      throw new UsageError(`${held}: stop it, or verify below the recovery points with --live`)
    }
    await new Verification(target, state, options).run()
  } catch (error) {
    // Not to be taken for damage: it is not known whether there is any.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw new UsageError((error as Error).message)
    throw error
  } finally {
    state?.close()
  }
}

class Verification {
  readonly #target: Target
  readonly #state: VerifiedState | null
  readonly #json: boolean
  readonly #output = new Output()
  #damages = 0
  #damagedLogs = 0

  constructor(target: Target, state: VerifiedState | null, { json }: VerifyOptions) {
    this.#target = target
    this.#state = state
    this.#json = json
  }

  async run(): Promise<void> {
    const { logs } = this.#target
    const progress = await startProgress('verifying', async () => await totalBytes(logs))
    const held: string[] = []
    // A bar and lines would write over each other.
    const print = async (lines: string): Promise<void> => {
      if (progress === null || !isatty(STDOUT)) await this.#output.write(lines)
      else held.push(lines)
    }
    try {
      const missing = await missingPartitions(this.#target, this.#state)
      if (this.#state !== null) {
        const { findings } = this.#state
        this.#damages += findings.length
        await print(stateLines(this.#state, this.#json))
      }
      const reports = pMapIterable(logs, (log) => verifyLog(log, this.#state, (bytes) => progress?.advance(bytes)), {
        concurrency: LOGS_AT_A_TIME,
      })
      const all: LogReport[] = []
      for await (const report of reports) {
        await print(this.#lines(report))
        all.push(report)
      }
      for (const log of missing) await print(this.#lines(missingReport(log)))
      await print(summaryLine(all, this.#damages, this.#json))
    } finally {
      progress?.stop()
    }
    if (held.length > 0) await this.#output.write(held.join(''))
    this.#end()
  }

  #lines(report: LogReport): string {
    this.#damages += report.damages.length
    if (report.damages.length > 0) this.#damagedLogs++
    return reportLines(report, this.#state?.live === true, this.#json)
  }

  #end(): void {
    if (this.#damages === 0) return
    // A program that reads JSON has the last line.
    if (this.#json) throw new QuietExit(EXIT.failure)
    const where = this.#damagedLogs === 1 ? 'in one log' : `in ${this.#damagedLogs} logs`
    throw new CommandFailure(`damage found: ${this.#damages} ${this.#damagedLogs === 0 ? '' : where}`.trimEnd())
  }
}

async function totalBytes(logs: readonly LogDirectory[]): Promise<number> {
  let bytes = 0
  for (const { directory } of logs) {
    // What is wrong with it is told by its turn.
    const { baseOffsets } = await listSegmentFiles(directory, new Set()).catch(() => ({ baseOffsets: [] }))
    for (const base of baseOffsets) {
      bytes += await stat(join(directory, `${segmentName(base)}.log`)).then(
        ({ size }) => size,
        () => 0,
      )
    }
  }
  return bytes
}

function missingReport(log: LogDirectory): LogReport {
  const damages = [{ file: log.directory, kind: 'segments', what: 'the partition is not there' } as const]
  const nothing = { segments: 0, entries: 0, records: 0, bytes: 0, logStartOffset: 0, logEndOffset: 0 }
  return { ...log, ...nothing, damages, notes: [] }
}
