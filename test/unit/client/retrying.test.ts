import { describe, expect, it } from 'vitest'
import { abortable, backoffMs, isRetriable, retrying, sleep, UNKNOWN_TOPIC } from '../../../src/client/retrying.js'
import { MyKafkaError } from '../../../src/errors.js'

const AT_ONCE = { retryBackoffMs: 0, retryBackoffMaxMs: 0 }
const MINUTE = 60_000
const refused = (): MyKafkaError => new MyKafkaError('NETWORK_EXCEPTION')

describe('the wait between attempts', () => {
  it('doubles up to its limit, a fifth more or less', () => {
    const backoff = { retryBackoffMs: 100, retryBackoffMaxMs: 1000 }
    const terms = [100, 200, 400, 800, 1000, 1000]
    terms.forEach((term, failures) => {
      for (let i = 0; i < 50; i++) {
        const wait = backoffMs(backoff, failures)
        expect(wait).toBeGreaterThanOrEqual(term * 0.8)
        expect(wait).toBeLessThanOrEqual(Math.min(term * 1.2, 1000))
      }
    })
    expect(backoffMs(backoff, 1e6)).toBe(1000)
  })
})

describe('retrying', () => {
  it('repeats what fails in a retriable way until it succeeds', async () => {
    let attempts = 0
    const done = await retrying({ backoff: AT_ONCE, timeoutMs: MINUTE }, async () => {
      if (++attempts < 5) throw refused()
      return 'done'
    })
    expect([done, attempts]).toEqual(['done', 5])
  })

  it('ends with what is not retriable', async () => {
    let attempts = 0
    const failing = retrying({ backoff: AT_ONCE, timeoutMs: MINUTE }, async () => {
      attempts++
      throw new MyKafkaError('INVALID_TOPIC_EXCEPTION')
    })
    await expect(failing).rejects.toMatchObject({ code: 'INVALID_TOPIC_EXCEPTION' })
    expect(attempts).toBe(1)
  })

  it('ends with an error that is final here', async () => {
    const failing = retrying({ backoff: AT_ONCE, timeoutMs: MINUTE, final: UNKNOWN_TOPIC }, async () => {
      throw new MyKafkaError('UNKNOWN_TOPIC_OR_PARTITION')
    })
    await expect(failing).rejects.toMatchObject({ code: 'UNKNOWN_TOPIC_OR_PARTITION', retriable: true })
  })

  it('ends when any of the signals aborts', async () => {
    const controllers = [new AbortController(), new AbortController()] as const
    const signals = controllers.map(({ signal }) => signal)
    const failing = retrying({ backoff: AT_ONCE, timeoutMs: MINUTE, signals }, () => new Promise<never>(() => {}))
    controllers[1].abort()
    await expect(failing).rejects.toMatchObject({ code: 'ABORTED' })
  })

  it('ends with the last failure behind so many repetitions', async () => {
    let attempts = 0
    const failing = retrying({ backoff: AT_ONCE, timeoutMs: MINUTE, retries: 3 }, async () => {
      throw new MyKafkaError('NETWORK_EXCEPTION', `attempt ${++attempts}`)
    })
    await expect(failing).rejects.toThrow('attempt 4')
  })

  it('ends in time, with the last failure, though an attempt hangs', async () => {
    let attempts = 0
    const signals: AbortSignal[] = []
    const failing = retrying({ backoff: AT_ONCE, timeoutMs: 30 }, (signal) => {
      signals.push(signal)
      return ++attempts === 1 ? Promise.reject(refused()) : new Promise<never>(() => {})
    })
    await expect(failing).rejects.toMatchObject({ code: 'NETWORK_EXCEPTION' })
    expect(signals.at(-1)?.aborted).toBe(true)
    const hanging = retrying({ backoff: AT_ONCE, timeoutMs: 10 }, () => new Promise<never>(() => {}))
    await expect(hanging).rejects.toMatchObject({ code: 'REQUEST_TIMED_OUT' })
  })

  it('ends with its signal, in an attempt and between two', async () => {
    const limits = { backoff: { retryBackoffMs: MINUTE, retryBackoffMaxMs: MINUTE }, timeoutMs: MINUTE }
    const [inAttempt, between] = [new AbortController(), new AbortController()]
    const hanging = retrying({ ...limits, signal: inAttempt.signal }, () => new Promise<never>(() => {}))
    inAttempt.abort(new Error('why'))
    await expect(hanging).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'why' } })
    const waiting = retrying({ ...limits, signal: between.signal }, () => Promise.reject(refused()))
    setImmediate(() => between.abort())
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' })
    const never = retrying({ ...limits, signal: AbortSignal.abort() }, () => Promise.reject(new Error('was tried')))
    await expect(never).rejects.toMatchObject({ code: 'ABORTED' })
  })
})

it('a client that is closed is not tried again', () => {
  expect(isRetriable(new MyKafkaError('CONNECTION_CLOSED'))).toBe(true)
  expect(isRetriable(new MyKafkaError('REQUEST_TIMED_OUT'))).toBe(true)
  expect(isRetriable(new MyKafkaError('CLIENT_CLOSED'))).toBe(false)
  expect(isRetriable(new MyKafkaError('ABORTED'))).toBe(false)
  expect(isRetriable(new TypeError('a bug'))).toBe(false)
})

it('hundreds may wait for one signal, which keeps none of them', async () => {
  const { signal } = new AbortController()
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  await Promise.all(Array.from({ length: 500 }, () => abortable(sleep(0, signal), signal)))
  await new Promise(setImmediate)
  process.off('warning', note)
  expect(warnings).toEqual([])
})
