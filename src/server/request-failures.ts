import { KAFKA_ERRORS, wireCode } from '../errors.js'
import type { Logger } from '../logger.js'
import type { RepeatedFaults } from '../repeated-faults.js'

/** Says which requests failed, in the log as far as it concerns the operator, to the peer by a code. */
export class RequestFailures {
  readonly #logger: Logger
  readonly #faults: RepeatedFaults

  constructor(logger: Logger, faults: RepeatedFaults) {
    this.#logger = logger
    this.#faults = faults
  }

  /** The code that the peer is told. A client's mistake goes to the log at debug only. */
  report(call: string, error: unknown): number {
    const code = wireCode(error)
    if (code !== KAFKA_ERRORS.UNKNOWN_SERVER_ERROR.wire && code !== KAFKA_ERRORS.KAFKA_STORAGE_ERROR.wire) {
      this.#logger.debug({ call, err: error }, 'a request failed')
      return code
    }
    const { errno = '' } = error as { errno?: string }
    // A full disk fails every request.
    this.#faults.report(
      'error',
      `a request failed (${call} ${code} ${errno})`,
      { call, err: error },
      'a request failed',
    )
    return code
  }
}
