import { randomFillSync } from 'node:crypto'
import type { Kafka } from '../../client/connect.js'
import type { Producer } from '../../client/producer/producer.js'
import { QuietExit } from '../failure.js'
import { exitCodeOfSignal, onStopSignal, type StopSignal } from '../stop-signals.js'
import { Meter } from './meter.js'
import type { Properties } from './properties.js'
import { Throttle } from './throttle.js'

export interface PerfProduceOptions {
  readonly topic: string
  readonly numRecords: number
  /** Of the value; there is no key. */
  readonly recordSize: number
  /** Records a second; 0 and below: as fast as it goes. */
  readonly throughput: number
  readonly properties: Properties
  readonly json: boolean
}

/** Other letters in each record, as far as they take no more memory: what compresses records must not find them alike. */
const MOST_PAYLOADS = 64
const PAYLOAD_BYTES = 16 << 20
const LETTERS = 26
const FIRST_LETTER = 65

/**
 * Sends records and measures how long each takes to be acknowledged.
 *
 * @throws what the first record that failed failed of, behind the figures
 */
export async function perfProduce(kafka: Kafka, options: PerfProduceOptions): Promise<void> {
  const producer = kafka.producer(options.properties)
  const meter = new Meter({ done: 'sent', latency: 'latency' }, options.json)
  let signal: StopSignal | null = null
  const signals = onStopSignal((name) => {
    signal = name
  })
  try {
    await new Sending(producer, meter, options).run(() => signal !== null)
    await producer.close()
  } finally {
    signals.dispose()
    await meter.finish()
  }
  if (signal !== null) throw new QuietExit(exitCodeOfSignal(signal))
}

class Sending {
  readonly #producer: Producer
  readonly #meter: Meter
  readonly #options: PerfProduceOptions
  #failure: { error: unknown } | null = null

  constructor(producer: Producer, meter: Meter, options: PerfProduceOptions) {
    this.#producer = producer
    this.#meter = meter
    this.#options = options
  }

  async run(stopped: () => boolean): Promise<void> {
    const { numRecords, throughput, recordSize } = this.#options
    const throttle = new Throttle(throughput <= 0 ? Number.POSITIVE_INFINITY : throughput)
    const payloads = Array.from({ length: payloadCount(this.#options) }, () => letters(recordSize))
    for (let sent = 0; sent < numRecords && !stopped() && this.#failure === null; ) {
      const last = this.#send(payloads[sent % payloads.length] as Buffer)
      sent++
      // It waits for memory: so do we.
      if (this.#producer.statistics().queue.waiting > 0) await last
      const wait = throttle.wait(sent)
      if (wait !== undefined) await wait
    }
    await this.#producer.flush()
    if (this.#failure !== null) throw this.#failure.error
  }

  #send(value: Buffer): Promise<void> {
    const startedAt = performance.now()
    return this.#producer.send({ topic: this.#options.topic, value }).then(
      () => {
        this.#meter.latency(performance.now() - startedAt)
        this.#meter.add(1, value.length)
      },
      (error: unknown) => {
        this.#failure ??= { error }
      },
    )
  }
}

function payloadCount({ numRecords, recordSize }: PerfProduceOptions): number {
  const fitting = Math.floor(PAYLOAD_BYTES / Math.max(recordSize, 1))
  return Math.max(1, Math.min(MOST_PAYLOADS, numRecords, fitting))
}

function letters(length: number): Buffer {
  const bytes = randomFillSync(Buffer.alloc(length))
  for (let i = 0; i < length; i++) bytes[i] = FIRST_LETTER + ((bytes[i] as number) % LETTERS)
  return bytes
}
