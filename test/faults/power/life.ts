import type { EndPlan } from './plan.js'

/** What was answered: records, commits of offsets, changes of topics. */
export type Answer = 'records' | 'commits' | 'topics'

/** One life of a broker, from its start to its bad end. */
export class Life {
  /** Resolves when it is time for the end. */
  readonly due: Promise<void>
  readonly failures: string[] = []
  readonly #acknowledged = new Map<string, { answer: Answer; count: number }>()
  readonly #timer: NodeJS.Timeout
  readonly #signal: AbortSignal
  #due: () => void = () => {}
  #isEnding = false
  #isOver = false
  #isAnswering = true
  #left: number
  readonly #counts: (answer: Answer) => boolean

  constructor({ afterMs, afterAnswers }: EndPlan, signal: AbortSignal) {
    this.due = new Promise((resolve) => {
      this.#due = resolve
    })
    this.#left = afterAnswers?.count ?? Number.POSITIVE_INFINITY
    this.#counts = (answer) => afterAnswers?.kind === 'any' || afterAnswers?.kind === answer
    this.#timer = setTimeout(this.#due, afterMs)
    this.#signal = signal
    signal.addEventListener('abort', this.#due)
  }

  /** Whether nothing more is asked of the broker. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** From now on calls may fail. */
  ending(): void {
    this.#isEnding = true
    clearTimeout(this.#timer)
    this.#signal.removeEventListener('abort', this.#due)
  }

  /**
   * Whether answers count. Of a disk without power they do not: an fdatasync that is under way when ext4 is shut down may
   * return 0 for what never reaches the disk (some of a thousand do), which no process lives to see behind power loss.
   */
  get isAnswering(): boolean {
    return this.#isAnswering
  }

  unplugged(): void {
    this.#isAnswering = false
  }

  over(): void {
    this.#isOver = true
  }

  /** Something was acknowledged that was asked for in this mode. */
  acknowledged(answer: Answer, mode: string, count: number): void {
    const sum = this.#acknowledged.get(mode) ?? { answer, count: 0 }
    sum.count += count
    this.#acknowledged.set(mode, sum)
    if (this.#counts(answer) && --this.#left === 0) this.#due()
  }

  /** By mode. */
  get counts(): ReadonlyMap<string, { answer: Answer; count: number }> {
    return this.#acknowledged
  }

  /** A call failed: before the end that is a failure of the broker's. */
  failed(error: unknown): void {
    if (this.#isEnding) return
    this.failures.push(`a call failed before the end: ${error instanceof Error ? error.message : error}`)
    this.#due()
  }

  /** Does the work over and over, so many at a time, until the broker is gone or there is no more of it. */
  async keepUp(inFlight: number, work: () => Promise<'more' | 'enough'>): Promise<void> {
    let isLost = false
    const one = async (): Promise<void> => {
      while (!isLost && !this.#isOver) {
        try {
          if ((await work()) === 'enough') return
        } catch (error) {
          isLost = true
          this.failed(error)
        }
      }
    }
    await Promise.all(Array.from({ length: inFlight }, one))
  }
}
