import { MyKafkaError } from '../errors.js'

/** How to reach a broker. */
export interface ClientOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined
  /** Default 9092. */
  readonly port?: number | undefined
  /** Default 10 seconds. */
  readonly connectTimeoutMs?: number | undefined
  /** How long a request may go unanswered before the connection is given up. Default 30 seconds. */
  readonly requestTimeoutMs?: number | undefined
  /** Checks the CRC of every record fetched. Default true, as Kafka's check.crcs. */
  readonly checkCrcs?: boolean | undefined
  /** Ends an attempt to connect. */
  readonly signal?: AbortSignal | undefined
}

/** The same with everything decided. */
export interface ResolvedClientOptions {
  readonly host: string
  readonly port: number
  readonly connectTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly checkCrcs: boolean
  readonly signal: AbortSignal | undefined
}

/** The largest of Kafka's int, the type of its settings. */
export const MAX_INT32 = 0x7fffffff
/** Node.js has no longer timer. */
export const MAX_TIMER = 0x7fffffff

/**
 * Checks options and fills in what is not said.
 *
 * @throws MyKafkaError INVALID_ARGUMENT
 */
export function resolveOptions(options: ClientOptions): ResolvedClientOptions {
  return {
    host: options.host ?? '127.0.0.1',
    port: checkInteger('port', options.port ?? 9092, 1, 65535),
    connectTimeoutMs: checkInteger('connectTimeoutMs', options.connectTimeoutMs ?? 10_000, 1, MAX_TIMER),
    requestTimeoutMs: checkInteger('requestTimeoutMs', options.requestTimeoutMs ?? 30_000, 1, MAX_TIMER),
    checkCrcs: options.checkCrcs ?? true,
    signal: options.signal,
  }
}

/**
 * The value, where it is an integer within its bounds.
 *
 * @throws MyKafkaError INVALID_ARGUMENT
 */
export function checkInteger(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value
  throw new MyKafkaError('INVALID_ARGUMENT', `${name} must be an integer from ${least} to ${most}, not ${value}`)
}
