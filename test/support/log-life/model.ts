/** What a log must hold: all that was written, and what may or must be gone of it. Knows nothing of files. */
import { KeptRecords, text } from './kept-records.js'
import type { Outcome } from './life.js'
import type { Append, GivenRecord, Operation } from './operations.js'
import { Producers, type SentBatch } from './producers.js'
import type { Seen, SeenBatch, SeenRecord } from './view.js'

interface Written extends SeenBatch {
  readonly append: Append
}

export class LogModel {
  readonly isKafka: boolean
  logStartOffset = 0
  logEndOffset = 0
  producers = new Producers()
  now: number
  readonly #kept = new KeptRecords()
  /** By base offset: every append that was written. */
  readonly #written = new Map<number, Written>()
  /** The map: the last value of each key that was written. */
  #values = new Map<string, { value: string | null; offset: number }>()
  /** By producer, where its last batch is; null: nowhere. */
  readonly #lastBatches = new Map<number, number | null>()
  /** By producer, how many of its batches a kill has lost. */
  readonly #lost = new Map<number, number>()

  constructor(isKafka: boolean, now: number) {
    this.isKafka = isKafka
    this.now = now
  }

  /** Where the appends of an operation go, one behind the other. */
  places(appends: readonly Append[]): number[] {
    let offset = this.logEndOffset
    return appends.map(({ records }) => {
      offset += records.length
      return offset - records.length
    })
  }

  /**
   * What producers have to do first behind a kill: to send what was lost again. Those that lost more than one batch
   * begin anew, with the others.
   */
  resend(): number[] {
    if ([...this.#lost.values()].some((count) => count > 1)) this.#renewProducers()
    return [...this.#lost.keys()]
  }

  /** The operation was done, and this came of it. */
  done(operation: Operation, outcome: Outcome): void {
    const { logStartOffset, logEndOffset } = outcome
    switch (operation.kind) {
      case 'write':
        this.#append(operation.appends)
        break
      case 'retry':
        this.#retried(operation.producer, outcome.retried ?? null)
        break
      case 'clean':
        this.#append(outcome.cleaning ? operation.meanwhile : [])
        if (outcome.cleaning) this.#kept.cleaned(outcome.cleaning, this.now)
        break
      case 'delete-records':
        this.#raiseStart(this.#offsetAt(operation.share))
        break
      case 'retention':
        this.#retained(operation, outcome)
        break
      case 'truncate':
        this.#cut(this.#offsetAt(operation.share), logEndOffset)
        this.#renewProducers()
        break
      case 'time':
        this.now += operation.ms
    }
    if (logStartOffset !== this.logStartOffset) {
      throw new Error(`${operation.kind}: the log start is ${logStartOffset} and must be ${this.logStartOffset}`)
    }
    if (logEndOffset !== this.logEndOffset) {
      throw new Error(`${operation.kind}: the log end is ${logEndOffset} and must be ${this.logEndOffset}`)
    }
  }

  /**
   * The process was killed in the middle of the operation.
   *
   * @param acknowledged - of its appends, by their places in it
   * @param cleaningTo - what a cleaning had begun to clean
   */
  killed(
    operation: Operation,
    acknowledged: ReadonlySet<number>,
    cleaningTo: number | null,
    found: { logStartOffset: number; logEndOffset: number },
  ): void {
    const appends = appendsOf(operation, cleaningTo !== null, this.producers)
    this.#appendPart(appends, acknowledged, found.logEndOffset, operation.kind === 'retry')
    if (operation.kind === 'time') this.now += operation.ms
    if (cleaningTo !== null) this.#kept.cleanedInPart(cleaningTo, this.now)
    const { logStartOffset } = found
    if (operation.kind === 'delete-records' || operation.kind === 'retention') {
      if (operation.kind === 'delete-records' && logStartOffset > this.logStartOffset) {
        equal('the log start', logStartOffset, this.#offsetAt(operation.share))
      }
      this.#raiseStart(logStartOffset)
    }
    if (operation.kind === 'truncate') {
      if (found.logEndOffset < this.logEndOffset) this.#cut(this.#offsetAt(operation.share), found.logEndOffset, true)
      this.#renewProducers()
    }
    equal('the log start behind a kill', logStartOffset, this.logStartOffset)
    equal('the log end behind a kill', found.logEndOffset, this.logEndOffset)
  }

  /** Holds all that a reader sees of the log against this. */
  compare({ records, batches, nextOffset }: Seen): void {
    this.#kept.settle(records, this.logStartOffset)
    const expected = this.expected()
    for (const [index, record] of records.entries()) {
      const wanted = expected[index]
      if (JSON.stringify(wanted) === JSON.stringify(record)) continue
      throw new Error(`there is ${text(record)} where ${wanted === undefined ? 'nothing' : text(wanted)} must be`)
    }
    if (records.length < expected.length) throw new Error(`${text(expected[records.length] as SeenRecord)} is missing`)
    this.#compareBatches(batches)
    this.#compareLatest(records)
    if (records.length > 0 && nextOffset > this.logEndOffset) throw new Error(`a read ended at ${nextOffset}`)
  }

  /** The records from an offset on. */
  expected(from: number = this.logStartOffset): SeenRecord[] {
    return this.#kept.from(from)
  }

  #append(appends: readonly Append[]): void {
    for (const append of appends) this.#write(append, this.producers.next(append, this.now), this.now)
  }

  #write(append: Append, sequence: SentBatch['sequence'] | null, now: number, count = append.records.length): void {
    const baseOffset = this.logEndOffset
    const { producerId = -1, baseSequence = -1 } = sequence ?? {}
    this.#written.set(baseOffset, {
      baseOffset,
      lastOffset: baseOffset + append.records.length - 1,
      codec: append.codec,
      producerId,
      baseSequence,
      append,
    })
    for (const [index, record] of append.records.slice(0, count).entries()) {
      const offset = baseOffset + index
      this.#kept.add(this.#stored(offset, record, append, now))
      this.#values.set(record.key, { value: record.value, offset })
    }
    this.logEndOffset = baseOffset + count
    if (append.producer === null) return
    this.#lastBatches.set(append.producer, baseOffset)
    if (sequence === this.producers.last(append.producer)?.sequence) this.#lost.delete(append.producer)
  }

  #renewProducers(): void {
    this.producers.renew()
    this.#lastBatches.clear()
    this.#lost.clear()
  }

  #stored(
    offset: number,
    { key, value, age, header }: GivenRecord,
    { logAppendTime }: Append,
    now: number,
  ): SeenRecord {
    const timestamp = !this.isKafka || logAppendTime ? now : now - age
    return { offset, timestamp, key, value, header: this.isKafka ? header : null }
  }

  /** Of appends under way: those that were acknowledged are there, of the others as many as the log's end says. */
  #appendPart(
    appends: readonly Append[],
    acknowledged: ReadonlySet<number>,
    logEndOffset: number,
    isRetry: boolean,
  ): void {
    let isCut = false
    for (const [index, append] of appends.entries()) {
      const { records, producer } = append
      const room: number = isCut ? 0 : Math.max(0, logEndOffset - this.logEndOffset)
      isCut ||= records.length > room
      if (acknowledged.has(index) && isCut) throw new Error('an acknowledged append is not there')
      // A batch is there whole or not at all, of records a beginning may be.
      const count = isCut ? (this.isKafka ? 0 : room) : records.length
      const again = isRetry ? this.producers.last(producer as number) : null
      const sequence = again === null ? this.producers.next(append, this.now) : again.sequence
      if (count > 0) this.#write(append, sequence, again?.now ?? this.now, count)
      else if (producer !== null && !isRetry) {
        this.#lastBatches.set(producer, null)
        this.#lost.set(producer, (this.#lost.get(producer) ?? 0) + 1)
      }
    }
  }

  #retried(slot: number, retried: Outcome['retried']): void {
    const last = this.producers.last(slot)
    if (last === null || !retried) return
    const known = this.#lastBatches.get(slot) ?? null
    if (retried.duplicate) {
      equal('the offset of what was sent again', retried.baseOffset, known)
      return
    }
    // It may be forgotten when it counts as deleted.
    if (known !== null && known >= this.logStartOffset) throw new Error(`the batch at ${known} was written twice`)
    equal('the offset of what was sent again', retried.baseOffset, this.logEndOffset)
    this.#write(last.append, last.sequence, last.now)
  }

  #retained({ share, ms }: Extract<Operation, { kind: 'retention' }>, outcome: Outcome): void {
    const { logStartOffset } = outcome
    for (const { offset, timestamp } of this.#kept.sure()) {
      if (offset >= logStartOffset || share !== null) continue
      if (timestamp >= this.now - (ms as number)) throw new Error(`${offset} was removed before its time`)
    }
    this.#raiseStart(logStartOffset)
  }

  #raiseStart(offset: number): void {
    if (offset < this.logStartOffset) throw new Error(`the log start went back to ${offset}`)
    this.logStartOffset = offset
    this.#kept.removeBelow(offset)
  }

  /** Cut at an offset, or at the beginning of the batch that holds it; an unsure cut may have come less far. */
  #cut(offset: number, logEndOffset: number, unsure = false): void {
    const ends = offset < this.logEndOffset ? this.#ends(offset) : [this.logEndOffset]
    if (unsure ? logEndOffset < (ends[0] as number) : !ends.includes(logEndOffset)) {
      throw new Error(`cut at ${offset}, the log ends at ${logEndOffset} and not at ${ends}`)
    }
    this.#kept.removeFrom(logEndOffset)
    for (const { baseOffset, lastOffset } of [...this.#written.values()]) {
      if (lastOffset >= logEndOffset) this.#written.delete(baseOffset)
    }
    // What a later one had displaced does not come back.
    this.#values = new Map(this.#kept.sure().map(({ key, value, offset }) => [key, { value, offset }]))
    this.logEndOffset = logEndOffset
    this.logStartOffset = Math.min(this.logStartOffset, logEndOffset)
  }

  /** Where a log can end that is cut at an offset, the least first. Of a batch that is gone nothing has to go. */
  #ends(offset: number): number[] {
    const batch = this.isKafka ? this.#batchOf(offset) : undefined
    if (batch === undefined) return [offset]
    const { baseOffset, lastOffset } = batch
    for (let at = baseOffset; at <= lastOffset; at++) if (this.#kept.has(at)) return [baseOffset]
    return [baseOffset, offset]
  }

  #batchOf(offset: number): Written | undefined {
    for (const batch of this.#written.values())
      if (batch.baseOffset <= offset && offset <= batch.lastOffset) return batch
    return undefined
  }

  #offsetAt(share: number): number {
    return this.logStartOffset + Math.floor((this.logEndOffset - this.logStartOffset) * share)
  }

  #compareBatches(batches: readonly SeenBatch[]): void {
    let end = -1
    for (const { codec, ...seen } of batches) {
      const written = this.#written.get(seen.baseOffset)
      const { baseOffset, lastOffset, producerId, baseSequence } = written ?? ({} as Partial<Written>)
      if (JSON.stringify({ baseOffset, lastOffset, producerId, baseSequence }) !== JSON.stringify(seen)) {
        throw new Error(`there is the batch ${JSON.stringify(seen)} where ${JSON.stringify(written)} was written`)
      }
      // Nothing at all is as it was; gzip stands for what Node cannot compress by.
      if (codec !== written?.codec && codec > 1) throw new Error(`the batch at ${baseOffset} has the codec ${codec}`)
      if (seen.baseOffset <= end) throw new Error(`the batch at ${baseOffset} does not ascend`)
      end = seen.lastOffset
    }
  }

  /** The map: the last value of each key of all that was ever written is what a reader ends up with. */
  #compareLatest(records: readonly SeenRecord[]): void {
    const found = new Map(records.map(({ key, value, offset }) => [key, { value, offset }]))
    for (const [key, { value, offset }] of this.#values) {
      if (offset < this.logStartOffset) continue
      const seen = found.get(key)
      if (value === null ? (seen?.value ?? null) === null : seen?.offset === offset && seen.value === value) continue
      throw new Error(`the last value of ${key} is at ${offset}, and a reader ends up with ${JSON.stringify(seen)}`)
    }
  }
}

function appendsOf(operation: Operation, cleaning: boolean, producers: Producers): readonly Append[] {
  if (operation.kind === 'write') return operation.appends
  if (operation.kind === 'clean' && cleaning) return operation.meanwhile
  const last = operation.kind === 'retry' ? producers.last(operation.producer) : null
  return last === null ? [] : [last.append]
}

function equal(what: string, found: unknown, wanted: unknown): void {
  if (found !== wanted) throw new Error(`${what} is ${found} and must be ${wanted}`)
}
