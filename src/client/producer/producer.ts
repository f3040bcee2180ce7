import { MyKafkaError } from '../../errors.js'
import { checkTopicName } from '../../topic/topic-name.js'
import { abortable, type CallOptions, handled, onAbort, type Transport } from '../transport.js'
import { Aborts } from './aborts.js'
import { Accumulator } from './accumulator.js'
import { Admission } from './admission.js'
import { type ProducerOptions, type ResolvedProducerOptions, resolveProducerOptions } from './options.js'
import { PendingSend, type RecordMetadata } from './pending-send.js'
import type { ProducerBatch } from './producer-batch.js'
import { boundOf, type ProducerRecord } from './producer-record.js'
import { Sender } from './sender.js'
import { TopicPartitions, type TopicState } from './topic-partitions.js'

/** How a producer is closed. */
export interface CloseOptions extends CallOptions {
  /** How long it waits for what is not answered. Default: as long as it takes, `deliveryTimeoutMs` at the most. */
  readonly timeoutMs?: number | undefined
}

/** What a producer has done, and what it has before it. */
export interface ProducerStatistics {
  /** Records that the broker acknowledged. */
  readonly records: number
  /** Of their keys and values, packed. */
  readonly bytes: number
  /** The batches that they were in. */
  readonly batches: number
  /** How often a batch was sent again. */
  readonly retries: number
  /** Records that were in a batch and were not acknowledged in the end. */
  readonly failedRecords: number
  /** What is not settled. */
  readonly queue: {
    /** In batches, those under way included. */
    readonly records: number
    readonly bytes: number
    readonly batches: number
    /** Batches that are under way. */
    readonly inFlight: number
    /** Sends that wait for memory, or for a topic or partition that is not known. */
    readonly waiting: number
  }
}

/**
 * Sends records in batches, as Kafka's producer does. `send` may be called without waiting for the calls before; records
 * of one partition lie there in the order of their calls. It shares the connection of what made it.
 *
 * **What a retry can duplicate.** MyKafka's PRODUCE bears no sequence numbers. Where the connection or the broker is lost
 * between the write and its answer, or the answer takes longer than `requestTimeoutMs`, the producer cannot know that the
 * batch is written, and sends it again: its records, or after the death of the broker the first of them, are in the log
 * twice, with different offsets, and `send` tells the later one. A refusal of the broker duplicates nothing: a batch is
 * written whole or not at all. Records keep their order, as it is told by the first appearance of each. A `send` that is
 * rejected with REQUEST_TIMED_OUT, CONNECTION_CLOSED or NETWORK_EXCEPTION may have written its record. `retries: 0` never
 * writes a record twice, and loses some: who needs each once makes the consumer idempotent, or uses an idempotent
 * producer over Kafka's wire.
 *
 * **What an acknowledgement means.** The record is with the operating system: it survives the death of the broker's
 * process, and power loss as `--fsync` says.
 *
 * Every failure is a {@link MyKafkaError}, but for what a function that places records throws. One that nobody awaits is
 * not reported as an unhandled rejection.
 */
export class Producer {
  readonly #options: ResolvedProducerOptions
  readonly #accumulator: Accumulator
  readonly #sender: Sender
  readonly #topics: TopicPartitions
  readonly #admission: Admission
  readonly #aborts = new Aborts()
  readonly #ending = new AbortController()
  #closing: Promise<void> | null = null

  /** @internal `connect().producer()` makes it. */
  constructor(transport: Transport, options: ProducerOptions = {}) {
    const resolved = resolveProducerOptions(options, transport.options)
    this.#options = resolved
    const { signal } = this.#ending
    this.#accumulator = new Accumulator(resolved, {
      ready: () => this.#sender.wake(),
      room: () => this.#admission.room(),
      began: ({ topic }) => this.#topics.checkAge(topic),
      expired: (batch) => this.#sender.fail(batch, this.#expiry(batch)),
    })
    this.#sender = new Sender(transport, resolved, this.#accumulator, signal, (name) => this.#topicIsGone(name))
    this.#admission = new Admission(resolved, this.#accumulator, {
      refresh: (topic) => this.#topics.refresh(topic),
      rest: () => this.#topics.rest(),
    })
    this.#topics = new TopicPartitions(transport, resolved, this.#admission, signal)
  }

  /** Whether `close` was called. */
  get closed(): boolean {
    return this.#closing !== null
  }

  /**
   * Sends a record; resolves when it is written, with where. It waits where `bufferMemory` is full, or the topic or the
   * partition is not known: so long the record's bytes must not change.
   *
   * An abort rejects it with ABORTED and takes back what waits; what is in a batch is sent all the same.
   */
  send(record: ProducerRecord, options?: CallOptions): Promise<RecordMetadata> {
    let send: PendingSend | null = null
    try {
      if (this.#closing !== null) throw new MyKafkaError('CLIENT_CLOSED', 'the producer is closed')
      const bound = boundOf(record, this.#options)
      const topic = this.#topic(record.topic)
      if (options?.signal !== undefined) send = this.#aborts.watch(options.signal)
      return this.#admission.add(topic, record, bound, send)
    } catch (error) {
      send ??= new PendingSend()
      send.reject(error)
      return send.promise
    }
  }

  /**
   * Sends what lies in batches now, and resolves when every `send` that was called before is settled, one way or the
   * other.
   */
  flush({ signal }: CallOptions = {}): Promise<void> {
    return handled(abortable(this.#flush(), signal))
  }

  /** What was done so far, and what lies there. */
  statistics(): ProducerStatistics {
    const { inFlight, figures } = this.#accumulator
    return { ...this.#sender.figures, queue: { ...figures, inFlight, waiting: this.#admission.waiting } }
  }

  /**
   * Takes no more records, and resolves when all that it has are answered. What is not by the time of `timeoutMs`, or when
   * the signal aborts, is rejected with ABORTED; it may be written nonetheless where it was under way. The connection
   * stays, for others.
   */
  close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close()
    const { timeoutMs, signal } = options
    if (timeoutMs === undefined && signal === undefined) return this.#closing
    return this.#closeBy(timeoutMs, signal)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #topic(name: string): TopicState {
    const known = this.#topics.find(name)
    if (known !== undefined) return known
    if (typeof name !== 'string') throw new MyKafkaError('INVALID_ARGUMENT', "a record's topic must be a string")
    checkTopicName(name)
    return this.#topics.add(name)
  }

  #topicIsGone(name: string): void {
    const topic = this.#topics.find(name)
    if (topic !== undefined) this.#topics.refresh(topic)
  }

  #expiry({ count, queue, lastError }: ProducerBatch): MyKafkaError {
    const cause = lastError ?? this.#sender.connectionError
    const where = `${count} records for ${queue.topic}-${queue.partition}`
    const reason = cause === null ? '' : `: ${cause.message}`
    const text = `${where} were not acknowledged within ${this.#options.deliveryTimeoutMs} ms${reason}`
    return new MyKafkaError('REQUEST_TIMED_OUT', text, { cause: cause ?? undefined })
  }

  async #flush(): Promise<void> {
    const outcomes = [...this.#accumulator.batches].map(({ outcome }) => outcome)
    this.#accumulator.urge()
    await Promise.allSettled([...outcomes, ...this.#admission.promises])
    this.#accumulator.calm()
  }

  async #close(): Promise<void> {
    await this.#flush()
    this.#ending.abort(new MyKafkaError('CLIENT_CLOSED', 'the producer is closed'))
    this.#accumulator.close()
    this.#admission.close()
  }

  async #closeBy(timeoutMs: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    const giveUp = (): void => {
      const error = new MyKafkaError('ABORTED', 'the producer was closed before the record was acknowledged')
      this.#admission.rejectAll(error)
      this.#sender.failAll(error)
    }
    const timer = timeoutMs === undefined ? null : setTimeout(giveUp, timeoutMs)
    const stopListening = signal && onAbort(signal, giveUp)
    await this.#closing
    if (timer !== null) clearTimeout(timer)
    stopListening?.()
  }
}
