import type { Logger } from '../logger.js'
import type { NativeDamage, NativeSegment } from '../native/native.js'

/** A damaged run of bytes in one of a log's files. */
export interface LogDamage extends NativeDamage {
  file: string
}

/** Tells the operator of damages, of each once. */
export class DamageReports {
  readonly #logger: Logger
  readonly #reported = new Set<string>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  report(segment: NativeSegment): void {
    for (const damage of segment.damages()) {
      const key = `${segment.baseOffset}:${damage.position}`
      if (this.#reported.has(key)) continue
      this.#reported.add(key)
      this.#logger.error(
        { file: segment.logPath, ...damage },
        'corruption: damaged bytes in a segment; nothing is deleted, the offsets of the damage are not served',
      )
    }
  }
}
