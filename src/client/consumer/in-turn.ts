import { abortable, abortError } from '../transport.js'

/** Works that run one after another, in the order of the calls. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve()

  /** @throws MyKafkaError ABORTED by the signal, at once; a work that has not begun does not begin then */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const turn = this.#last.then(() => {
      if (signal?.aborted === true) throw abortError(signal)
      return work()
    })
    this.#last = turn.catch(() => {})
    return abortable(turn, signal)
  }

  /** Resolves when every work has come to its end, one way or the other. */
  async settled(): Promise<void> {
    await this.#last
  }
}
