import { access } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { asStorageError, MyKafkaError } from '../errors.js'
import { type Logger, silentLogger } from '../logger.js'
import { native } from '../native/load.js'
import type { AppendResult, PackedBatch } from './append-queue.js'
import type { CleaningReport } from './compaction/cleaning-report.js'
import { Throttle } from './compaction/throttle.js'
import type { LogDamage } from './damage-reports.js'
import { type FsyncPolicy, type LogConfig, resolveLogConfig } from './log-config.js'
import { type IterateOptions, iterateRecords, readRecords } from './log-records.js'
import { type Acks, PartitionLog, type PartitionLogStats } from './partition-log.js'
import { encodePacked, type LogRecord, type RecordInput } from './record-codec.js'
import { RetentionClock } from './retention-clock.js'
import { STATE_FILES, StateDirectory } from './state-directory.js'

/** How to open a {@link Log}. The names in code are Kafka's configuration names. */
export interface LogOptions {
  /** `segment.bytes`: 1024 to 2147483647; default 1 GiB. */
  segmentBytes?: number
  /** `index.interval.bytes`: 0 to 2147483647; default 4096. */
  indexIntervalBytes?: number
  /** `segment.index.bytes`: 8 to 2147483647; default 10 MiB. */
  segmentIndexBytes?: number
  /**
   * When an append waits for the disk. `acks` (default): as the append asks; `always`: every append;
   * `never`: none, and nothing is synced but by `flush` and `close`.
   */
  fsync?: FsyncPolicy
  /** `segment.ms`: a segment rolls when it is so old, even where it is not full. From 1 on; default 604800000, a week. */
  segmentMs?: number
  /** `retention.ms`: segments go when their newest record is so old; default -1, never. See {@link Log.applyRetention}. */
  retentionMs?: number
  /** `retention.bytes`: the oldest segments go while there are as many bytes without them; default -1, no limit. */
  retentionBytes?: number
  /** `flush.messages`: after so many records an append waits for the disk. From 1 on; default none. */
  flushMessages?: number
  /** `flush.ms`: after so many milliseconds what was appended is synced. From 0 on; default none. */
  flushMs?: number
  /** Milliseconds between two syncs of what nobody waited for; default 60000. */
  flushIntervalMs?: number
  /** Where recoveries and damages are reported; default nowhere. */
  logger?: Logger
}

/** How to append. */
export interface AppendOptions {
  /** 1 (default): resolved when written (survives the process); `all`: when on the disk (survives power loss). */
  acks?: Acks
}

/** A record with its own time; without one it gets the clock's. */
export interface AppendRecord extends RecordInput {
  /** Milliseconds since 1970, a safe integer. */
  timestamp?: number
}

/** How to compact a log: see {@link Log.compact}. */
export interface CompactOptions {
  /** `delete.retention.ms`: how long a record that deletes a key is kept; default 86400000. */
  deleteRetentionMs?: number
  /** The most bytes that the keys take; default 128 MiB. */
  maxMemory?: number
  signal?: AbortSignal
}

/** For some hundreds of keys. */
const SMALLEST_MEMORY = 1 << 14

const KNOWN_FILES: ReadonlySet<string> = new Set([
  ...Object.values(STATE_FILES),
  ...Object.values(STATE_FILES).map((name) => `${name}.tmp`),
])
/** What shows that a broker owns a directory (src/topic). */
const PARTITION_METADATA = 'partition.metadata'
const BROKER_DIRECTORY = '@broker'
const CHECKPOINT_KEY = 'log 0'
const RETENTION_INTERVAL_MS = 300_000
const LONGEST_TIMER_MS = 2147483647

/**
 * An append-only log in a directory, embedded in the process: durable, crash-safe, readable by offset while it
 * is written. One process opens a directory at a time.
 *
 * @example
 * ```ts
 * const log = await Log.open('./events')
 * const offset = await log.append({ key: 'seat-A-1', value: 'reserved' })
 * for await (const record of log.iterate({ from: offset, follow: false })) console.log(record.value?.toString())
 * await log.close()
 * ```
 */
export class Log {
  readonly #log: PartitionLog
  readonly #state: StateDirectory
  readonly #flushTimer: NodeJS.Timeout
  readonly #retentionTimer: NodeJS.Timeout
  readonly #clock = new RetentionClock()
  readonly #logger: Logger
  #closing: Promise<void> | null = null

  /**
   * Opens the log in the directory `path`, which is made where it is missing. Behind an unclean stop every record since
   * the last sync is checked; an end that is not whole is cut off and kept in `.log.cut-<position>`.
   *
   * @throws MyKafkaError INVALID_CONFIG for an option out of range, DATA_DIR_LOCKED where the directory is in
   *   use, KAFKA_STORAGE_ERROR where the system refuses, INVALID_ARGUMENT for a directory that belongs to a broker
   */
  static async open(path: string, options: LogOptions = {}): Promise<Log> {
    const directory = resolve(path)
    const { logger = silentLogger, flushIntervalMs = 60_000, ...settings } = options
    const config = resolveLogConfig(settings)
    if (!Number.isInteger(flushIntervalMs) || flushIntervalMs < 1 || flushIntervalMs > LONGEST_TIMER_MS) {
      throw new MyKafkaError('INVALID_CONFIG', `flushIntervalMs must be an integer from 1 to ${LONGEST_TIMER_MS}`)
    }
    await refuseBrokersDirectory(directory)
    try {
      return await Log.#open(directory, config, flushIntervalMs, logger)
    } catch (error) {
      throw asStorageError(error, `${directory} could not be opened`)
    }
  }

  static async #open(directory: string, config: LogConfig, flushIntervalMs: number, logger: Logger): Promise<Log> {
    const state = await StateDirectory.lock(directory, logger)
    let opened: Log | undefined
    try {
      const recoveryPoints = await state.readCheckpoint(STATE_FILES.recoveryPoints)
      const logStartOffsets = await state.readCheckpoint(STATE_FILES.logStartOffsets)
      const cleanerOffsets = await state.readCheckpoint(STATE_FILES.cleanerOffsets)
      const logStartOffset = logStartOffsets.get(CHECKPOINT_KEY) ?? 0
      const firstDirtyOffset = cleanerOffsets.get(CHECKPOINT_KEY) ?? 0
      const log = await PartitionLog.open(directory, {
        config,
        logger,
        knownFiles: KNOWN_FILES,
        clean: await state.takeCleanShutdown(),
        recoveryPoint: recoveryPoints.get(CHECKPOINT_KEY) ?? 0,
        logStartOffset,
        firstDirtyOffset,
        checkpoint: async () => {
          if (opened !== undefined) await opened.#checkpoint()
        },
        checkpointCleaned: async () => {
          if (opened !== undefined) await opened.#checkpointCleaned()
        },
      })
      if (log.logStartOffset < logStartOffset) {
        // What is appended from now on must not count as deleted at the next start.
        const starts = new Map([[CHECKPOINT_KEY, log.logStartOffset]])
        await closeWhereItFails(log, state.writeCheckpoint(STATE_FILES.logStartOffsets, starts))
      }
      opened = new Log(log, state, flushIntervalMs, logger)
      // Nor for compacted.
      if (log.compaction.cleanedTo < firstDirtyOffset) await closeWhereItFails(log, opened.#checkpointCleaned())
      await opened
        .#checkpoint()
        .catch((err: unknown) => logger.error({ err }, 'the recovery point could not be written'))
      return opened
    } catch (error) {
      state.unlock()
      throw error
    }
  }

  private constructor(log: PartitionLog, state: StateDirectory, flushIntervalMs: number, logger: Logger) {
    this.#log = log
    this.#state = state
    this.#logger = logger
    this.#flushTimer = setInterval(() => this.#flushInBackground(), flushIntervalMs)
    this.#flushTimer.unref()
    this.#retentionTimer = setInterval(() => this.#retainInBackground(), RETENTION_INTERVAL_MS)
    this.#retentionTimer.unref()
  }

  /** The first offset that can be read. */
  get logStartOffset(): number {
    return this.#log.logStartOffset
  }

  /** The offset that the next record gets. */
  get logEndOffset(): number {
    return this.#log.logEndOffset
  }

  /** Exclusive bound of what readers see. */
  get highWatermark(): number {
    return this.#log.highWatermark
  }

  /**
   * Appends one record.
   *
   * @returns its offset
   * @throws MyKafkaError as {@link Log.appendBatch}
   */
  async append(record: AppendRecord, options: AppendOptions = {}): Promise<number> {
    const { baseOffset } = await this.appendBatch([record], options)
    return baseOffset
  }

  /**
   * Appends records to consecutive offsets, all or none while the process lives. Keys and values are copied
   * before this returns.
   *
   * @returns the first record's offset and the count
   * @throws MyKafkaError INVALID_ARGUMENT for no records or a wrong type, MESSAGE_TOO_LARGE for a key above
   *   16 MiB or records above 1 GiB, KAFKA_STORAGE_ERROR where the write fails (nothing is appended), LOG_FAILED
   *   behind a failed sync, LOG_CLOSED
   */
  async appendBatch(records: readonly AppendRecord[], options: AppendOptions = {}): Promise<AppendResult> {
    const { acks = 1 } = options
    if (!Array.isArray(records) || records.length === 0) {
      throw new MyKafkaError('INVALID_ARGUMENT', 'a batch is an array of at least one record')
    }
    if (records.some((record) => typeof record !== 'object' || record === null)) {
      throw new MyKafkaError('INVALID_ARGUMENT', 'a record is an object with a value')
    }
    if (acks !== 1 && acks !== 'all') throw new MyKafkaError('INVALID_ARGUMENT', `acks must be 1 or 'all', not ${acks}`)
    return await this.#log.append(packByTimestamp(records), acks)
  }

  /**
   * Reads records from an offset on.
   *
   * @param options - `maxBytes`: as many records as fit (as stored: 28 bytes more than key and value), but one at
   *   least where one exists; default 1 MiB
   * @returns the records in order, empty at the log's end. Keys and values are views of one buffer.
   * @throws MyKafkaError OFFSET_OUT_OF_RANGE outside of [log start, log end], CORRUPT_MESSAGE for an offset whose
   *   bytes are damaged (see {@link Log.stats} for where the damage ends), LOG_CLOSED
   */
  async read(offset: number, options: { maxBytes?: number } = {}): Promise<LogRecord[]> {
    requireOffset(offset)
    requireMaxBytes(options.maxBytes)
    return await readRecords(this.#log, offset, options.maxBytes ?? 1 << 20)
  }

  /**
   * Walks the records from an offset on and follows the log's tail. A walk that waits at the tail ends by the signal
   * or with the log: `return()` waits for the next record.
   *
   * @throws what {@link Log.read} throws; the signal's reason when it aborts; LOG_CLOSED when the log closes while
   *   the walk waits at the end
   */
  iterate(options: IterateOptions = {}): AsyncGenerator<LogRecord, void, void> {
    if (options.from !== undefined) requireOffset(options.from)
    requireMaxBytes(options.maxBytes)
    return iterateRecords(this.#log, options)
  }

  /**
   * Brings everything that was appended before the call to the disk.
   *
   * @throws MyKafkaError LOG_FAILED where the sync fails: the log then takes no writes until it is opened again
   */
  async flush(): Promise<void> {
    await this.#log.flush()
    await this.#checkpoint()
  }

  /**
   * Cuts off every record from the offset on. They are gone.
   *
   * @throws MyKafkaError OFFSET_OUT_OF_RANGE below the log start offset, LOG_CLOSED
   */
  async truncateTo(offset: number): Promise<void> {
    await this.#log.truncateTo(offset)
    await this.#checkpoint()
  }

  /**
   * Removes the segments that `retentionMs` and `retentionBytes` leave no room for; it is done every five minutes in any
   * case. Where all records are too old, they all go, and the log goes on at its offset. Readers that are under way
   * come to their end.
   *
   * @returns how many segments were removed
   * @throws MyKafkaError LOG_CLOSED, LOG_FAILED, KAFKA_STORAGE_ERROR
   */
  async applyRetention(): Promise<number> {
    const { retention } = this.#log
    const now = this.#clock.now()
    await retention.rollIfOld(now)
    if (!(await retention.expire(now))) return 0
    const start = this.#log.logStartOffset
    await this.#checkpointStart()
    try {
      return (await retention.removeBelow(start, now)).length
    } catch (error) {
      throw asStorageError(error, 'a segment could not be removed')
    }
  }

  /**
   * Compacts the log as it is now, as Kafka does under cleanup.policy compact: of all the records with a key, the last
   * one stays, at its offset, and records without a key go. A record with a null value deletes its key, and goes itself
   * in the first compaction that begins `deleteRetentionMs` after the one that found it. Readers go on meanwhile;
   * memory is bounded by `maxMemory`, and a log with more keys than fit into it is compacted in part: call it again.
   *
   * @param options - `deleteRetentionMs`: default 86400000, a day. `maxMemory`: in bytes, 24 for a key; default 128 MiB.
   *   `signal`: ends it; what is compacted by then stays so
   * @returns null where there was nothing to compact
   * @throws MyKafkaError CORRUPT_MESSAGE for damaged records (the log is as it was), KAFKA_STORAGE_ERROR, LOG_CLOSED;
   *   the signal's reason
   */
  async compact(options: CompactOptions = {}): Promise<CleaningReport | null> {
    const { deleteRetentionMs = 86_400_000, maxMemory = 128 << 20, signal = new AbortController().signal } = options
    if (!Number.isSafeInteger(maxMemory) || maxMemory < SMALLEST_MEMORY) {
      throw new MyKafkaError('INVALID_ARGUMENT', `maxMemory is an integer from ${SMALLEST_MEMORY} on, not ${maxMemory}`)
    }
    await this.#log.roll()
    const settings = {
      minCleanableDirtyRatio: 0,
      minCompactionLagMs: 0,
      maxCompactionLagMs: Number.MAX_SAFE_INTEGER,
      deleteRetentionMs,
    }
    const report = await this.#log.compaction.clean({
      settings,
      bufferBytes: maxMemory,
      loadFactor: 0.9,
      ioBufferBytes: 512 << 10,
      maxPlainBytes: 0,
      throttle: new Throttle(Number.POSITIVE_INFINITY),
      signal,
      nowMs: this.#clock.now(),
    })
    await this.#checkpointCleaned()
    return report
  }

  /** Checks the CRC of every record that this process has not checked yet. Returns the damages of the whole log. */
  verify(): Promise<LogDamage[]> {
    return this.#log.verify()
  }

  /** Figures: segments, bytes, offsets, damages known so far. */
  stats(): PartitionLogStats {
    return this.#log.stats()
  }

  /** Writes and syncs what waits, and closes. A second call waits for the first. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    clearInterval(this.#flushTimer)
    clearInterval(this.#retentionTimer)
    try {
      await this.#log.close()
      await this.#checkpoint()
      await this.#state.markCleanShutdown()
    } finally {
      this.#state.unlock()
    }
  }

  async #checkpoint(): Promise<void> {
    await this.#state.writeCheckpoint(STATE_FILES.recoveryPoints, new Map([[CHECKPOINT_KEY, this.#log.recoveryPoint]]))
  }

  async #checkpointCleaned(): Promise<void> {
    const cleanedTo = new Map([[CHECKPOINT_KEY, this.#log.compaction.cleanedTo]])
    await this.#state.writeCheckpoint(STATE_FILES.cleanerOffsets, cleanedTo)
  }

  async #checkpointStart(): Promise<void> {
    const starts = new Map([[CHECKPOINT_KEY, this.#log.logStartOffset]])
    await this.#state.writeCheckpoint(STATE_FILES.logStartOffsets, starts)
  }

  #retainInBackground(): void {
    this.applyRetention().catch((err: unknown) => {
      const { directory, closed } = this.#log
      if (!closed) this.#logger.error({ directory, err }, 'retention could not look after the log')
    })
  }

  #flushInBackground(): void {
    if (this.#log.config.fsync === 'never' || this.#log.recoveryPoint === this.#log.logEndOffset) return
    // A failed sync is reported by the log, and the next append says so.
    this.flush().catch(() => {})
  }
}

async function closeWhereItFails(log: PartitionLog, step: Promise<void>): Promise<void> {
  await step.catch(async (error: unknown) => {
    await log.close()
    throw error
  })
}

/** A broker's data directory, its `@broker`, a topic's and a partition's are the broker's alone. */
async function refuseBrokersDirectory(directory: string): Promise<void> {
  const marks = [
    join(directory, PARTITION_METADATA),
    join(directory, BROKER_DIRECTORY),
    join(dirname(directory), BROKER_DIRECTORY),
  ]
  for (const mark of marks) {
    const found = await access(mark).then(
      () => true,
      () => false,
    )
    if (found) throw new MyKafkaError('INVALID_ARGUMENT', `${directory} belongs to a broker: ${mark} is there`)
  }
}

function requireOffset(offset: number): void {
  if (Number.isSafeInteger(offset) && offset >= 0) return
  throw new MyKafkaError('OFFSET_OUT_OF_RANGE', `an offset is a safe integer from 0 on, not ${offset}`)
}

function requireMaxBytes(maxBytes: number | undefined): void {
  if (maxBytes === undefined || (Number.isSafeInteger(maxBytes) && maxBytes >= 0)) return
  throw new MyKafkaError('INVALID_ARGUMENT', `maxBytes is an integer from 0 on, not ${maxBytes}`)
}

/** Packs records; a run of one timestamp is one batch. */
function packByTimestamp(records: readonly AppendRecord[]): PackedBatch[] {
  const now = Date.now()
  const batches: PackedBatch[] = []
  let start = 0
  for (let end = 1; end <= records.length; end++) {
    const timestamp = records[start]?.timestamp ?? now
    if (end < records.length && (records[end]?.timestamp ?? now) === timestamp) continue
    if (!Number.isSafeInteger(timestamp)) {
      throw new MyKafkaError('INVALID_ARGUMENT', `a timestamp is a safe integer, not ${timestamp}`)
    }
    const run = records.slice(start, end)
    const packed = encodePacked(run)
    batches.push({
      records: packed,
      count: run.length,
      timestamp,
      storedLength: native.checkPacked(packed, run.length),
    })
    start = end
  }
  return batches
}
