import { type Checkpoint, STATE_FILES, type StateDirectory } from '../log/state-directory.js'
import type { TopicRegistry } from './topic-registry.js'

/** What the segments of a partition cannot say. */
export interface PartitionCheckpoint {
  recoveryPoint: number
  logStartOffset: number
}

function keyOf(topic: string, partition: number): string {
  return `${topic} ${partition}`
}

/** The checkpoint files of a broker: where each log was synced up to, and where it begins. */
export class LogCheckpoints {
  readonly #state: StateDirectory
  readonly #topics: TopicRegistry
  /** As they were at the start: what is offline keeps what was known of it. */
  readonly #recoveryPoints: Checkpoint
  readonly #logStartOffsets: Checkpoint
  #next: Promise<void> | null = null
  #writing: Promise<void> = Promise.resolve()

  static async read(state: StateDirectory, topics: TopicRegistry): Promise<LogCheckpoints> {
    const recoveryPoints = await state.readCheckpoint(STATE_FILES.recoveryPoints)
    const logStartOffsets = await state.readCheckpoint(STATE_FILES.logStartOffsets)
    return new LogCheckpoints(state, topics, recoveryPoints, logStartOffsets)
  }

  private constructor(
    state: StateDirectory,
    topics: TopicRegistry,
    recoveryPoints: Checkpoint,
    logStartOffsets: Checkpoint,
  ) {
    this.#state = state
    this.#topics = topics
    this.#recoveryPoints = recoveryPoints
    this.#logStartOffsets = logStartOffsets
  }

  /** What was known of a partition at the start. */
  found(topic: string, partition: number): PartitionCheckpoint {
    const key = keyOf(topic, partition)
    return { recoveryPoint: this.#recoveryPoints.get(key) ?? 0, logStartOffset: this.#logStartOffsets.get(key) ?? 0 }
  }

  /** Writes the recovery points. All that ask while they are being written share the writing behind it. */
  async write(): Promise<void> {
    // One that failed has told those who asked for it; the next is another.
    const before = this.#writing.catch(() => {})
    this.#next ??= before.then(() => {
      this.#next = null
      this.#writing = this.#writeNow()
      return this.#writing
    })
    return this.#next
  }

  async #writeNow(): Promise<void> {
    const offsets = new Map<string, number>()
    for (const { name, partitions } of this.#topics.all()) {
      for (const [partition, log] of partitions.entries()) {
        const key = keyOf(name, partition)
        const offset = log ? log.recoveryPoint : this.#recoveryPoints.get(key)
        if (offset !== undefined) offsets.set(key, offset)
      }
    }
    await this.#state.writeCheckpoint(STATE_FILES.recoveryPoints, offsets)
  }
}
