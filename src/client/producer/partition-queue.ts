import type { ProducerBatch } from './producer-batch.js'

const FIRST_CAPACITY = 256

/** The batches for one partition, in the order of their sends. */
export class PartitionQueue {
  readonly topic: string
  readonly partition: number
  /** What waits. All but the last are closed. */
  readonly batches: ProducerBatch[] = []
  /** What is at the broker: one at a time, or a repeated batch would be overtaken by the one behind it. */
  inFlight: ProducerBatch | null = null
  /** When the first may be repeated, of performance.now(); 0: nothing is in the way. */
  retryAt = 0
  /** Whether it is in the list of those that have something to send. */
  listed = false
  /** How large the next batch will be, as the last ones were. */
  expectedBytes = FIRST_CAPACITY

  constructor(topic: string, partition: number) {
    this.topic = topic
    this.partition = partition
  }

  /** In batches. */
  get length(): number {
    return this.batches.length + (this.inFlight === null ? 0 : 1)
  }

  /** The batch that takes records. */
  get open(): ProducerBatch | null {
    const last = this.batches[this.batches.length - 1]
    return last === undefined || last.closed ? null : last
  }
}
