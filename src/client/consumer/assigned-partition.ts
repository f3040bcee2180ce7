import type { StoredRecords } from './stored-records.js'
import { nameOf, type PartitionError, type TopicPartition } from './topic-partition.js'

/** What a consumer knows of one of its partitions. */
export class AssignedPartition implements TopicPartition {
  readonly topic: string
  readonly partition: number
  /** Of the next record to hand out; null where it is not known: there is a failure then. */
  position: number | null
  /** Everything below it was handed out and is done with; null where nothing can be said. */
  done: number | null
  /** What the group has committed, as far as is known. */
  committed: number | null
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
}
