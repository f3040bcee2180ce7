import type { Client } from '../client.js'
import { SharedConnection } from '../shared-connection.js'
import { backoffMs, isRetriable, type Transport } from '../transport.js'
import type { AssignedPartition } from './assigned-partition.js'

/** How long the broker may take to answer that there is nothing. */
const LONGEST_WAIT_MS = 10_000
/** A question names every partition: with many of them it is asked less often, by so much for each. */
const MS_PER_PARTITION = 0.005
/** So long those that were named have to come back before the others are asked for without them. */
const RETURN_MS = 5

interface Watched {
  readonly partition: AssignedPartition
  readonly topic: string
  readonly offset: number
}

/** What a {@link TailWatch} tells. */
export interface TailEvents {
  /** There is something to fetch. It is not watched any more. */
  named(partition: AssignedPartition): void
  failed(error: unknown): void
}

/**
 * Watches the ends of partitions by AWAIT, all of them by one request. Where one more is to be watched, the next request
 * takes the place of the one that waits.
 */
export class TailWatch {
  readonly #transport: Transport
  readonly #events: TailEvents
  readonly #connection: SharedConnection<Client>
  readonly #ending = new AbortController()
  readonly #watched = new Map<AssignedPartition, number>()
  /** Takes back the question that is to be asked. */
  #cancel: (() => void) | null = null
  #askAt = Number.POSITIVE_INFINITY
  #lastAsked = Number.NEGATIVE_INFINITY
  #asked = 0
  #failures = 0

  constructor(transport: Transport, events: TailEvents) {
    this.#transport = transport
    this.#events = events
    this.#connection = new SharedConnection((signal) => transport.ownClient({ signal }))
  }

  /** Watches from where it is to be fetched from. */
  add(partition: AssignedPartition): void {
    this.#watched.set(partition, partition.fetchOffset)
    this.#askIn(0)
  }

  delete(partition: AssignedPartition): void {
    this.#watched.delete(partition)
  }

  async close(): Promise<void> {
    this.#watched.clear()
    this.#ending.abort()
    this.#cancel?.()
    await this.#connection.current?.close()
  }

  #askIn(milliseconds: number): void {
    if (this.#ending.signal.aborted) return
    const now = performance.now()
    const at = Math.max(now + milliseconds, this.#lastAsked + this.#watched.size * MS_PER_PARTITION)
    if (at >= this.#askAt) return
    this.#askAt = at
    this.#cancel?.()
    this.#cancel = callIn(at - now, () => this.#ask())
  }

  async #ask(): Promise<void> {
    this.#cancel = null
    this.#askAt = Number.POSITIVE_INFINITY
    this.#lastAsked = performance.now()
    if (this.#watched.size === 0) return
    const number = ++this.#asked
    const asked: Watched[] = []
    try {
      const client = await this.#connection.get(this.#ending.signal)
      // What came meanwhile is asked for too, and is not asked for again.
      for (const [partition, offset] of this.#watched) asked.push({ partition, topic: partition.topic, offset })
      const { requestTimeoutMs } = this.#transport.options
      const maxWaitMs = Math.min(LONGEST_WAIT_MS, Math.floor(requestTimeoutMs / 2))
      const positions = asked.map(({ partition: { topic, partition }, offset }) => ({ topic, partition, offset }))
      const named = await client.awaitRecords(positions, { maxWaitMs })
      this.#failures = 0
      const isLatest = number === this.#asked
      for (const index of named) this.#named(asked[index])
      if (isLatest) this.#askIn(named.length > 0 ? RETURN_MS : 0)
    } catch (error) {
      if (this.#ending.signal.aborted || number !== this.#asked) return
      this.#events.failed(error)
      const { options } = this.#transport
      this.#askIn(isRetriable(error) ? backoffMs(options, this.#failures++) : options.retryBackoffMaxMs)
    }
  }

  #named(watched: Watched | undefined): void {
    if (watched === undefined) return
    const { partition, offset } = watched
    // It may have been looked for elsewhere since.
    if (this.#watched.get(partition) !== offset) return
    this.#watched.delete(partition)
    this.#events.named(partition)
  }
}

/** A timer never fires within a millisecond: what is due goes out at the end of the event loop's turn. */
function callIn(milliseconds: number, call: () => void): () => void {
  if (milliseconds < 1) {
    const immediate = setImmediate(call)
    return () => clearImmediate(immediate)
  }
  const timer = setTimeout(call, milliseconds)
  return () => clearTimeout(timer)
}
