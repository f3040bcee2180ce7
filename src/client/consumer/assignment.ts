import { MyKafkaError } from '../../errors.js'
import type { AssignedPartition } from './assigned-partition.js'
import { nameOf, type TopicPartition } from './topic-partition.js'

/** The partitions that a consumer reads. */
export class Assignment implements Iterable<AssignedPartition> {
  readonly #topics = new Map<string, Map<number, AssignedPartition>>()

  add(partition: AssignedPartition): void {
    const partitions = this.#topics.get(partition.topic) ?? new Map<number, AssignedPartition>()
    this.#topics.set(partition.topic, partitions)
    partitions.set(partition.partition, partition)
  }

  find({ topic, partition }: TopicPartition): AssignedPartition | undefined {
    return this.#topics.get(topic)?.get(partition)
  }

  /** @throws MyKafkaError INVALID_ARGUMENT for one that is not assigned */
  get(at: TopicPartition): AssignedPartition {
    const found = this.find(at)
    if (found !== undefined) return found
    throw new MyKafkaError('INVALID_ARGUMENT', `${nameOf(at)} is not assigned to this consumer`)
  }

  clear(): void {
    this.#topics.clear()
  }

  *[Symbol.iterator](): Iterator<AssignedPartition> {
    for (const partitions of this.#topics.values()) yield* partitions.values()
  }
}
