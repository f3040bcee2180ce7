import { hash } from 'node:crypto'
import { closeSync, openSync, writeSync } from 'node:fs'
import type { Line, Result } from './format.js'

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never
/** What is known when a call is made. */
export type Asked = Without<Line, 'begin' | 'end' | 'result' | 'why'>

const BUFFERED = 1 << 16

/** How calls end of which nobody can tell whether they happened. */
const UNDECIDED = new Set([
  'REQUEST_TIMED_OUT',
  'CONNECTION_CLOSED',
  'NETWORK_EXCEPTION',
  'INVALID_RESPONSE',
  'KAFKA_STORAGE_ERROR',
  'ABORTED',
  'CLIENT_CLOSED',
])

/** Microseconds of the monotonic clock, the same in all processes. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** What tells a record from others, as histories have it. Of a tombstone its key does; `~` marks it. */
export function digestOf(key: Uint8Array | string | null, value: Uint8Array | string | null): string {
  const keyed = key === null ? '' : shortHash(key)
  return value === null ? `~${keyed}` : shortHash(`${keyed}${shortHash(value)}`)
}

function shortHash(bytes: Uint8Array | string): string {
  return hash('sha1', bytes, 'base64').slice(0, 12)
}

/** A call that is under way. */
export class Call {
  readonly #asked: Asked
  readonly #begin: number
  readonly #write: (call: Call, line: object) => void

  constructor(asked: Asked, begin: number, write: (call: Call, line: object) => void) {
    this.#asked = asked
    this.#begin = begin
    this.#write = write
  }

  /** It was answered; `answer` has what the answer adds. */
  ok(answer: object = {}): void {
    this.#settle('ok', { end: now(), ...answer })
  }

  /** It was refused, and did not happen. */
  no(why: string): void {
    this.#settle('no', { end: now(), why })
  }

  /** Nobody knows whether it happened. */
  unknown(why: string): void {
    this.#settle('unknown', { end: null, why })
  }

  /** It threw: what that means goes by the error's code. */
  failed(error: unknown): void {
    const code = (error as { code?: unknown }).code
    if (typeof code !== 'string' || UNDECIDED.has(code) || /^E[A-Z]+$/.test(code)) this.unknown(String(code ?? error))
    else this.no(code)
  }

  #settle(result: Result, answer: object): void {
    const { on, ...asked } = this.#asked
    this.#write(this, { on, ...asked, begin: this.#begin, result, ...answer })
  }
}

/** Writes the history of one client. What is under way when it is closed is written as unknown. */
export class Recorder {
  readonly #file: number
  readonly #underWay = new Set<Call>()
  #lines: string[] = []
  #length = 0
  #closed = false

  constructor(path: string) {
    this.#file = openSync(path, 'w')
  }

  /** A call is made: `asked` says what. Where a client asked by itself before, `begin` says since when it may have. */
  begin(asked: Asked, begin = now()): Call {
    const call = new Call(asked, begin, (settled, line) => {
      // An answer that comes behind the end of the history, or a second time, is none.
      if (!this.#underWay.delete(settled)) return
      const text = `${JSON.stringify(line)}\n`
      this.#lines.push(text)
      this.#length += text.length
      if (this.#length > BUFFERED) this.#flush()
    })
    if (!this.#closed) this.#underWay.add(call)
    return call
  }

  /** Makes a call and records how it ended; throws what it throws. */
  async record<T>(asked: Asked, ask: () => Promise<T>, answered: (result: T) => object = () => ({})): Promise<T> {
    const call = this.begin(asked)
    try {
      const result = await ask()
      call.ok(answered(result))
      return result
    } catch (error) {
      call.failed(error)
      throw error
    }
  }

  close(): void {
    this.#closed = true
    for (const call of [...this.#underWay]) call.unknown('no answer by the end')
    this.#flush()
    closeSync(this.#file)
  }

  #flush(): void {
    writeSync(this.#file, this.#lines.join(''))
    this.#lines = []
    this.#length = 0
  }
}
