import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '../../../src/client/index.js'
import { isFailedCall } from '../history/clients/world.js'
import { quantileOf } from './trend.js'

const TOPIC = 'probe'
const EVERY_MS = 50
const TIMEOUT_MS = 10_000

export interface Latencies {
  readonly count: number
  /** Milliseconds from when a record was to be sent until it was read. */
  readonly p50: number
  readonly p99: number
}

/**
 * A producer that sends a record at a fixed rate, and a consumer that waits for it: what a user notices of the load.
 * A record that is late counts from when it was to be sent. While the broker is away nothing is measured.
 */
export class Probe {
  readonly #port: number
  readonly #until: AbortSignal
  #latencies: number[] = []

  constructor(port: number, until: AbortSignal) {
    this.#port = port
    this.#until = until
  }

  async run(): Promise<void> {
    while (!this.#until.aborted) {
      const clients: Client[] = []
      try {
        for (let i = 0; i < 2; i++)
          clients.push(await Client.connect({ port: this.#port, requestTimeoutMs: TIMEOUT_MS }))
        const [producer, consumer] = clients as [Client, Client]
        const [topic] = await consumer.metadata(TOPIC)
        const from = topic?.partitions[0]?.highWatermark ?? 0
        await Promise.all([this.#produce(producer), this.#consume(consumer, from)])
      } catch (error) {
        if (!isFailedCall(error)) throw error
      } finally {
        for (const client of clients) await client.close()
      }
      await sleep(100)
    }
  }

  /** What was measured since it was last asked for. */
  take(): Latencies {
    const latencies = this.#latencies
    this.#latencies = []
    return { count: latencies.length, p50: quantileOf(latencies, 0.5), p99: quantileOf(latencies, 0.99) }
  }

  async #produce(client: Client): Promise<void> {
    let failed: unknown = null
    for (let due = performance.now(); !this.#until.aborted; due += EVERY_MS) {
      await sleep(Math.max(0, due - performance.now()))
      client.produce(TOPIC, [{ value: String(due) }], { partition: 0 }).catch((error: unknown) => {
        failed = error
      })
      if (failed !== null) throw failed
    }
    // So that the consumer comes to its end.
    await client.produce(TOPIC, [{ value: '' }], { partition: 0 })
  }

  async #consume(client: Client, from: number): Promise<void> {
    for (let offset = from; !this.#until.aborted; ) {
      await client.awaitRecords([{ topic: TOPIC, partition: 0, offset }], { maxWaitMs: TIMEOUT_MS / 2 })
      const records = await client.fetch(TOPIC, 0, offset)
      const now = performance.now()
      for (const { value } of records) if (value !== null && value.length > 0) this.#latencies.push(now - Number(value))
      offset = (records.at(-1)?.offset ?? offset - 1) + 1
    }
  }
}
