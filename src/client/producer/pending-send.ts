import { handled } from '../transport.js'

/** Where a record is in the log. */
export interface RecordMetadata {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

/** A send that may be settled before its batch is, or has no batch yet. */
export class PendingSend {
  readonly promise: Promise<RecordMetadata>
  #resolve!: (metadata: RecordMetadata) => void
  #reject!: (error: unknown) => void
  #settled = false
  /** Called once, when it is settled. */
  onSettled: (() => void) | null = null

  constructor() {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  /** Ends as the record in its batch does, unless it has ended before. */
  follow(inBatch: Promise<RecordMetadata>): void {
    const resolve = (metadata: RecordMetadata): void => {
      if (this.#settled) return
      this.#settled = true
      this.#resolve(metadata)
      this.onSettled?.()
    }
    inBatch.then(resolve, (error) => this.reject(error))
  }

  /** Nobody has to await it. */
  reject(error: unknown): void {
    if (this.#settled) return
    this.#settled = true
    void handled(this.promise)
    this.#reject(error)
    this.onSettled?.()
  }
}
