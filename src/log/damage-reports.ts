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

  /** @param damaged - an offset that could not be read: in none of the damages where its bytes were right before */
  report(segment: NativeSegment, damaged?: number): void {
    const damages = segment.damages()
    for (const damage of damages) {
      const key = `${segment.baseOffset}:${damage.position}`
      if (this.#reported.has(key)) continue
      this.#reported.add(key)
      this.#logger.error(
        { file: segment.logPath, ...damage },
        'corruption: damaged bytes in a segment; nothing is deleted, the offsets of the damage are not served',
      )
    }
    if (damaged === undefined || damages.some((range) => range.firstOffset <= damaged && damaged < range.nextOffset))
      return
    const key = `${segment.baseOffset}`
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    this.#logger.error(
      { file: segment.logPath, offset: damaged },
      'corruption: bytes of a segment that were right are not any more; what is damaged is not served',
    )
  }
}
