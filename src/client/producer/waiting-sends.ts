import type { MyKafkaError } from '../../errors.js'
import { Alarm } from './alarm.js'
import type { PendingSend } from './pending-send.js'
import type { ProducerRecord } from './producer-record.js'
import type { TopicState } from './topic-partitions.js'

/** A send that waits: for memory, or for a topic or a partition. */
export interface WaitingSend {
  readonly topic: TopicState
  readonly record: ProducerRecord
  /** What it takes of the memory at the most. */
  readonly bound: number
  readonly send: PendingSend
  readonly deadline: number
}

/** All sends that wait, in their order, until `max.block.ms` is over or they are settled otherwise. */
export class WaitingSends {
  readonly #maxBlockMs: number
  /** Says what it waits for. */
  readonly #describe: (waiting: WaitingSend) => MyKafkaError
  readonly #onEmpty: () => void
  readonly #all = new Set<WaitingSend>()
  readonly #alarm = new Alarm(() => this.#ring())

  constructor(maxBlockMs: number, describe: (waiting: WaitingSend) => MyKafkaError, onEmpty: () => void) {
    this.#maxBlockMs = maxBlockMs
    this.#onEmpty = onEmpty
    this.#describe = describe
  }

  get size(): number {
    return this.#all.size
  }

  has(waiting: WaitingSend): boolean {
    return this.#all.has(waiting)
  }

  /** What becomes of each, settled. */
  get promises(): Promise<unknown>[] {
    return [...this.#all].map(({ send }) => send.promise)
  }

  add(topic: TopicState, record: ProducerRecord, bound: number, send: PendingSend): WaitingSend {
    const now = performance.now()
    const waiting = { topic, record, bound, send, deadline: now + this.#maxBlockMs }
    this.#all.add(waiting)
    this.#alarm.by(waiting.deadline, now)
    const { onSettled } = send
    send.onSettled = () => {
      onSettled?.()
      this.remove(waiting)
    }
    return waiting
  }

  /** It waits no more. */
  remove(waiting: WaitingSend): void {
    if (!this.#all.delete(waiting) || this.#all.size > 0) return
    this.#alarm.rest()
    this.#onEmpty()
  }

  rejectAll(error: MyKafkaError): void {
    for (const { send } of [...this.#all]) send.reject(error)
  }

  close(): void {
    this.#alarm.clear()
  }

  #ring(): void {
    const now = performance.now()
    for (const waiting of this.#all) {
      if (waiting.deadline > now) {
        this.#alarm.by(waiting.deadline, now)
        return
      }
      waiting.send.reject(this.#describe(waiting))
    }
  }
}
