import type { StoredRecords } from './stored-records.js'
import { nameOf, type PartitionError, type TopicPartition } from './topic-partition.js'

/**
 * What a consumer knows of one of its partitions. A record passes its offsets in this order: it is fetched
 * (`fetchOffset`), handed out (`position`), done with (`done`), and committed (`committed`).
 */
export class AssignedPartition implements TopicPartition {
  readonly topic: string
  readonly partition: number
  /** Of the next record to hand out; null where it is not known: there is a failure then. */
  position: number | null
  /**
   * What an automatic commit commits; null where nothing can be said. It comes up to the position when more is asked
   * for. A seek to a lower offset takes it back at once. A commit of the caller's sets it, from the call on: to less, too.
   */
  done: number | null
  /** What the group is known to have committed; null where it is not known, as while a commit is under way. */
  committed: number | null
  /** When that was written, as performance.now() tells. */
  committedAt = Number.NEGATIVE_INFINITY
  paused = false
  /** Of the next record to ask the broker for. */
  fetchOffset: number
  /** Stands for the request under way. An answer to another one is stale. */
  request: object | null = null
  /** Fetched and not handed out, in the order of their offsets. */
  readonly chunks: StoredRecords[] = []
  /** Of the chunks. */
  bytes = 0
  /** Why it cannot be read behind its chunks. */
  failure: PartitionError | null = null
  /** Whether its topic was deleted, and that is or was its failure: it is told once. */
  gone = false
  /** Requests in a row that brought nothing where something was to come. */
  failures = 0
  /** Whether an AWAIT said that there is something. */
  named = false
  /** It rests until this fires. */
  timer: NodeJS.Timeout | null = null

  /** @param start - where it is read from */
  constructor({ topic, partition }: TopicPartition, start: number | PartitionError, committed: number | null) {
    this.topic = topic
    this.partition = partition
    const known = typeof start === 'number' ? start : null
    this.position = known
    this.done = known
    this.fetchOffset = known ?? 0
    this.committed = committed
    if (typeof start !== 'number') this.failure = start
  }

  get name(): string {
    return nameOf(this)
  }

  /** Goes on at the offset. */
  moveTo(offset: number): void {
    this.position = offset
    this.fetchFrom(offset)
  }

  /** Goes on at the offset behind what is fetched already. What is to come is not done with. */
  fetchFrom(offset: number): void {
    this.fetchOffset = offset
    if (this.done !== null) this.done = Math.min(this.done, offset)
  }
}
