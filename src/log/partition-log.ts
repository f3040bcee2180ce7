import { MyKafkaError } from '../errors.js'
import type { Logger } from '../logger.js'
import type { NativeSegment } from '../native/native.js'
import { AppendQueue, type AppendResult, type PackedBatch } from './append-queue.js'
import { readBatchHeaders } from './batch-headers.js'
import { LogCompaction } from './compaction/log-compaction.js'
import { DamageReports, type LogDamage } from './damage-reports.js'
import { DeletedFiles } from './deleted-files.js'
import { SliceTracker } from './file-slice.js'
import { FlushRules } from './flush-rules.js'
import { Flusher } from './flusher.js'
import type { LogConfig } from './log-config.js'
import { LogReader, type ReadRequest, type ReadResult } from './log-reader.js'
import { LogReads } from './log-reads.js'
import { type OpenedSegments, openSegments } from './log-recovery.js'
import type { LogStorage } from './log-storage.js'
import { cutSegments, entryStart } from './log-truncation.js'
import type { Acks, PartitionLogOptions, PartitionLogStats } from './partition-log-options.js'
import type { ProducerBatch } from './producer-state.js'
import { ProducerStateManager } from './producer-state-manager.js'
import { SegmentAppender } from './segment-appender.js'
import { SegmentChanges } from './segment-changes.js'
import { SegmentList } from './segment-list.js'
import { SegmentRetention } from './segment-retention.js'
import { type DescriptionOptions, describeStorage } from './storage-description.js'
import { type GrowthListener, TailWaiters } from './tail-waiters.js'
import type { TimestampedEntry } from './timestamp-search.js'

export type { Acks, PartitionLogOptions, PartitionLogState, PartitionLogStats } from './partition-log-options.js'

const NO_FILES: ReadonlySet<string> = new Set()

/**
 * One partition's log: an append-only row of segments in a directory of its own. The engine under
 * `Log` and the broker; it keeps no files beside its segments.
 */
export class PartitionLog {
  readonly directory: string
  /** Removes what is too old, too much or deleted. */
  readonly retention: SegmentRetention
  /** Removes what has a later record of the same key. */
  readonly compaction: LogCompaction
  #config: LogConfig
  readonly #logger: Logger
  readonly #segments: SegmentList
  readonly #appender: SegmentAppender
  readonly #queue: AppendQueue
  readonly #flusher: Flusher
  readonly #flushRules: FlushRules
  readonly #changes: SegmentChanges
  readonly #deletedFiles: DeletedFiles
  readonly #slices = new SliceTracker()
  readonly #reads: LogReads
  readonly #tail = new TailWaiters()
  readonly #producers: ProducerStateManager
  readonly #damages: DamageReports
  readonly #checkpoint: (() => Promise<void>) | undefined
  #logStartOffset: number
  #logEndOffset: number
  #closed = false
  #closing: Promise<void> | null = null
  /** What calls get from now on, where it is not LOG_CLOSED. */
  #gone: MyKafkaError | null = null

  /**
   * Opens the log in an existing directory; makes its first segment where there is none.
   *
   * @throws MyKafkaError KAFKA_STORAGE_ERROR where the system refuses
   */
  static async open(directory: string, options: PartitionLogOptions): Promise<PartitionLog> {
    const opened = await openSegments({ ...options, directory, knownFiles: options.knownFiles ?? NO_FILES })
    const log = new PartitionLog(directory, options, opened)
    try {
      await log.#producers.load(log.logEndOffset, options.clean)
      return log
    } catch (error) {
      await log.close()
      throw error
    }
  }

  private constructor(directory: string, options: PartitionLogOptions, opened: OpenedSegments) {
    this.directory = directory
    this.#config = options.config
    this.#logger = options.logger
    this.#damages = new DamageReports(options.logger)
    this.#checkpoint = options.checkpoint
    this.#segments = new SegmentList(opened.segments)
    this.#logEndOffset = opened.logEndOffset
    const first = this.#segments.first.baseOffset
    this.#logStartOffset = Math.min(Math.max(options.logStartOffset, first), opened.logEndOffset)
    const log = {
      directory,
      segments: this.#segments,
      logger: options.logger,
      relieve: options.relieve,
      config: () => this.#config,
      logStartOffset: () => this.#logStartOffset,
      logEndOffset: () => this.#logEndOffset,
      highWatermark: () => this.highWatermark,
      requireOpen: () => this.#requireOpen(),
    }
    const reader = new LogReader(this.#segments, this.#slices, (...read) => this.#damages.report(...read))
    this.#reads = new LogReads(reader, log)
    // Spreading would give the options of each log a shape of their own, which no cache of V8 holds thousands of.
    const { segments, config, logger, relieve } = log
    const rolled = (offset: number): void => this.#rolled(offset)
    this.#appender = new SegmentAppender({
      directory,
      segments,
      config,
      logger,
      relieve,
      now: options.now ?? Date.now,
      rolled,
    })
    this.#queue = new AppendQueue({
      endOffset: log.logEndOffset,
      timestampOf: (batch) => this.#appender.timestampOf(batch),
      prepare: (bytes, timestamp) => this.#appender.prepare(bytes, timestamp, this.#logEndOffset),
      takes: (timestamp) => this.#appender.takes(timestamp),
      room: () => this.#appender.room(),
      write: (batches, bytes, firstOffset) => this.#appender.write(batches, bytes, firstOffset),
      publish: (nextOffset, bytes) => this.#publish(nextOffset, bytes),
      flushed: (offset) => this.#flusher.flushed(offset),
      isFlushDue: (offset) => this.#flushRules.isDue(offset),
    })
    this.#flusher = new Flusher(
      {
        directory,
        logger: options.logger,
        endOffset: log.logEndOffset,
        unflushedSegments: () => this.#segments.from(this.#flusher.flushedOffset),
        failed: (error) => this.#fail(error),
      },
      opened.recoveryPoint,
    )
    this.#changes = new SegmentChanges(this.#flusher, log.requireOpen)
    this.#flushRules = new FlushRules({
      config: log.config,
      flushedOffset: () => this.#flusher.flushedOffset,
      flush: () => this.#flusher.flushed(this.#logEndOffset),
    })
    this.#deletedFiles = new DeletedFiles(directory, options.logger)
    this.retention = new SegmentRetention({
      ...log,
      deletedFiles: this.#deletedFiles,
      isOldBy: (now) => this.#appender.isOldBy(now),
      rollAt: (offset) => this.#rollAt(offset),
      flushed: (offset) => (this.#config.fsync === 'never' ? Promise.resolve() : this.#flusher.flushed(offset)),
      raiseLogStart: (offset) => this.raiseLogStart(offset),
      exclusive: (run) => this.#changes.alone(run),
      removed: () => this.#producers.removeBelow(this.#logStartOffset),
    })
    this.compaction = new LogCompaction(
      {
        ...log,
        recoveryPoint: () => this.recoveryPoint,
        flush: () => this.flush(),
        checkpoint: async () => await this.#checkpoint?.(),
        checkpointCleaned: async () => await options.checkpointCleaned?.(),
        producerOffsets: () => this.#producers.lastOffsets(),
        exclusive: (run) => this.#changes.beside(run),
        unlinkLater: (names) => this.#deletedFiles.renamed(names, this.#config.fileDeleteDelayMs),
        failed: (cause) => this.#changeFailed('compacted', cause),
      },
      { cleanedTo: options.firstDirtyOffset ?? 0, cleanedAt: opened.cleanedAt },
    )
    this.#producers = new ProducerStateManager({
      directory,
      expirationMs: options.config.producerIdExpirationMs,
      logger: options.logger,
      snapshots: opened.snapshots,
      batchHeaders: options.config.recordFormat === 'kafka' ? (from) => this.batchHeaders(from) : null,
    })
    for (const segment of opened.segments) this.#damages.report(segment)
  }

  get config(): LogConfig {
    return this.#config
  }

  /** The first offset that can be read. */
  get logStartOffset(): number {
    return this.#logStartOffset
  }

  /** The offset that the next record gets. */
  get logEndOffset(): number {
    return this.#logEndOffset
  }

  /** Exclusive bound of what readers see: the log end, as long as there is one replica. */
  get highWatermark(): number {
    return this.#logEndOffset
  }

  /** Everything below it is on the disk. */
  get recoveryPoint(): number {
    return this.#flusher.flushedOffset
  }

  get closed(): boolean {
    return this.#closed
  }

  /**
   * Appends the batches, all or nothing, to consecutive offsets.
   *
   * @param batches - packed records that `native.checkPacked` has accepted, in a kafka log record batches that
   *   `native.checkBatch` has; they must not change until this settles
   * @param producer - of idempotent producers: what was written before is answered with its first offset
   * @throws MyKafkaError KAFKA_STORAGE_ERROR where the write fails (nothing is appended), LOG_FAILED behind a
   *   failed sync, LOG_CLOSED, INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER
   */
  append(batches: PackedBatch[], acks: Acks, producer?: ProducerBatch): Promise<AppendResult> {
    if (this.#closed) return Promise.reject(this.#closedError())
    const { fsync } = this.config
    const waitForDisk = fsync === 'always' || (fsync === 'acks' && acks === 'all')
    return this.#queue.append(batches, waitForDisk, producer && this.#producers.guard(producer))
  }

  /**
   * The entries from the one that holds the offset on, as slices of the segment files; answered at once where they
   * are in memory and verified. An empty result at the bound.
   *
   * @throws MyKafkaError OFFSET_OUT_OF_RANGE outside of [log start, log end], CORRUPT_MESSAGE, LOG_CLOSED
   */
  read(request: ReadRequest): ReadResult | Promise<ReadResult> {
    return this.#reads.read(request)
  }

  /**
   * The first readable entry whose largest timestamp is this one or above; with Infinity, the first of those with the
   * largest. `read` from its baseOffset gives its bytes. Null where there is none.
   *
   * @param from - entries below this offset are not looked at
   * @throws MyKafkaError LOG_CLOSED
   */
  offsetForTimestamp(timestamp: number, from: number = this.#logStartOffset): Promise<TimestampedEntry | null> {
    return this.#reads.offsetForTimestamp(timestamp, from)
  }

  /** Of a kafka log: the 61-byte headers of the batches from the one that holds an offset on, packed, many in a buffer. */
  batchHeaders(fromOffset: number): AsyncGenerator<Buffer, void, void> {
    return readBatchHeaders(this.#segments.from(fromOffset), fromOffset)
  }

  /**
   * Resolves when the high watermark is above the offset.
   *
   * @throws the signal's reason when it aborts, LOG_CLOSED when the log closes
   */
  async waitBeyond(offset: number, signal?: AbortSignal): Promise<void> {
    for (;;) {
      this.#requireOpen()
      if (this.highWatermark > offset) return
      await this.#tail.next(signal)
    }
  }

  /** Starts a new segment where the active one holds anything. */
  async roll(): Promise<void> {
    await this.#rollAt(this.#logEndOffset)
  }

  /** How segments are laid out from now on; the record format stays. Indexes follow with the next segment. */
  reconfigure(config: LogConfig): void {
    this.#config = { ...config, recordFormat: this.#config.recordFormat }
  }

  /**
   * What lies below the offset counts as deleted from now on. A log start offset never moves back.
   *
   * @throws MyKafkaError OFFSET_OUT_OF_RANGE above the high watermark, LOG_CLOSED
   */
  raiseLogStart(offset: number): void {
    this.#requireOpen()
    if (offset > this.highWatermark) {
      const reason = `offset ${offset} is above the high watermark ${this.highWatermark} of ${this.directory}`
      throw new MyKafkaError('OFFSET_OUT_OF_RANGE', reason)
    }
    this.#logStartOffset = Math.max(this.#logStartOffset, offset)
  }

  /**
   * Calls the listener whenever readers can see more, with the bytes that were appended, and with Infinity when the
   * log closes; until the returned function is called.
   */
  onGrowth(listener: GrowthListener): () => void {
    return this.#tail.onGrowth(listener)
  }

  /**
   * Brings everything that is appended to the disk.
   *
   * @throws MyKafkaError LOG_FAILED where the sync fails: the log then takes no writes until it is opened again
   */
  async flush(): Promise<void> {
    this.#requireOpen()
    await this.#flusher.flushed(this.#logEndOffset)
  }

  /**
   * Cuts off every record from the offset on; a record batch that holds the offset goes whole, as in Kafka, and the log
   * then ends where that batch began. Waits for slices above the cut: their file positions are written anew. A crash
   * on the way leaves a log that ends at the offset or above it.
   *
   * @throws MyKafkaError OFFSET_OUT_OF_RANGE below the log start offset, CORRUPT_MESSAGE where the offset lies in
   *   a damage (nothing is cut), LOG_FAILED where a file cannot be cut: the log then takes no writes until it is
   *   opened again
   */
  async truncateTo(offset: number): Promise<void> {
    this.#requireOpen()
    if (!Number.isSafeInteger(offset) || offset < this.#logStartOffset) {
      throw new MyKafkaError('OFFSET_OUT_OF_RANGE', `cannot truncate ${this.directory} to ${offset}`)
    }
    const reason = new MyKafkaError('LOG_CLOSED', `the log ${this.directory} is being truncated`)
    await this.compaction.paused(reason, () =>
      this.#queue.exclusive(() => this.#flusher.exclusive(() => this.#truncate(offset))),
    )
  }

  async #truncate(offset: number): Promise<void> {
    if (offset >= this.#logEndOffset) return
    const report = this.#damages.report.bind(this.#damages)
    const end = await entryStart(this.#segments, offset, this.#logEndOffset, report)
    this.#flusher.truncated(end)
    await this.#checkpoint?.()
    await this.compaction.truncated(end)
    this.#logEndOffset = end
    this.#logStartOffset = Math.min(this.#logStartOffset, end)
    this.#reads.truncated()
    await cutSegments(this.directory, this.#segments, this.#slices, end, this.#config).catch((cause: unknown) => {
      throw this.#changeFailed('truncated', cause)
    })
    this.#appender.truncated()
    await this.#producers.load(end, false)
  }

  /** Checks the CRC of every entry that this process has not checked yet, and reports what is damaged. */
  async verify(): Promise<LogDamage[]> {
    for (const segment of [...this.#segments.all()]) {
      this.#requireOpen()
      await segment.verify().catch(async (error: unknown) => {
        // One that is removed meanwhile is nobody's concern: its files go a little before.
        if (await this.changeSegments(async (segments) => segments.all().includes(segment))) throw error
      })
      this.#damages.report(segment)
    }
    return this.damages()
  }

  /** The segments in the order of their offsets. They may go, and close, whenever the event loop turns. */
  segments(): readonly NativeSegment[] {
    return this.#segments.all()
  }

  /**
   * Runs while nobody else removes, replaces, cuts or syncs segments; appends and reads go on, rolls too. What waits for
   * the disk waits for it: it is to be short.
   *
   * @throws MyKafkaError LOG_CLOSED
   */
  changeSegments<T>(run: (segments: SegmentList, deletedFiles: DeletedFiles) => Promise<T>): Promise<T> {
    return this.#changes.alone(() => run(this.#segments, this.#deletedFiles))
  }

  /** The damages known so far. */
  damages(): LogDamage[] {
    return this.#segments
      .all()
      .flatMap((segment) => segment.damages().map((damage) => ({ ...damage, file: segment.logPath })))
  }

  stats(): PartitionLogStats {
    const segments = this.#segments.all()
    return {
      segments: segments.length,
      bytes: segments.reduce((sum, segment) => sum + segment.size(), 0),
      logStartOffset: this.logStartOffset,
      highWatermark: this.highWatermark,
      logEndOffset: this.logEndOffset,
      recoveryPoint: this.recoveryPoint,
      largestTimestamp: segments.reduce((largest, segment) => Math.max(largest, segment.largestTimestamp()), -1),
      damages: this.damages(),
    }
  }

  /**
   * What the log has on the disk, segment by segment.
   *
   * @throws MyKafkaError LOG_CLOSED, KAFKA_STORAGE_ERROR
   */
  async describeStorage(options: DescriptionOptions): Promise<LogStorage> {
    if (this.#closed) throw this.#closedError()
    return await describeStorage(this, this.#segments.all(), this.#deletedFiles, options)
  }

  /**
   * Writes what waits, syncs it and closes the files. Slices in use stay readable until they are released.
   *
   * @param trims - whether indexes are cut to their length: of thousands of logs it takes longer than all the rest
   */
  close(trims = true): Promise<void> {
    this.#closing ??= this.#close(trims)
    return this.#closing
  }

  /** Closes the files of a log that is about to be removed: nothing is synced or written. Calls get the reason. */
  discard(reason: MyKafkaError): Promise<void> {
    this.#gone ??= reason
    this.#closing ??= this.#discard(reason)
    return this.#closing
  }

  async #discard(reason: MyKafkaError): Promise<void> {
    this.#closed = true
    await this.compaction.stop(reason)
    this.#queue.refuse(reason)
    await this.#queue.drained()
    await this.#flusher.stop(reason)
    await this.#producers.stop()
    this.#flushRules.stop()
    await this.#deletedFiles.discard()
    this.#tail.wake(Number.POSITIVE_INFINITY)
    for (const segment of this.#segments.all()) segment.close()
  }

  async #close(trims: boolean): Promise<void> {
    this.#closed = true
    const reason = this.#closedError()
    await this.compaction.stop(reason)
    await this.#queue.drained()
    this.#flushRules.stop()
    try {
      await this.#flusher.flushed(this.#logEndOffset)
      await this.#producers.close(this.#logEndOffset)
    } finally {
      // A removal that is under way comes to its end.
      await this.#flusher.exclusive(() => this.#deletedFiles.close())
      this.#queue.refuse(reason)
      this.#tail.wake(Number.POSITIVE_INFINITY)
      this.#appender.close(trims)
      for (const segment of this.#segments.all()) segment.close()
    }
  }

  #requireOpen(): void {
    if (this.#closed) throw this.#closedError()
  }

  #closedError(): MyKafkaError {
    return this.#gone ?? new MyKafkaError('LOG_CLOSED', `the log ${this.directory} is closed`)
  }

  #fail(error: MyKafkaError): void {
    this.#logger.error({ directory: this.directory, err: error }, 'the log refuses writes until a restart')
    this.#queue.refuse(error)
  }

  #publish(nextOffset: number, bytes: number): void {
    this.#logEndOffset = nextOffset
    this.#flushRules.appended()
    this.#tail.wake(bytes)
  }

  /** Starts a new segment on behalf of nobody's append, unless there was one meanwhile. */
  #rollAt(endOffset: number): Promise<boolean> {
    return this.#queue.exclusive(async () => {
      this.#requireOpen()
      if (this.#logEndOffset !== endOffset || this.#segments.active.size() === 0) return false
      this.#appender.roll(endOffset)
      return true
    })
  }

  /** The segment before the new one is brought to the disk behind the scenes. */
  #rolled(baseOffset: number): void {
    this.#flusher.directoryChanged()
    this.#producers.rolled(baseOffset)
    if (this.config.fsync === 'never') return
    // A failure is reported and refuses further writes; nobody waits for this one.
    this.#flusher
      .flushed(baseOffset)
      .then(() => this.#checkpoint?.())
      .catch((err: unknown) =>
        this.#logger.debug({ directory: this.directory, err }, 'no recovery point behind a roll'),
      )
  }

  /** Files and memory may be at odds: nothing is written, synced or changed, and a stop is not a clean one. */
  #changeFailed(what: string, cause: unknown): MyKafkaError {
    const message = `${this.directory} could not be ${what}: it takes no writes until it is opened again`
    const error = new MyKafkaError('LOG_FAILED', message, { cause })
    this.#fail(error)
    void Promise.all([this.compaction.stop(error), this.#flusher.stop(error)])
    return error
  }
}
