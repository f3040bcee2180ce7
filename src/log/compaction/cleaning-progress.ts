import { MyKafkaError } from '../../errors.js'
import type { Throttle } from './throttle.js'

/** So much is read by one call to native code, so that a stop does not wait for long. */
const STEP_BYTES = 8 << 20

export interface ProgressOptions {
  throttle: Throttle
  /** Ends the cleaning. */
  signal: AbortSignal
  /** Whether the log is still to be compacted: asked before each step. */
  isWanted?: () => boolean
}

/** Whether a cleaning ended because the log is not to be compacted any more: nothing failed. */
export function isUnwanted(error: unknown): boolean {
  return error instanceof MyKafkaError && error.code === 'POLICY_VIOLATION'
}

/** Counts what a cleaning does, holds it to its rate, and ends it between two steps. */
export class CleaningProgress {
  readonly #options: ProgressOptions
  /** What one step may read. */
  readonly stepBytes: number
  bytesRead = 0
  bytesWritten = 0

  constructor(options: ProgressOptions) {
    this.#options = options
    this.stepBytes = Math.max(1, Math.floor(Math.min(STEP_BYTES, options.throttle.budgetBytes)))
  }

  /** @throws the signal's reason; MyKafkaError POLICY_VIOLATION where the log is not to be compacted any more */
  step(): void {
    this.#options.signal.throwIfAborted()
    if (this.#options.isWanted?.() === false) {
      throw new MyKafkaError('POLICY_VIOLATION', 'the log is not to be compacted any more')
    }
  }

  /** So much was done: waits until the rate allows for more. */
  async done(bytesRead: number, bytesWritten: number): Promise<void> {
    this.bytesRead += bytesRead
    this.bytesWritten += bytesWritten
    await this.#options.throttle.spent(bytesRead + bytesWritten, this.#options.signal)
  }
}
