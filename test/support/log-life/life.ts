/** Does operations to a log, and tells what came of them: in the test's process, or in one that is killed. */
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resolveLogConfig } from '../../../src/log/log-config.js'
import { readSlices } from '../../../src/log/log-records.js'
import { PartitionLog, type PartitionLogState } from '../../../src/log/partition-log.js'
import type { RecordFormat } from '../../../src/log/record-format.js'
import { cleaningOptions } from '../keyed-log.js'
import { type MemoryLogger, memoryLogger } from '../memory-logger.js'
import { encodeAppend } from './encoding.js'
import type { Append, Operation } from './operations.js'
import { Producers } from './producers.js'

/** How long a tombstone stays. */
export const DELETE_RETENTION_MS = 5_400_000

/** What came of a cleaning. */
export interface Cleaned {
  /** Of the segment in which the dirty part began. */
  readonly firstDirtySegment: number
  /** The log is clean below it. */
  readonly endOffset: number
  /** What could be cleaned. */
  readonly knownTo: number
  /** False: it was ended in the middle. */
  readonly ended: boolean
}

/** What came of an operation. */
export interface Outcome {
  readonly logStartOffset: number
  readonly logEndOffset: number
  readonly cleaning?: Cleaned | null
  /** Of a retry. */
  readonly retried?: { baseOffset: number; duplicate: boolean } | null
  readonly bytes: number
}

/** What is told on the way. */
export type LifeEvent =
  | { readonly kind: 'appended'; readonly index: number; readonly baseOffset: number }
  | { readonly kind: 'cleaning'; readonly endOffset: number }
  | { readonly kind: 'done'; readonly outcome: Outcome }

export interface LifeOptions {
  /** The log is in a directory in it, beside what a broker would keep of it. */
  readonly directory: string
  readonly recordFormat: RecordFormat
  readonly segmentBytes: number
  /** What its clock says: milliseconds since 1970. */
  readonly now: number
  readonly producers?: Producers
}

export const STATE_FILE = 'state.json'

/** A log that lives through operations. */
export class Life {
  readonly logDirectory: string
  readonly producers: Producers
  readonly logger: MemoryLogger = memoryLogger()
  readonly #options: LifeOptions
  #log!: PartitionLog
  #segmentBytes: number
  now: number

  static async open(options: LifeOptions, state: PartitionLogState): Promise<Life> {
    const life = new Life(options)
    await life.#open(state)
    return life
  }

  private constructor(options: LifeOptions) {
    this.#options = options
    this.logDirectory = join(options.directory, 'log')
    this.producers = options.producers ?? new Producers()
    this.#segmentBytes = options.segmentBytes
    this.now = options.now
  }

  get log(): PartitionLog {
    return this.#log
  }

  get segmentBytes(): number {
    return this.#segmentBytes
  }

  /** Does it, and tells: `done` is the last that is told. */
  async run(operation: Operation, tell: (event: LifeEvent) => void): Promise<void> {
    const found = await this.#run(operation, tell)
    const { logStartOffset, logEndOffset } = this.#log
    tell({ kind: 'done', outcome: { logStartOffset, logEndOffset, bytes: this.#log.stats().bytes, ...found } })
  }

  async #run(operation: Operation, tell: (event: LifeEvent) => void): Promise<Partial<Outcome> | undefined> {
    switch (operation.kind) {
      case 'write':
        await this.#write(operation.appends, tell)
        return undefined
      case 'retry':
        return { retried: await this.#retry(operation.producer) }
      case 'clean':
        return { cleaning: await this.#clean(operation, tell) }
      case 'restart':
        return await this.#restart(operation)
      case 'retention':
        return await this.#retention(operation)
      case 'delete-records':
        this.#log.raiseLogStart(this.#offsetAt(operation.share))
        return this.#checkpoint()
      case 'truncate':
        await this.#log.truncateTo(this.#offsetAt(operation.share))
        this.producers.renew()
        return this.#checkpoint()
      case 'time':
        this.now += operation.ms
        return undefined
      case 'reconfigure':
        this.#segmentBytes = operation.segmentBytes
        this.#log.reconfigure(this.#config())
        return undefined
      case 'verify':
        await this.#log.flush()
        return this.#checkpoint()
    }
  }

  #config(settings: { retentionMs?: number; retentionBytes?: number } = {}) {
    return resolveLogConfig({
      recordFormat: this.#options.recordFormat,
      segmentBytes: this.#segmentBytes,
      indexIntervalBytes: 256,
      fileDeleteDelayMs: 5,
      producerIdExpirationMs: 2147483647,
      ...settings,
    })
  }

  async #open(state: PartitionLogState): Promise<void> {
    this.#log = await PartitionLog.open(this.logDirectory, {
      ...state,
      config: this.#config(),
      logger: this.logger,
      now: () => this.now,
      checkpoint: async () => this.#checkpoint(),
    })
    this.#checkpoint()
  }

  /** As a broker's checkpoints are written: whole or not at all. */
  #checkpoint(): undefined {
    const { recoveryPoint, logStartOffset, compaction } = this.#log
    const path = join(this.#options.directory, STATE_FILE)
    writeFileSync(
      `${path}.new`,
      JSON.stringify({ recoveryPoint, logStartOffset, firstDirtyOffset: compaction.cleanedTo }),
    )
    renameSync(`${path}.new`, path)
  }

  async #write(appends: readonly Append[], tell: (event: LifeEvent) => void): Promise<void> {
    const sent = []
    for (const append of appends) {
      const sequence = this.producers.next(append, this.now)
      sent.push({ append, sequence, batch: await encodeAppend(this.#options.recordFormat, append, this.now, sequence) })
    }
    await Promise.all(
      sent.map(async ({ append, sequence, batch }, index) => {
        const producer = sequence === null ? undefined : { ...sequence, recordCount: append.records.length }
        const { baseOffset, duplicate } = await this.#log.append([batch], append.acks, producer)
        if (duplicate) throw new Error(`a new batch was taken for the one at ${baseOffset}`)
        tell({ kind: 'appended', index, baseOffset })
      }),
    )
  }

  async #retry(slot: number): Promise<NonNullable<Outcome['retried']> | null> {
    const last = this.producers.last(slot)
    if (last === null) return null
    const { append, sequence, now } = last
    const batch = await encodeAppend(this.#options.recordFormat, append, now, sequence)
    const producer = { ...sequence, recordCount: append.records.length }
    const { baseOffset, duplicate = false } = await this.#log.append([batch], append.acks, producer)
    return { baseOffset, duplicate }
  }

  async #clean(
    { bufferBytes, ioBufferBytes, steps, meanwhile }: Extract<Operation, { kind: 'clean' }>,
    tell: (event: LifeEvent) => void,
  ): Promise<Cleaned | null> {
    const { compaction } = this.#log
    const usual = cleaningOptions({ deleteRetentionMs: DELETE_RETENTION_MS })
    const options = { ...usual, bufferBytes, ioBufferBytes, nowMs: this.now }
    const { firstDirtyOffset, endOffset: knownTo, dirtyBytes } = await compaction.cleanable(options.settings, this.now)
    if (dirtyBytes === 0) return null
    const first = this.#log.segments().findLast(({ baseOffset }) => baseOffset <= firstDirtyOffset)
    tell({ kind: 'cleaning', endOffset: knownTo })
    let left = steps ?? Number.POSITIVE_INFINITY
    const run = compaction.clean({ ...options, isWanted: () => left-- > 0 })
    const [settled] = await Promise.all([
      run.then(
        (report) => ({ endOffset: report?.endOffset ?? firstDirtyOffset, ended: report !== null }),
        (error: { code?: string }) => {
          if (error.code !== 'POLICY_VIOLATION') throw error
          return { endOffset: knownTo, ended: false }
        },
      ),
      this.#write(meanwhile, tell),
      ...(meanwhile.length > 0 ? [this.#readThrough()] : []),
    ])
    this.#checkpoint()
    return { firstDirtySegment: first?.baseOffset ?? 0, knownTo, ...settled }
  }

  /** Reads while segments are replaced: nothing is to fail. */
  async #readThrough(): Promise<void> {
    for (let offset = this.#log.logStartOffset; offset < this.#log.highWatermark; ) {
      const result = await this.#log.read({ offset, maxBytes: 700, upperBound: this.#log.highWatermark })
      if (result.count === 0 && result.lastOffset < 0) return
      await readSlices(result)
      if (result.lastOffset < offset) throw new Error(`a read from ${offset} ended at ${result.lastOffset}`)
      offset = result.lastOffset + 1
    }
  }

  async #restart({ how, loses }: Extract<Operation, { kind: 'restart' }>): Promise<undefined> {
    const { recoveryPoint } = this.#log
    await this.#log.close()
    const { logStartOffset, compaction } = this.#log
    for (const name of readdirSync(this.logDirectory)) {
      if (loses.some((ending) => name.endsWith(ending))) rmSync(join(this.logDirectory, name))
    }
    const isForgotten = how === 'forgetful'
    await this.#open({
      recoveryPoint: how === 'clean' ? this.#log.recoveryPoint : isForgotten ? 0 : recoveryPoint,
      logStartOffset,
      clean: how === 'clean',
      firstDirtyOffset: isForgotten ? 0 : compaction.cleanedTo,
    })
  }

  async #retention({ share, ms }: Extract<Operation, { kind: 'retention' }>): Promise<undefined> {
    const retentionBytes = share === null ? -1 : Math.floor(this.#log.stats().bytes * share)
    this.#log.reconfigure(this.#config({ retentionBytes, retentionMs: ms ?? -1 }))
    await this.#log.retention.expire(this.now)
    this.#checkpoint()
    await this.#log.retention.removeBelow(this.#log.logStartOffset, this.now)
    this.#log.reconfigure(this.#config())
  }

  #offsetAt(share: number): number {
    const { logStartOffset, logEndOffset } = this.#log
    return logStartOffset + Math.floor((logEndOffset - logStartOffset) * share)
  }
}
