import { MyKafkaError } from '../errors.js'
import type { AppendResult } from './append-queue.js'

/** What an idempotent producer says of a batch (KIP-98). */
export interface ProducerBatch {
  /** From 0 on. */
  producerId: number
  producerEpoch: number
  /** Of the first record; one more for each behind it, 0 behind 2147483647. */
  baseSequence: number
  recordCount: number
}

/** A batch that was written. */
export interface RememberedBatch {
  readonly baseSequence: number
  readonly recordCount: number
  readonly baseOffset: number
}

/** What is known of one producer. */
export interface ProducerEntry {
  producerEpoch: number
  /** Milliseconds since 1970: when it last wrote. */
  lastTimestamp: number
  /** The latest, of this epoch, the newest last. */
  batches: RememberedBatch[]
}

/** So many batches of a producer are remembered: as many as a client may have under way. */
export const REMEMBERED_BATCHES = 5

/**
 * Of one partition. An id costs a client one request: what is remembered of those that have gone silent is bounded by
 * their number too, not by their time alone.
 */
export const MOST_PRODUCERS = 1 << 16

const SEQUENCES = 2 ** 31

function lastSequence({ baseSequence, recordCount }: { baseSequence: number; recordCount: number }): number {
  return (baseSequence + recordCount - 1) % SEQUENCES
}

/** Whether the batch is the producer's next one behind another of its batches. */
export function isNextBatch(batch: ProducerBatch, previous: ProducerBatch): boolean {
  return (
    batch.producerId === previous.producerId &&
    batch.producerEpoch === previous.producerEpoch &&
    batch.baseSequence === (lastSequence(previous) + 1) % SEQUENCES
  )
}

/** The producers of one partition and the sequence numbers that they have reached. */
export class ProducerStates {
  readonly #entries = new Map<number, ProducerEntry>()
  /** What a producer began with that has written nothing yet: its first batch, which the disk did not take. */
  readonly #begun = new Map<number, Pick<ProducerBatch, 'producerEpoch' | 'baseSequence'> & { since: number }>()

  get size(): number {
    return this.#entries.size
  }

  /** By producer id. */
  entries(): IterableIterator<[number, ProducerEntry]> {
    return this.#entries.entries()
  }

  set(producerId: number, entry: ProducerEntry): void {
    this.#entries.set(producerId, entry)
  }

  clear(): void {
    this.#entries.clear()
    this.#begun.clear()
  }

  /**
   * Where the batch was written before, if it was; null where it is the producer's next one. A producer that is not
   * known may begin anywhere: its state may have expired. One whose first batch failed begins with that: what it had under
   * way behind it would keep that out for good.
   *
   * @throws MyKafkaError INVALID_PRODUCER_EPOCH, OUT_OF_ORDER_SEQUENCE_NUMBER
   */
  check(batch: ProducerBatch): AppendResult | null {
    const entry = this.#entries.get(batch.producerId)
    if (entry === undefined) return this.#checkFirst(batch)
    const { producerId, producerEpoch, baseSequence } = batch
    if (producerEpoch < entry.producerEpoch) {
      throw new MyKafkaError(
        'INVALID_PRODUCER_EPOCH',
        `producer ${producerId} has epoch ${entry.producerEpoch}, not ${producerEpoch}`,
      )
    }
    if (producerEpoch > entry.producerEpoch) {
      if (baseSequence === 0) return null
      throw new MyKafkaError(
        'OUT_OF_ORDER_SEQUENCE_NUMBER',
        `producer ${producerId} begins epoch ${producerEpoch} at sequence ${baseSequence}, not 0`,
      )
    }
    const same = entry.batches.find(
      (known) => known.baseSequence === baseSequence && known.recordCount === batch.recordCount,
    )
    if (same !== undefined) return { baseOffset: same.baseOffset, count: same.recordCount, duplicate: true }
    const latest = entry.batches.at(-1)
    const expected = latest === undefined ? baseSequence : (lastSequence(latest) + 1) % SEQUENCES
    if (baseSequence === expected) return null
    throw new MyKafkaError(
      'OUT_OF_ORDER_SEQUENCE_NUMBER',
      `producer ${producerId} goes on at sequence ${expected}, not ${baseSequence}`,
    )
  }

  #checkFirst({ producerId, producerEpoch, baseSequence }: ProducerBatch): null {
    const begun = this.#begun.get(producerId)
    if (begun?.producerEpoch !== producerEpoch || begun.baseSequence === baseSequence) return null
    throw new MyKafkaError(
      'OUT_OF_ORDER_SEQUENCE_NUMBER',
      `producer ${producerId} begins at sequence ${begun.baseSequence}, not ${baseSequence}`,
    )
  }

  /** The batch was to be written, and was not. */
  failed({ producerId, producerEpoch, baseSequence }: ProducerBatch, now: number): void {
    if (this.#entries.has(producerId) || this.#begun.get(producerId)?.producerEpoch === producerEpoch) return
    this.#begun.set(producerId, { producerEpoch, baseSequence, since: now })
    if (this.#begun.size > MOST_PRODUCERS) this.#begun.delete(this.#begun.keys().next().value as number)
  }

  /** The batch was written to this offset. */
  add({ producerId, producerEpoch, baseSequence, recordCount }: ProducerBatch, baseOffset: number, now: number): void {
    this.#begun.delete(producerId)
    let entry = this.#entries.get(producerId)
    // The longest silent first, so that it is the one that goes.
    if (entry !== undefined) this.#entries.delete(producerId)
    if (entry === undefined || entry.producerEpoch !== producerEpoch) {
      entry = { producerEpoch, lastTimestamp: now, batches: [] }
    }
    this.#entries.set(producerId, entry)
    if (this.#entries.size > MOST_PRODUCERS) this.#entries.delete(this.#entries.keys().next().value as number)
    entry.lastTimestamp = Math.max(entry.lastTimestamp, now)
    entry.batches.push({ baseSequence, recordCount, baseOffset })
    if (entry.batches.length > REMEMBERED_BATCHES) entry.batches.shift()
  }

  /** Forgets who wrote nothing since. */
  expire(oldest: number): void {
    for (const [producerId, { lastTimestamp }] of this.#entries) {
      if (lastTimestamp < oldest) this.#entries.delete(producerId)
    }
    for (const [producerId, { since }] of this.#begun) if (since < oldest) this.#begun.delete(producerId)
  }
}
