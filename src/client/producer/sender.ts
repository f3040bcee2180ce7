import { asMyKafkaError, MyKafkaError } from '../../errors.js'
import type { Client, ProduceResult } from '../client.js'
import { backoffMs, isRetriable, sleep, type Transport } from '../transport.js'
import type { Accumulator } from './accumulator.js'
import type { ResolvedProducerOptions } from './options.js'
import type { ProducerBatch } from './producer-batch.js'

/** Batches that are sent together: what `max.in.flight` counts. */
interface Flight {
  /** How many of them are not answered. */
  left: number
}

/** What came of the batches so far. */
export interface SenderFigures {
  records: number
  bytes: number
  batches: number
  retries: number
  failedRecords: number
}

/** Sends what the accumulator has ready, and sends it again where that can help. */
export class Sender {
  readonly #transport: Transport
  readonly #options: ResolvedProducerOptions
  readonly #accumulator: Accumulator
  readonly #signal: AbortSignal
  readonly #unknownTopic: (topic: string) => void
  readonly figures: SenderFigures = { records: 0, bytes: 0, batches: 0, retries: 0, failedRecords: 0 }
  #client: Client | null = null
  #connecting = false
  #scheduled = false
  /** Requests that are not answered. */
  #flights = 0
  /** Why there is no connection. */
  connectionError: MyKafkaError | null = null

  /**
   * @param signal - ends the attempts to connect
   * @param unknownTopic - told that a topic or a partition is not there, or no more
   */
  constructor(
    transport: Transport,
    options: ResolvedProducerOptions,
    accumulator: Accumulator,
    signal: AbortSignal,
    unknownTopic: (topic: string) => void,
  ) {
    this.#transport = transport
    this.#options = options
    this.#accumulator = accumulator
    this.#signal = signal
    this.#unknownTopic = unknownTopic
  }

  /** Something is ready: it goes out at the end of this turn of the event loop, with what else is ready by then. */
  wake(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#send()
    })
  }

  /** The batch is given up. */
  fail(batch: ProducerBatch, error: MyKafkaError): void {
    if (batch.settled) return
    this.figures.failedRecords += batch.count
    batch.reject(error)
    this.#accumulator.drop(batch)
  }

  failAll(error: MyKafkaError): void {
    for (const batch of [...this.#accumulator.batches]) this.fail(batch, error)
  }

  #send(): void {
    if (!this.#accumulator.hasReady) return
    if (this.#client === null || this.#client.closed) {
      this.#connect()
      return
    }
    while (this.#flights < this.#options.maxInFlight && this.#sendTogether(this.#client)) {
      // One request after another, as many as may be under way.
    }
  }

  /** Whether there was something to send. */
  #sendTogether(client: Client): boolean {
    const flight = { left: 0 }
    let room = Number.POSITIVE_INFINITY
    for (let batch = this.#accumulator.take(room); batch !== null; batch = this.#accumulator.take(room)) {
      if (flight.left === 0) room = this.#options.maxRequestSize
      room -= batch.frameBytes
      flight.left++
      this.#produce(client, batch, flight)
    }
    if (flight.left === 0) return false
    this.#flights++
    return true
  }

  #produce(client: Client, batch: ProducerBatch, flight: Flight): void {
    if (batch.attempts++ > 0) this.figures.retries++
    const answered = (result: ProduceResult): void => {
      this.#answered(batch, result)
      this.#landed(flight)
    }
    const failed = (error: unknown): void => {
      this.#failed(batch, asMyKafkaError(error))
      this.#landed(flight)
    }
    client.produceFrame(batch.queue.topic, batch.frame()).then(answered, failed)
  }

  #landed(flight: Flight): void {
    if (--flight.left > 0) return
    this.#flights--
    if (this.#accumulator.hasReady) this.wake()
  }

  #answered(batch: ProducerBatch, { partition, baseOffset, count }: ProduceResult): void {
    if (partition !== batch.queue.partition || count !== batch.count) {
      const reason = `PRODUCE of ${batch.count} records to partition ${batch.queue.partition} is answered with ${count} in ${partition}`
      this.#giveUp(batch, new MyKafkaError('INVALID_RESPONSE', reason))
      return
    }
    if (!batch.settled) {
      this.figures.records += count
      this.figures.bytes += batch.bytes
      this.figures.batches++
      batch.resolve(baseOffset)
    }
    this.#accumulator.returned(batch)
    batch.release()
  }

  #failed(batch: ProducerBatch, error: MyKafkaError): void {
    batch.lastError = error
    if (error.code === 'UNKNOWN_TOPIC_OR_PARTITION') this.#unknownTopic(batch.queue.topic)
    if (!batch.settled && error.code === 'MESSAGE_TOO_LARGE' && batch.count > 1) {
      this.#accumulator.split(batch)
    } else if (batch.settled || !isRetriable(error) || batch.attempts > this.#options.retries) {
      this.#giveUp(batch, error)
    } else {
      this.#accumulator.requeue(batch, backoffMs(this.#options, batch.attempts - 1))
    }
  }

  /** Of a batch that was under way. */
  #giveUp(batch: ProducerBatch, error: MyKafkaError): void {
    if (!batch.settled) {
      this.figures.failedRecords += batch.count
      batch.reject(error)
    }
    this.#accumulator.returned(batch)
  }

  #connect(): void {
    if (this.#connecting) return
    this.#connecting = true
    // It never rejects.
    void this.#connected().then(() => {
      this.#connecting = false
      if (this.#accumulator.hasReady) this.wake()
    })
  }

  /** As long as there is something to send. What is too old by then expires. */
  async #connected(): Promise<void> {
    for (let failures = 0; this.#accumulator.hasReady; failures++) {
      try {
        this.#client = await this.#transport.client({ signal: this.#signal })
        this.connectionError = null
        return
      } catch (error) {
        if (this.#signal.aborted) return
        this.connectionError = asMyKafkaError(error)
        if (!isRetriable(error)) {
          this.failAll(this.connectionError)
          return
        }
      }
      await sleep(backoffMs(this.#options, failures), this.#signal).catch(() => {})
      if (this.#signal.aborted) return
    }
  }
}
