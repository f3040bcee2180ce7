import { errorFromWire, MyKafkaError } from '../../errors.js'
import type { Client } from '../client.js'
import type { KafkaConnection } from '../kafka-connection.js'
import { checkInteger, MAX_INT32 } from '../options.js'
import { type CallOptions, retrying, type Transport, UNKNOWN_TOPIC } from '../transport.js'

/** How an {@link Admin} asks. */
export interface AdminOptions {
  /** How long a call may take, with its repetitions (`default.api.timeout.ms`). Default 60 seconds. */
  readonly defaultApiTimeoutMs?: number | undefined
  /** How often a question is repeated (`retries`). Default: as often as the time allows. */
  readonly retries?: number | undefined
}

/** How a response of Kafka's tells of the error of one item. */
interface Outcome {
  readonly errorCode: number
  readonly errorMessage?: string | null | undefined
}

const DEFAULT_API_TIMEOUT_MS = 60_000

/**
 * How Admin asks: over MyKafka's wire what it can say, over Kafka's what it cannot. A question is repeated where the
 * connection went away or the broker's error is one that passes.
 */
export class AdminCalls {
  readonly #transport: Transport
  readonly #timeoutMs: number
  readonly #retries: number
  readonly #closing = new AbortController()

  /** @throws MyKafkaError INVALID_ARGUMENT */
  constructor(transport: Transport, { defaultApiTimeoutMs, retries }: AdminOptions = {}) {
    this.#transport = transport
    this.#timeoutMs = checkInteger('defaultApiTimeoutMs', defaultApiTimeoutMs ?? DEFAULT_API_TIMEOUT_MS, 1, MAX_INT32)
    this.#retries = checkInteger('retries', retries ?? MAX_INT32, 0, MAX_INT32)
  }

  get closed(): boolean {
    return this.#closing.signal.aborted
  }

  /** What is under way, and what is asked later, is rejected with CLIENT_CLOSED. */
  close(): void {
    this.#closing.abort(new MyKafkaError('CLIENT_CLOSED'))
  }

  /** What the broker is told to take at most for a change. */
  get requestTimeoutMs(): number {
    return this.#transport.options.requestTimeoutMs
  }

  mykafka<T>(options: CallOptions | undefined, ask: (client: Client) => Promise<T>): Promise<T> {
    return this.#ask(options, async (signal) => ask(await this.#transport.client({ signal })))
  }

  kafka<T>(options: CallOptions | undefined, ask: (connection: KafkaConnection) => Promise<T>): Promise<T> {
    return this.#ask(options, async (signal) => ask(await this.#transport.kafka({ signal })))
  }

  #ask<T>(options: CallOptions | undefined, attempt: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const retry = {
      backoff: this.#transport.options,
      timeoutMs: this.#timeoutMs,
      retries: this.#retries,
      signals: [this.#closing.signal, options?.signal],
      final: UNKNOWN_TOPIC,
    }
    return retrying(retry, attempt)
  }
}

/**
 * The outcome, where it is none of an error. What the broker says of the reason is told where it says something.
 *
 * @throws MyKafkaError the broker's; INVALID_RESPONSE where it left the item out
 */
export function requireDone<T extends Outcome>(outcome: T | undefined, asked: string): T {
  if (outcome === undefined) throw new MyKafkaError('INVALID_RESPONSE', `${asked}: the broker left it out`)
  if (outcome.errorCode === 0) return outcome
  const error = errorFromWire(outcome.errorCode, asked)
  throw outcome.errorMessage ? new MyKafkaError(error.code, outcome.errorMessage) : error
}
