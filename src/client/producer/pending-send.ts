import { handled } from '../transport.js'

/** Where a record is in the log. */
export interface RecordMetadata {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

/** A record whose send is not settled, as far as its caller is concerned. */
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

  get settled(): boolean {
    return this.#settled
  }

  resolve(metadata: RecordMetadata): void {
    if (this.#settled) return
    this.#settled = true
    this.#resolve(metadata)
    this.onSettled?.()
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
