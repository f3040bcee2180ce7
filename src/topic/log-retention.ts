import pMap from 'p-map'
import type { MyKafkaError } from '../errors.js'
import { runWithFiles } from '../log/file-relief.js'
import type { PartitionLog } from '../log/partition-log.js'
import { RetentionClock, type TimeSource } from '../log/retention-clock.js'
import { dateText } from '../log/retention-reason.js'
import type { Logger } from '../logger.js'
import { LoopTurns } from '../loop-turns.js'
import type { LogCheckpoints } from './log-checkpoints.js'
import type { TopicRegistry } from './topic-registry.js'

export interface LogRetentionOptions {
  topics: TopicRegistry
  checkpoints: LogCheckpoints
  /** Makes logs let go of open files. */
  relieveFiles: () => Promise<void>
  /** `log.retention.check.interval.ms` */
  intervalMs: number
  /** Default: the system's. */
  time?: TimeSource | undefined
  logger: Logger
}

/** What one check did. */
export interface RetentionCheck {
  segments: number
  bytes: number
}

/** So many logs are looked at side by side. */
const CONCURRENCY = 8
/** The first check is not later than this behind a start, as in Kafka. */
const FIRST_CHECK_MS = 30_000
const LONGEST_TIMER_MS = 2147483647
const NO_ROOM: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])

/**
 * Looks through all logs now and then: rolls segments that are old, and removes what retention says and what lies below
 * the log start offset. No file goes before the log start offset that says so is on the disk.
 */
export class LogRetention {
  readonly #options: LogRetentionOptions
  readonly #clock: RetentionClock
  #timer: NodeJS.Timeout | undefined
  #running: Promise<RetentionCheck> | null = null
  #stopped = false

  constructor(options: LogRetentionOptions) {
    this.#options = options
    this.#clock = new RetentionClock(options.time)
  }

  start(): void {
    const { intervalMs } = this.#options
    this.#next(Math.min(intervalMs, FIRST_CHECK_MS))
  }

  /** Resolves when no check is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  /** Whether the clock has jumped forward, and is not believed yet. */
  get isClockHeld(): boolean {
    return this.#clock.isHeld
  }

  /** What counts as the time: a clock that jumps forward is not believed at once. Milliseconds since 1970. */
  now(): number {
    const wasHeld = this.#clock.isHeld
    const now = this.#clock.now()
    if (!wasHeld && this.#clock.isHeld) {
      const message = 'the clock was set forward: retention goes by it when it has stayed so for an hour'
      this.#options.logger.warn({ goesBy: dateText(now) }, message)
    }
    return now
  }

  /** One check, or the one that is under way. Never rejects: what goes wrong with a log is reported. */
  check(): Promise<RetentionCheck> {
    this.#running ??= this.#check().finally(() => {
      this.#running = null
    })
    return this.#running
  }

  #next(delayMs: number): void {
    const run = (): void => void this.check().then(() => this.#next(this.#options.intervalMs))
    if (this.#stopped) return
    this.#timer = setTimeout(run, Math.min(delayMs, LONGEST_TIMER_MS))
    this.#timer.unref()
  }

  async #check(): Promise<RetentionCheck> {
    const now = this.now()
    const begun = performance.now()
    const starts = new Map<PartitionLog, number>()
    await this.#each(this.#logs(), async ({ log, internal }) => {
      await log.retention.rollIfOld(now)
      // What the broker keeps for itself goes by compaction alone.
      if (!internal && (await log.retention.expire(now))) starts.set(log, log.logStartOffset)
    })
    const done = { segments: 0, bytes: 0 }
    if (starts.size === 0) return done
    const checkpoint = await this.#checkpoint()
    if (checkpoint === 'failed') return done
    const isFull = checkpoint === 'full'
    await this.#each(
      [...starts].map(([log, start]) => ({ log, start })),
      async ({ log, start }) => {
        for (const { bytes } of await log.retention.removeBelow(start, now, isFull)) {
          done.segments++
          done.bytes += bytes
        }
      },
    )
    if (isFull) await this.#checkpoint()
    const ms = Math.round(performance.now() - begun)
    if (done.segments > 0) this.#options.logger.info({ ...done, ms }, `retention removed ${done.segments} segments`)
    return done
  }

  #logs(): { log: PartitionLog; internal: boolean }[] {
    return this.#options.topics
      .all()
      .flatMap(({ internal, partitions }) => partitions.filter((log) => log !== null).map((log) => ({ log, internal })))
  }

  /**
   * Nothing is removed before the log start offset is written that says so; but on a full disk, where nothing could be
   * written before something is removed.
   */
  async #checkpoint(): Promise<'written' | 'full' | 'failed'> {
    const { checkpoints, relieveFiles, logger } = this.#options
    try {
      await runWithFiles(relieveFiles, () => checkpoints.writeLogStartOffsets())
      return 'written'
    } catch (err) {
      const isFull = NO_ROOM.has((err as MyKafkaError).errno)
      const removes = isFull ? 'retention makes room first' : 'retention removes nothing'
      logger.error({ err }, `the log start offsets could not be written: ${removes}`)
      return isFull ? 'full' : 'failed'
    }
  }

  async #each<T extends { log: PartitionLog }>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const { relieveFiles, logger } = this.#options
    const turns = new LoopTurns()
    const run = async (item: T): Promise<void> => {
      await turns.next()
      const { log } = item
      if (this.#stopped || log.closed) return
      await runWithFiles(relieveFiles, () => work(item)).catch((err: unknown) => {
        // It was deleted meanwhile, or the broker stops.
        if (!log.closed) logger.error({ directory: log.directory, err }, 'retention could not look after a log')
      })
    }
    await pMap(items, run, { concurrency: CONCURRENCY })
  }
}
