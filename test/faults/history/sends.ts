import type { Produce } from './format.js'
import type { Origin } from './violations.js'

/** A request to append, without what only its records say. */
export interface Sent {
  readonly begin: number
  readonly end: number
  readonly result: Produce['result']
  readonly acks: number
  readonly stream: string
  readonly n: number
  readonly idempotent: boolean
  readonly retries: boolean
  /** Of the first record; null: not acknowledged. */
  readonly offset: number | null
  readonly digests: readonly string[]
  readonly origin: Origin
}

/** One record of a request. */
export interface SentRecord {
  readonly sent: Sent
  readonly index: number
  readonly key: string | null
}

/** The offset that it was acknowledged at. */
export function acknowledgedAt({ sent, index }: SentRecord): number | null {
  return sent.offset === null ? null : sent.offset + index
}

/** What was sent to a partition, by record and by producer. */
export class Sends {
  readonly all: Sent[] = []
  readonly #byDigest = new Map<string, SentRecord[]>()

  add(line: Produce, origin: Origin): void {
    const { begin, end, result, acks, stream, n, idempotent, retries, records } = line
    const offset = result === 'ok' ? (line.offset ?? null) : null
    const digests = records.map(([digest]) => digest)
    const over = end ?? Number.POSITIVE_INFINITY
    const sent = { begin, end: over, result, acks, stream, n, idempotent, retries, offset, digests, origin }
    this.all.push(sent)
    for (const [index, [digest, key]] of records.entries()) {
      const same = this.#byDigest.get(digest)
      // A tombstone is like the others of its key.
      if (same === undefined) this.#byDigest.set(digest, [{ sent, index, key }])
      else same.push({ sent, index, key })
    }
  }

  of(digest: string): readonly SentRecord[] {
    return this.#byDigest.get(digest) ?? []
  }

  keyOf(digest: string): string | null {
    return this.of(digest)[0]?.key ?? null
  }

  /** By producer, in the order in which each sent. */
  byStream(): Sent[][] {
    const streams = new Map<string, Sent[]>()
    for (const sent of this.all) {
      const stream = streams.get(sent.stream)
      if (stream === undefined) streams.set(sent.stream, [sent])
      else stream.push(sent)
    }
    return [...streams.values()].map((stream) => stream.sort((a, b) => a.n - b.n))
  }
}
