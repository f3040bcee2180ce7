import { setTimeout as sleep } from 'node:timers/promises'
import { MyKafkaError } from '../errors.js'
import { type Cleanable, isWorthCleaning } from '../log/compaction/cleanable.js'
import { isUnwanted } from '../log/compaction/cleaning-progress.js'
import type { CleaningReport } from '../log/compaction/cleaning-report.js'
import { Throttle } from '../log/compaction/throttle.js'
import type { PartitionLog } from '../log/partition-log.js'
import type { Logger } from '../logger.js'
import { LoopTurns } from '../loop-turns.js'
import type { Topic } from './topic.js'
import type { TopicRegistry } from './topic-registry.js'

/** How logs are compacted, whichever they are. */
export interface CleanerConfig {
  readonly enabled: boolean
  /** How long it waits where no log needs it. */
  readonly backoffMs: number
  /** The most memory that the keys of one cleaning take. */
  readonly bufferBytes: number
  /** How full it gets. */
  readonly loadFactor: number
  /** So many bytes of compressed batches are opened at once. */
  readonly ioBufferBytes: number
  /** Infinity: no limit. */
  readonly bytesPerSecond: number
}

/** Kafka's defaults. */
export const DEFAULT_CLEANER_CONFIG: CleanerConfig = {
  enabled: true,
  backoffMs: 15_000,
  bufferBytes: 134_217_728,
  loadFactor: 0.9,
  ioBufferBytes: 524_288,
  bytesPerSecond: Number.POSITIVE_INFINITY,
}

export interface LogCleanerOptions {
  topics: TopicRegistry
  config: CleanerConfig
  /** The most that a stored batch may decompress to. */
  maxPlainBytes: number
  /** Brings it to the disk how far logs have been compacted. */
  checkpoint: () => Promise<void>
  /** What counts as the time; milliseconds since 1970. */
  now: () => number
  logger: Logger
}

interface Candidate {
  topic: Topic
  partition: number
  log: PartitionLog
  cleanable: Cleanable
}

/** A log that a cleaning failed at. */
interface Failed {
  /** Behind a change of either it is tried again. */
  readonly topic: Topic
  readonly logStartOffset: number
  readonly code: string
  readonly retryAtMs: number
}

/** What a log's own bytes bring about: trying again changes nothing. */
const LASTING = new Set(['CORRUPT_MESSAGE', 'INVALID_RECORD', 'MESSAGE_TOO_LARGE', 'UNSUPPORTED_COMPRESSION_TYPE'])
/** What else fails is tried again behind so many back-offs. */
const RETRY_BACKOFFS = 10

/** Compacts the logs of topics with cleanup.policy compact, one at a time, the dirtiest first, as in Kafka. */
export class LogCleaner {
  readonly #options: LogCleanerOptions
  readonly #stopping = new AbortController()
  readonly #throttle: Throttle
  readonly #failed = new WeakMap<PartitionLog, Failed>()
  #running: Promise<void> = Promise.resolve()

  constructor(options: LogCleanerOptions) {
    this.#options = options
    this.#throttle = new Throttle(options.config.bytesPerSecond)
  }

  /** Compacts from now on. */
  start(): void {
    if (this.#options.config.enabled) this.#running = this.#run()
  }

  /** Ends the cleaning that is under way, which leaves the log as it was or cleaned up to some segment. */
  async stop(): Promise<void> {
    this.#stopping.abort(new MyKafkaError('LOG_CLOSED', 'the cleaner is stopping'))
    await this.#running
  }

  /**
   * Compacts the log that needs it most.
   *
   * @returns whether there was one
   */
  async cleanDirtiest(): Promise<boolean> {
    const found = await this.#dirtiest()
    if (found === null) return false
    const { topic, partition, log } = found
    try {
      const report = await log.compaction.clean({
        ...this.#options,
        ...this.#options.config,
        settings: topic.settings.compaction,
        nowMs: this.#options.now(),
        throttle: this.#throttle,
        signal: this.#stopping.signal,
        isWanted: () => this.#isCompacted(topic.name),
      })
      this.#failed.delete(log)
      if (report !== null) this.#report(topic.name, partition, report)
    } catch (error) {
      const isOver = log.closed || this.#stopping.signal.aborted || !this.#isCompacted(topic.name)
      // By now the topic may be compacted again.
      if (isUnwanted(error)) this.#reportUnwanted(topic.name, partition)
      else if (!isOver) this.#fail(found, error)
    } finally {
      // Also where it failed in the middle: what was swapped in stays.
      await this.#options
        .checkpoint()
        .catch((err: unknown) => this.#options.logger.warn({ err }, 'the cleaner checkpoint could not be written'))
    }
    return true
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const found = await this.cleanDirtiest().catch((err: unknown) => {
        this.#options.logger.error({ err }, 'the cleaner failed')
        return false
      })
      if (!found) await sleep(this.#options.config.backoffMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  #isCompacted(topic: string): boolean {
    return this.#options.topics.get(topic)?.settings.compacted === true
  }

  async #dirtiest(): Promise<Candidate | null> {
    let best: Candidate | null = null
    const turns = new LoopTurns()
    for (const topic of this.#options.topics.all()) {
      const { settings, partitions } = topic
      if (!settings.compacted) continue
      for (const [partition, log] of partitions.entries()) {
        if (log === null || log.closed || this.#isPutOff(log, topic)) continue
        await turns.next()
        const cleanable = await this.#cleanable({ topic, partition, log })
        if (cleanable === null || !isWorthCleaning(cleanable, settings.compaction)) continue
        if (best === null || cleanable.dirtyRatio > best.cleanable.dirtyRatio)
          best = { topic, partition, log, cleanable }
      }
    }
    return best
  }

  async #cleanable(place: Omit<Candidate, 'cleanable'>): Promise<Cleanable | null> {
    const { topic, log } = place
    try {
      return await log.compaction.cleanable(topic.settings.compaction, this.#options.now())
    } catch (error) {
      if (!log.closed) this.#fail(place, error)
      return null
    }
  }

  #isPutOff(log: PartitionLog, topic: Topic): boolean {
    const failed = this.#failed.get(log)
    if (failed === undefined) return false
    if (failed.topic !== topic || failed.logStartOffset !== log.logStartOffset) return false
    return performance.now() < failed.retryAtMs
  }

  #fail({ topic, partition, log }: Omit<Candidate, 'cleanable'>, error: unknown): void {
    const { logger, config } = this.#options
    const code = error instanceof MyKafkaError ? error.code : String(error)
    const isLasting = LASTING.has(code)
    const before = this.#failed.get(log)
    const retryAtMs = isLasting ? Number.POSITIVE_INFINITY : performance.now() + config.backoffMs * RETRY_BACKOFFS
    this.#failed.set(log, { topic, logStartOffset: log.logStartOffset, code, retryAtMs })
    log.compaction.failed(error)
    const fields = { topic: topic.name, partition, err: error }
    if (before?.code === code) logger.debug(fields, 'a log still cannot be compacted')
    else if (isLasting) logger.error(fields, 'a log cannot be compacted: it is left as it is until something changes')
    else logger.warn(fields, 'a log could not be compacted: it is tried again')
  }

  #reportUnwanted(topic: string, partition: number): void {
    const fields = { topic, partition }
    this.#options.logger.info(fields, `stopped compacting ${topic}/${partition}: its cleanup.policy changed`)
  }

  #report(topic: string, partition: number, report: CleaningReport): void {
    const { bytesBefore, bytesAfter, tombstonesKept, durationMs } = report
    const megabytes = report.bytesRead / (1 << 20)
    const rate = durationMs > 0 ? (megabytes * 1000) / durationMs : megabytes
    const share = bytesBefore > 0 ? Math.round((100 * bytesAfter) / bytesBefore) : 100
    this.#options.logger.info(
      { topic, partition, ...report, megabytesPerSecond: Number(rate.toFixed(1)) },
      `compacted ${topic}/${partition} up to offset ${report.endOffset}: ${bytesBefore} bytes became ${bytesAfter} (${share} %), ` +
        `${tombstonesKept} tombstones left, in ${durationMs} ms (${rate.toFixed(1)} MB/s)`,
    )
  }
}
