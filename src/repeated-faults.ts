import type { Logger } from './logger.js'

/** One line for so long about faults of one kind: who does harm does it often. */
const QUIET_MS = 10_000

interface Kind {
  readonly level: 'warn' | 'error'
  readonly timer: NodeJS.Timeout
  /** Since the last line. */
  unsaid: number
}

/** Says a fault once, with all that there is to say; those of its kind that follow soon are counted, and the count is said. */
export class RepeatedFaults {
  readonly #logger: Logger
  readonly #quietMs: number
  readonly #kinds = new Map<string, Kind>()

  constructor(logger: Logger, quietMs = QUIET_MS) {
    this.#logger = logger
    this.#quietMs = quietMs
  }

  /** @param kind - one of a few: it bears nothing that a peer can choose */
  report(level: 'warn' | 'error', kind: string, fields: object, message: string): void {
    const known = this.#kinds.get(kind)
    if (known !== undefined) {
      known.unsaid++
      return
    }
    const timer = setInterval(() => this.#sumUp(kind), this.#quietMs)
    timer.unref()
    this.#kinds.set(kind, { level, timer, unsaid: 0 })
    this.#logger[level](fields, message)
  }

  /** Says what was only counted. */
  close(): void {
    for (const [name, kind] of this.#kinds) this.#say(name, kind)
    for (const { timer } of this.#kinds.values()) clearInterval(timer)
    this.#kinds.clear()
  }

  #sumUp(name: string): void {
    const kind = this.#kinds.get(name) as Kind
    if (kind.unsaid > 0) {
      this.#say(name, kind)
      return
    }
    clearInterval(kind.timer)
    this.#kinds.delete(name)
  }

  #say(name: string, kind: Kind): void {
    if (kind.unsaid === 0) return
    this.#logger[kind.level]({ kind: name, more: kind.unsaid }, `${kind.unsaid} more: ${name}`)
    kind.unsaid = 0
  }
}

/**
 * The same logger, but of what is merely told there are so many lines in a while; the others are counted. For what
 * strangers can make happen as often as they like.
 */
export class FewLines implements Logger {
  readonly #logger: Logger
  readonly #most: number
  readonly #about: string
  readonly #quietMs: number
  #told = 0
  #timer: NodeJS.Timeout | undefined

  constructor(logger: Logger, most: number, about: string, quietMs = QUIET_MS) {
    this.#logger = logger
    this.#most = most
    this.#about = about
    this.#quietMs = quietMs
  }

  debug(fields: object, message: string): void {
    this.#logger.debug(fields, message)
  }

  info(fields: object, message: string): void {
    if (this.#told === 0) this.#timer = setTimeout(() => this.#sumUp(), this.#quietMs).unref()
    if (++this.#told <= this.#most) this.#logger.info(fields, message)
  }

  warn(fields: object, message: string): void {
    this.#logger.warn(fields, message)
  }

  error(fields: object, message: string): void {
    this.#logger.error(fields, message)
  }

  /** Says what was only counted. */
  close(): void {
    clearTimeout(this.#timer)
    this.#sumUp()
  }

  #sumUp(): void {
    const more = this.#told - this.#most
    if (more > 0) this.#logger.info({ more }, `${more} more about ${this.#about}`)
    this.#told = 0
  }
}
