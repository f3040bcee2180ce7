import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { MyKafkaError } from '../../errors.js'
import { type Checkpoint, parseCheckpoint } from '../../log/checkpoint.js'
import { STATE_FILES } from '../../log/state-directory.js'
import { native } from '../../native/load.js'
import { META_PROPERTIES, readIdentity } from '../../topic/meta-properties.js'
import { type Finding, unreadable } from './finding.js'
import type { LogDirectory, Target } from './target.js'

/** What the checkpoints say of a log. */
export interface LogPoints {
  /** Everything below was on the disk. */
  readonly recoveryPoint: number
  /** What lies below is deleted. */
  readonly logStartOffset: number
}

/** An embedded log's name in its checkpoints. */
const EMBEDDED = { topic: 'log', partition: 0 }
const CHECKPOINTS = [STATE_FILES.recoveryPoints, STATE_FILES.logStartOffsets, STATE_FILES.cleanerOffsets] as const

/** The lock and the checkpoints beside the logs. Nothing is written. */
export class VerifiedState {
  readonly directory: string
  /** Whether a broker, or a program with the log in it, is running on it. */
  readonly live: boolean
  /** Whether the last stop was clean. */
  readonly clean: boolean
  readonly findings: Finding[] = []
  readonly notes: string[] = []
  /** Whether it is that of a data directory, not of an embedded log. */
  readonly isBroker: boolean
  readonly #checkpoints = new Map<string, Checkpoint>()
  #lock: { release(): void } | null

  private constructor(target: NonNullable<Target['state']>, lock: { release(): void } | null, clean: boolean) {
    this.directory = target.directory
    this.isBroker = target.isBroker
    this.#lock = lock
    this.live = lock === null
    this.clean = clean
  }

  /** Takes the lock, so that no broker starts meanwhile. Where another has it, the state is a live one. */
  static async open(target: NonNullable<Target['state']>): Promise<VerifiedState> {
    const { lock, note } = await tryLock(join(target.directory, STATE_FILES.lock))
    const state = new VerifiedState(target, lock, await exists(join(target.directory, STATE_FILES.cleanShutdown)))
    if (note !== undefined) state.notes.push(note)
    if (target.isBroker) await state.#checkIdentity()
    await state.#readAll(state.findings)
    return state
  }

  close(): void {
    this.#lock?.release()
    this.#lock = null
  }

  /** @param fresh - as they are now, not as they were: a broker goes on writing them */
  async pointsOf({ topic, partition }: LogDirectory, fresh = false): Promise<LogPoints> {
    if (fresh) await this.#readAll([])
    const key = this.isBroker ? `${topic} ${partition}` : `${EMBEDDED.topic} ${EMBEDDED.partition}`
    const said = (name: string): number => this.#checkpoints.get(name)?.get(key) ?? 0
    return { recoveryPoint: said(STATE_FILES.recoveryPoints), logStartOffset: said(STATE_FILES.logStartOffsets) }
  }

  /** The partitions that had a recovery point. */
  known(): { topic: string; partition: number }[] {
    const keys = [...(this.#checkpoints.get(STATE_FILES.recoveryPoints)?.keys() ?? [])]
    return keys.map((key) => {
      const [topic = '', partition] = key.split(' ')
      return { topic, partition: Number(partition) }
    })
  }

  async #readAll(findings: Finding[]): Promise<void> {
    for (const name of CHECKPOINTS) this.#checkpoints.set(name, await this.#read(name, findings))
  }

  async #read(name: string, findings: Finding[]): Promise<Checkpoint> {
    const file = join(this.directory, name)
    try {
      const checkpoint = parseCheckpoint(await readFile(file, 'utf8'))
      if (checkpoint !== null) return checkpoint
      findings.push({ file, kind: 'checkpoint', what: 'is no checkpoint: it counts as empty' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') findings.push(unreadable(file, error))
    }
    return new Map()
  }

  async #checkIdentity(): Promise<void> {
    const file = join(this.directory, META_PROPERTIES)
    try {
      if ((await readIdentity(file, 0)) !== null) return
      this.findings.push({ file, kind: 'metadata', what: 'is missing' })
    } catch (error) {
      if (!(error instanceof MyKafkaError)) this.findings.push(unreadable(file, error))
      else this.findings.push({ file, kind: 'metadata', what: error.message.replace(`${file}: `, '') })
    }
  }
}

async function tryLock(path: string): Promise<{ lock: { release(): void } | null; note?: string }> {
  const none = { release: () => {} }
  if (!(await exists(path))) return { lock: none }
  try {
    return { lock: native.lockFile(path) }
  } catch (error) {
    // A copy that may not be written to: no broker runs on it either.
    return { lock: none, note: `its lock cannot be tried: ${(error as Error).message}` }
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  )
}
