/** What recorded lives have in common: they do something, and say so by marks. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from '../../../src/logger.js'
import { type Random, seededRandom } from '../../support/random.js'
import type { Asked, EngineSettings, Mark, Result, Sent } from './marks.js'

/** What an embedded log does. */
export type LogStep = 'append' | 'compact' | 'retain' | 'truncate' | 'flush' | 'reopen'

export interface LifeTask {
  readonly seed: number
  /** Absolute. */
  readonly directory: string
  readonly operations: number
  readonly settings: EngineSettings
  /** Whether it says what is in mapped files: it opens them for that, which must not be taken for the engine's doing. */
  readonly watches: boolean
  /** Of an embedded log: what it does; default: so many operations, whatever comes. */
  readonly script?: readonly LogStep[]
}

/** Behind a failed opening it is tried again, so often. */
export const OPENINGS = 3

/** What the calls of the engine may be rejected with. */
interface Failure {
  readonly code?: unknown
  readonly message?: unknown
}

const KEYS = 6

export function randomSettings(random: Random): EngineSettings {
  return {
    segmentBytes: random.pick([1024, 1024, 2048]),
    indexIntervalBytes: random.pick([0, 200, 4096]),
    offsetsSegmentBytes: random.pick([1024, 1 << 20]),
    commitAcks: random.pick([1, 'all'] as const),
    kind: random.next() < 0.2 ? 'log' : 'broker',
    retentionBytes: random.pick([-1, 2500]),
  }
}

export abstract class RecordedLife {
  protected readonly task: LifeTask
  protected readonly random: Random
  protected readonly logger: Logger
  readonly #tell: (mark: Mark) => void
  readonly #seen = new Map<string, Buffer>()
  #asked = 0
  #values = 0

  constructor(task: LifeTask, tell: (mark: Mark) => void) {
    this.task = task
    this.#tell = tell
    this.random = seededRandom(task.seed)
    const log = (level: 'warn' | 'error') => (fields: object, message: string) => {
      const { directory = '', file = '' } = fields as { directory?: string; file?: string }
      this.#tell({ mark: 'logged', level, message, directory: directory || file })
    }
    this.logger = { debug: () => {}, info: () => {}, warn: log('warn'), error: log('error') }
  }

  abstract run(): Promise<void>

  /** How often something was asked for. */
  protected get asked(): number {
    return this.#asked
  }

  /** Undefined where it failed. */
  protected async do(asked: Asked, work: () => Promise<Result>): Promise<Result | undefined> {
    const n = this.#asked++
    this.#tell({ mark: 'asked', n, asked })
    try {
      const result = await work()
      this.#tell({ mark: 'done', n, result })
      return result
    } catch (error) {
      const { code, message } = error as Failure
      this.#tell({ mark: 'failed', n, code: String(code), message: String(message) })
      return undefined
    }
  }

  protected record(): Sent {
    const random = this.random
    const key = `k${random.integer(0, KEYS - 1)}`
    if (random.next() < 0.15) return [key, null]
    // Each value is there once: by it a record is known.
    const length = random.next() < 0.9 ? random.integer(0, 250) : random.integer(600, 1300)
    return [key, `${this.task.seed}.${this.#values++} ${'abcdefghij'.repeat(130).slice(0, length)}`]
  }

  /** What is stored in mapped files is in no call. */
  protected seeMapped(): void {
    const { directory, watches } = this.task
    if (!watches) return
    for (const name of readdirSync(directory, { recursive: true }) as string[]) {
      if (!/\.(index|timeindex)$/.test(name)) continue
      const path = join(directory, name)
      let bytes: Buffer
      try {
        bytes = readFileSync(path)
      } catch {
        // It was removed meanwhile.
        continue
      }
      const used = bytes.subarray(0, bytes.findLastIndex((byte) => byte !== 0) + 1)
      if (this.#seen.get(path)?.equals(used)) continue
      this.#seen.set(path, used)
      this.#tell({ mark: 'seen', path, base64: used.toString('base64') })
    }
  }
}
