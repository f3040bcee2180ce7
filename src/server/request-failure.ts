import { KAFKA_ERRORS, wireCode } from '../errors.js'
import type { Logger } from '../logger.js'

/** The code that the peer is told. What the operator must know goes to the log; a client's mistake only at debug. */
export function reportFailure(logger: Logger, call: string, error: unknown): number {
  const code = wireCode(error)
  const operators = code === KAFKA_ERRORS.UNKNOWN_SERVER_ERROR.wire || code === KAFKA_ERRORS.KAFKA_STORAGE_ERROR.wire
  logger[operators ? 'error' : 'debug']({ call, err: error }, 'a request failed')
  return code
}
