import type { MyKafkaError } from '../../errors.js'
import type { CallOptions } from '../transport.js'
import type { Assignment } from './assignment.js'
import { InTurn } from './in-turn.js'
import type { Offsets } from './offsets.js'
import type { TopicPartitionOffset } from './topic-partition.js'

/** Commits run one after another: the one that was asked for last stands. Each partition learns what it has committed. */
export class Commits {
  readonly #offsets: Offsets
  readonly #partitions: Assignment
  readonly #turns = new InTurn()
  #count = 0

  constructor(offsets: Offsets, partitions: Assignment) {
    this.#offsets = offsets
    this.#partitions = partitions
  }

  /** Commits that were acknowledged, by partition. */
  get count(): number {
    return this.#count
  }

  /**
   * @param offsets - asked when it is this commit's turn
   * @throws why one of them was refused, when all the others are written
   */
  async commit(offsets: () => readonly TopicPartitionOffset[], options?: CallOptions): Promise<void> {
    const [refusal] = await this.#commit(offsets, options)
    if (refusal !== undefined) throw refusal
  }

  /** The same for whatever is left of the partitions: `poll` tells of a topic that was deleted. */
  async commitExisting(offsets: () => readonly TopicPartitionOffset[], options?: CallOptions): Promise<void> {
    const refusals = await this.#commit(offsets, options)
    const refusal = refusals.find(({ code }) => code !== 'UNKNOWN_TOPIC_OR_PARTITION')
    if (refusal !== undefined) throw refusal
  }

  /** Resolves when every commit has come to its end, one way or the other. */
  settled(): Promise<void> {
    return this.#turns.settled()
  }

  #commit(offsets: () => readonly TopicPartitionOffset[], options?: CallOptions): Promise<MyKafkaError[]> {
    const commit = (): Promise<MyKafkaError[]> => {
      const asked = offsets()
      for (const at of asked) {
        const partition = this.#partitions.find(at)
        // Where the answer does not come, it may be written or not.
        if (partition !== undefined) partition.committed = null
      }
      return this.#offsets.commit(asked, { written: (at) => this.#written(at), gone: (at) => this.#gone(at) }, options)
    }
    return this.#turns.run(commit, options?.signal)
  }

  #written({ offset, ...at }: TopicPartitionOffset): void {
    this.#count++
    const partition = this.#partitions.find(at)
    if (partition === undefined) return
    partition.committed = offset
    partition.committedAt = performance.now()
  }

  /** Nothing is to be committed until something is handed out again. */
  #gone(at: TopicPartitionOffset): void {
    const partition = this.#partitions.find(at)
    if (partition !== undefined) partition.done = null
  }
}
