import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readInt64 } from '../integers.js'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import type { AppendGuard } from './append-queue.js'
import { BATCH_HEADER_BYTES } from './batch-headers.js'
import { replaceFile } from './durable-file.js'
import { decodeSnapshot, encodeSnapshot } from './producer-snapshot.js'
import { isNextBatch, type ProducerBatch, ProducerStates } from './producer-state.js'
import { BATCH_AT } from './record-batch.js'
import { retentionNow } from './retention-clock.js'
import { segmentName } from './segment-files.js'

export interface ProducerStateManagerOptions {
  directory: string
  /** Ends of the log that the directory has a snapshot of, ascending. */
  snapshots: readonly number[]
  /** `producer.id.expiration.ms` */
  expirationMs: number
  logger: Logger
  /**
   * The headers of the log's batches from an offset on (batch-headers.ts). Null where entries say nothing of producers
   * (mykafka records): then only a snapshot of the log's very end counts.
   */
  batchHeaders: ((fromOffset: number) => AsyncIterable<Buffer>) | null
}

interface ProducerGuard extends AppendGuard {
  readonly batch: ProducerBatch
}

const EXPIRATION_CHECK_MS = 600_000
/** The newest two: where one is damaged, the one before it saves reading the whole log. */
const SNAPSHOTS_KEPT = 2

/** Knows of each producer what it has written to the partition, also behind a restart: `%020d.snapshot` files. */
export class ProducerStateManager {
  readonly #options: ProducerStateManagerOptions
  #states = new ProducerStates()
  /** Ends of the log that a snapshot is of, ascending. */
  #snapshots: number[]
  #nextExpiration = 0
  #writing: Promise<void> = Promise.resolve()
  /** The one that is written next: a newer one takes its place. */
  #waiting: { offset: number; bytes: Buffer } | null = null

  constructor(options: ProducerStateManagerOptions) {
    this.#options = options
    this.#snapshots = [...options.snapshots]
  }

  /**
   * Brings the state to the end of the log. Behind a clean stop a snapshot says it, or there was nothing to say; else
   * it goes on from the newest snapshot that is not above the end.
   */
  async load(logEndOffset: number, clean: boolean): Promise<void> {
    // One that is being written may be of what was cut.
    await this.stop()
    this.#states = new ProducerStates()
    await this.#removeAbove(logEndOffset)
    if (clean && !this.#snapshots.includes(logEndOffset)) return
    let from = 0
    for (const offset of this.#snapshots.toReversed()) {
      const states = await this.#read(offset)
      if (states === null) continue
      this.#states = states
      from = offset
      break
    }
    if (from === logEndOffset) return
    const { batchHeaders } = this.#options
    // A state that lags behind the log would refuse what goes on where the log ends.
    if (batchHeaders === null) this.#states.clear()
    else for await (const headers of batchHeaders(from)) this.#replay(headers, from)
  }

  /** When they were written is not known: their producers count as active now. */
  #replay(headers: Buffer, from: number): void {
    const now = Date.now()
    for (let at = 0; at < headers.length; at += BATCH_HEADER_BYTES) {
      const producerId = readInt64(headers, at + BATCH_AT.producerId)
      const baseOffset = readInt64(headers, at + BATCH_AT.baseOffset)
      if (producerId < 0 || baseOffset < from) continue
      const batch = {
        producerId,
        producerEpoch: headers.readInt16BE(at + BATCH_AT.producerEpoch),
        baseSequence: headers.readInt32BE(at + BATCH_AT.baseSequence),
        recordCount: headers.readInt32BE(at + BATCH_AT.lastOffsetDelta) + 1,
      }
      this.#states.add(batch, baseOffset, now)
    }
  }

  /** The last offset of the last batch of each producer. */
  lastOffsets(): number[] {
    return [...this.#states.entries()].flatMap(([, { batches }]) => {
      const last = batches.at(-1)
      return last === undefined ? [] : [last.baseOffset + last.recordCount - 1]
    })
  }

  /** What the append of this batch is decided and remembered by. */
  guard(batch: ProducerBatch): ProducerGuard {
    return {
      key: batch.producerId,
      batch,
      follows: (previous: ProducerGuard) => isNextBatch(batch, previous.batch),
      admit: () => {
        this.#expire()
        return this.#states.check(batch)
      },
      appended: (baseOffset) => this.#states.add(batch, baseOffset, Date.now()),
      failed: () => this.#states.failed(batch, Date.now()),
    }
  }

  /**
   * Writes down what is known where the log rolls, so that a start reads one segment at the most. A failure is
   * reported: the next start reads more.
   */
  rolled(logEndOffset: number): void {
    if (this.#options.batchHeaders === null) return
    const wasWaiting = this.#waiting !== null
    this.#waiting = { offset: logEndOffset, bytes: encodeSnapshot(this.#states) }
    if (wasWaiting) return
    const { directory, logger } = this.#options
    this.#writing = this.#writing
      .then(() => this.#writeWaiting())
      .catch((err: unknown) => logger.warn({ directory, err }, 'a producer snapshot was not written'))
  }

  /** Removes the snapshots of what is deleted; the newest stays, for what it says of producers is in no record any more. */
  async removeBelow(logStartOffset: number): Promise<void> {
    await this.#writing
    const gone = this.#snapshots.slice(0, -1).filter((offset) => offset < logStartOffset)
    this.#snapshots = this.#snapshots.filter((offset) => !gone.includes(offset))
    for (const offset of gone) await rm(this.#path(offset), { force: true })
  }

  /** Resolves when nothing is being written; what waits for that is not written any more. */
  async stop(): Promise<void> {
    this.#waiting = null
    await this.#writing
  }

  /**
   * Writes down what is known at the end of the log.
   *
   * @throws where the system refuses
   */
  async close(logEndOffset: number): Promise<void> {
    await this.stop()
    if (this.#states.size > 0) await this.#write(logEndOffset, encodeSnapshot(this.#states))
  }

  /** A clock that is set forward must not make the broker forget what producers may still send again. */
  #expire(): void {
    const elapsed = performance.now()
    if (elapsed < this.#nextExpiration) return
    this.#nextExpiration = elapsed + Math.min(EXPIRATION_CHECK_MS, this.#options.expirationMs)
    this.#states.expire(retentionNow() - this.#options.expirationMs)
  }

  #path(offset: number): string {
    return join(this.#options.directory, `${segmentName(offset)}.snapshot`)
  }

  async #removeAbove(logEndOffset: number): Promise<void> {
    const above = this.#snapshots.filter((offset) => offset > logEndOffset)
    if (above.length === 0) return
    for (const offset of above) await rm(this.#path(offset))
    // One that came back behind a crash would be taken for the state of other records.
    await native.syncDirectory(this.#options.directory)
    this.#snapshots = this.#snapshots.filter((offset) => offset <= logEndOffset)
  }

  async #read(offset: number): Promise<ProducerStates | null> {
    const states = decodeSnapshot(await readFile(this.#path(offset)))
    if (states === null) {
      this.#options.logger.warn({ file: this.#path(offset) }, 'a producer snapshot is damaged: it is read from the log')
    }
    return states
  }

  async #writeWaiting(): Promise<void> {
    const next = this.#waiting
    this.#waiting = null
    if (next !== null) await this.#write(next.offset, next.bytes)
  }

  async #write(offset: number, bytes: Buffer): Promise<void> {
    await replaceFile(this.#path(offset), bytes)
    if (!this.#snapshots.includes(offset)) this.#snapshots.push(offset)
    while (this.#snapshots.length > SNAPSHOTS_KEPT)
      await rm(this.#path(this.#snapshots.shift() as number), { force: true })
  }
}
