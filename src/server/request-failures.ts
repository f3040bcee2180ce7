import { KAFKA_ERRORS, wireCode } from '../errors.js'
import type { Logger } from '../logger.js'

/** One line for so long about failures of one kind: a full disk fails every request. */
const QUIET_MS = 10_000

/** Says which requests failed, in the log as far as it concerns the operator, to the peer by a code. */
export class RequestFailures {
  readonly #logger: Logger
  readonly #kinds = new Map<string, { since: number; unsaid: number }>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** The code that the peer is told. A client's mistake goes to the log at debug only. */
  report(call: string, error: unknown): number {
    const code = wireCode(error)
    if (code !== KAFKA_ERRORS.UNKNOWN_SERVER_ERROR.wire && code !== KAFKA_ERRORS.KAFKA_STORAGE_ERROR.wire) {
      this.#logger.debug({ call, err: error }, 'a request failed')
      return code
    }
    const { errno = '' } = error as { errno?: string }
    const kind = `${call} ${code} ${errno}`
    const now = Date.now()
    const known = this.#kinds.get(kind)
    if (known !== undefined && now - known.since < QUIET_MS) {
      known.unsaid++
      return code
    }
    this.#kinds.set(kind, { since: now, unsaid: 0 })
    this.#logger.error({ call, err: error, failuresUnsaid: known?.unsaid ?? 0 }, 'a request failed')
    return code
  }
}
