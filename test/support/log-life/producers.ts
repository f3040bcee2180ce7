/** What idempotent producers know of themselves: the test and the process that it kills reckon alike. */
import { type Append, PRODUCERS } from './operations.js'

/** A producer's number and the sequence of the first record of its batch. */
export interface Sequence {
  readonly producerId: number
  readonly producerEpoch: number
  readonly baseSequence: number
}

/** A batch as it was sent. */
export interface SentBatch {
  readonly append: Append
  readonly sequence: Sequence
  /** What the clock said. */
  readonly now: number
}

interface Producer {
  producerId: number
  nextSequence: number
  last: SentBatch | null
}

export class Producers {
  readonly all: Producer[]

  /** @param all - to go on with */
  constructor(all?: Producer[]) {
    this.all =
      all ?? Array.from({ length: PRODUCERS }, (_, slot) => ({ producerId: 1000 + slot, nextSequence: 0, last: null }))
  }

  /** The sequence of an append that is sent now; null where it is of none of them. */
  next(append: Append, now: number): Sequence | null {
    if (append.producer === null) return null
    const producer = this.all[append.producer] as Producer
    const sequence = { producerId: producer.producerId, producerEpoch: 0, baseSequence: producer.nextSequence }
    producer.nextSequence += append.records.length
    producer.last = { append, sequence, now }
    return sequence
  }

  last(slot: number): SentBatch | null {
    return (this.all[slot] as Producer).last
  }

  /** Others from now on: what they wrote may be cut off. */
  renew(): void {
    for (const producer of this.all) {
      producer.producerId += 100
      producer.nextSequence = 0
      producer.last = null
    }
  }
}
