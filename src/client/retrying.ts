import { setMaxListeners } from 'node:events'
import { type ErrorCode, MyKafkaError } from '../errors.js'
import { MAX_TIMER } from './options.js'

/** Kafka's, of KIP-580: a wait is up to a fifth shorter or longer than its term. */
const JITTER = 0.2
const MAX_DOUBLINGS = 30

/** How long to wait between attempts. */
export interface Backoff {
  /** Before the first repetition; before each further one twice as long. */
  readonly retryBackoffMs: number
  readonly retryBackoffMaxMs: number
}

/** How to repeat what fails. */
export interface RetryOptions {
  readonly backoff: Backoff
  /** In all, the attempts and the waits between them. */
  readonly timeoutMs: number
  /** Repetitions at most. Default: as many as the time allows. */
  readonly retries?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** More of them. */
  readonly signals?: readonly (AbortSignal | undefined)[] | undefined
  /** Retriable errors that are told at once. */
  readonly final?: ReadonlySet<ErrorCode> | undefined
}

/** They pass in a cluster whose brokers learn of a topic one after another. Here the broker that answers knows. */
export const UNKNOWN_TOPIC: ReadonlySet<ErrorCode> = new Set(['UNKNOWN_TOPIC_OR_PARTITION', 'UNKNOWN_TOPIC_ID'])

/** Whether the same call may succeed later: Kafka's retriable errors, a connection that is gone or cannot be had. */
export function isRetriable(error: unknown): error is MyKafkaError {
  return error instanceof MyKafkaError && error.retriable
}

/** The wait behind so many failures in a row, 0 for the first. It doubles, with jitter, up to the limit. */
export function backoffMs({ retryBackoffMs, retryBackoffMaxMs }: Backoff, failures: number): number {
  const term = retryBackoffMs * 2 ** Math.min(failures, MAX_DOUBLINGS)
  const factor = 1 - JITTER + Math.random() * 2 * JITTER
  return Math.min(term * factor, retryBackoffMaxMs)
}

/** What a call is rejected with whose signal has aborted: the reason, where that is an error of ours, else ABORTED. */
export function abortError(signal: AbortSignal, what = 'the call was aborted'): MyKafkaError {
  const reason: unknown = signal.reason
  return reason instanceof MyKafkaError ? reason : new MyKafkaError('ABORTED', what, { cause: reason })
}

/** The same promise, which nobody has to await: its rejection is not reported as unhandled. */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}

/** Follows the promise until the signal aborts; what becomes of the promise behind that is dropped. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined, what?: string): Promise<T> {
  if (signal === undefined) return promise
  promise.catch(() => {})
  if (signal.aborted) return Promise.reject(abortError(signal, what))
  return new Promise<T>((resolve, reject) => {
    const stopListening = onAbort(signal, () => reject(abortError(signal, what)))
    promise.then(resolve, reject).finally(stopListening)
  })
}

/**
 * Waits.
 *
 * @throws MyKafkaError ABORTED by the signal
 */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(abortError(signal))
      return
    }
    const timer = setTimeout(
      () => {
        stopListening?.()
        resolve()
      },
      Math.min(milliseconds, MAX_TIMER),
    )
    const stopListening =
      signal &&
      onAbort(signal, () => {
        clearTimeout(timer)
        reject(abortError(signal))
      })
  })
}

/** What ends a work before its end. */
export interface Limits {
  readonly timeoutMs: number
  /** What is thrown behind the time. */
  readonly late: () => MyKafkaError
  readonly signals: readonly (AbortSignal | undefined)[]
}

/**
 * Runs under several signals: each of them aborts the one that it gets. Nothing of it is left at them behind the end, as is
 * of AbortSignal.any: they may live as long as the program.
 */
export async function underSignals<T>(
  signals: readonly (AbortSignal | undefined)[],
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ending = new AbortController()
  const listening = signals.map((signal) => signal && onAbort(signal, () => ending.abort(abortError(signal))))
  try {
    return await run(ending.signal)
  } finally {
    for (const stopListening of listening) stopListening?.()
  }
}

/** Follows a work until it ends, the time is over or one of the signals aborts. The work is told by its signal. */
export async function within<T>(
  { timeoutMs, late, signals }: Limits,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const time = new AbortController()
  const timer = setTimeout(() => time.abort(late()), Math.min(timeoutMs, MAX_TIMER))
  try {
    return await underSignals([...signals, time.signal], async (ending) => {
      if (ending.aborted) throw abortError(ending)
      return await abortable(work(ending), ending)
    })
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Repeats what fails in a retriable way, until it succeeds, the time is over or the signal aborts. The attempt gets a
 * signal that tells it of both.
 *
 * @throws what the last attempt threw; REQUEST_TIMED_OUT where none came to its end in time; ABORTED by the signal
 */
export function retrying<T>(
  { backoff, timeoutMs, retries = Number.POSITIVE_INFINITY, signal, signals = [], final }: RetryOptions,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  let failure = new MyKafkaError('REQUEST_TIMED_OUT', `not done in ${timeoutMs} ms`)
  return within({ timeoutMs, late: () => failure, signals: [signal, ...signals] }, async (ending) => {
    for (let failures = 0; ; failures++) {
      try {
        return await attempt(ending)
      } catch (error) {
        if (ending.aborted || !isRetriable(error) || final?.has(error.code) || failures >= retries) throw error
        failure = error
      }
      await sleep(backoffMs(backoff, failures), ending)
    }
  })
}

/** Calls the listener once, now where the signal has aborted already. The returned function takes it back. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener()
    return () => {}
  }
  // Everything that is under way listens to the one signal of its program.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', listener, { once: true })
  return () => signal.removeEventListener('abort', listener)
}
