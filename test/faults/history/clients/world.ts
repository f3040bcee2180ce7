/** What the clients of a round share, and how they come to the broker again when it was away. */
import { setMaxListeners } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '../../../../src/client/index.js'
import { KafkaConnection } from '../../../../src/client/kafka-connection.js'
import { resolveOptions } from '../../../../src/client/options.js'
import { MyKafkaError } from '../../../../src/errors.js'
import { type Random, seededRandom } from '../../../support/seeded-random.js'
import { Recorder } from '../recorder.js'

/** Below what a broker may be stopped for: then clients give up, and come again. */
const REQUEST_TIMEOUT_MS = 1500

export class World {
  readonly port: number
  readonly #directory: string
  readonly #seed: number
  readonly #recorders: Recorder[] = []
  readonly #stopping = new AbortController()
  #clients = 0
  #isAbandoned = false

  /** @param port - where the broker can be reached, whatever becomes of it */
  constructor(port: number, directory: string, seed: number) {
    // Everyone who pauses listens.
    setMaxListeners(0, this.#stopping.signal)
    this.port = port
    this.#directory = directory
    this.#seed = seed
  }

  /** Clients begin nothing new, and bring what they have to an end. */
  get isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** Clients end with an error: the broker does not come back. */
  abandon(): void {
    this.#isAbandoned = true
    this.stop()
  }

  /** What a client of this name writes with, and what it decides by. */
  client(name: string): { recorder: Recorder; random: Random } {
    const recorder = new Recorder(join(this.#directory, `${name}.jsonl`))
    this.#recorders.push(recorder)
    return { recorder, random: seededRandom(this.#seed * 1000 + this.#clients++) }
  }

  close(): void {
    for (const recorder of this.#recorders) recorder.close()
  }

  mykafka = (): Promise<Client> => Client.connect(this.#options())

  kafka = (): Promise<KafkaConnection> => KafkaConnection.open(resolveOptions(this.#options()))

  /** Waits for a time, or until the round stops. */
  async pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }

  /** Connects, and again whenever `use` ends by an error of a call; until `use` returns. */
  async connected<T extends { close(): Promise<void> }>(
    connect: () => Promise<T>,
    use: (connection: T) => Promise<void>,
  ): Promise<void> {
    for (;;) {
      if (this.#isAbandoned) throw new Error('the round does not come to its end')
      let connection: T | undefined
      try {
        connection = await connect()
        await use(connection)
        return
      } catch (error) {
        if (!isFailedCall(error)) throw error
      } finally {
        await connection?.close()
      }
      await sleep(20)
    }
  }

  /** Keeps requests under way on a connection until the round stops; throws what the first that failed threw. */
  async pipelined(inFlight: number, request: () => Promise<void>): Promise<void> {
    const failures: unknown[] = []
    const underWay: Promise<void>[] = []
    while (!this.isStopping && failures.length === 0) {
      underWay.push(request().catch((error: unknown) => void failures.push(error)))
      if (underWay.length >= inFlight) await underWay.shift()
    }
    await Promise.all(underWay)
    if (failures.length > 0) throw failures[0]
  }

  #options() {
    return { port: this.port, requestTimeoutMs: REQUEST_TIMEOUT_MS, connectTimeoutMs: REQUEST_TIMEOUT_MS }
  }
}

/** What a client that is up to something else meets: everything else is a fault of the harness. */
export function isFailedCall(error: unknown): boolean {
  return error instanceof MyKafkaError || /^E[A-Z]+$/.test(String((error as { code?: unknown }).code))
}
