import { createPartitioner, type Partitioner, type PartitionerName } from './partitioner.js'

/** One partitioner a topic, so that each topic's keyless records take turns by themselves. */
export class TopicPartitioners {
  readonly #name: PartitionerName
  readonly #byTopic = new Map<string, Partitioner>()

  constructor(name: PartitionerName) {
    this.#name = name
  }

  /** The partition for a record with this key; null takes turns. */
  choose(topic: string, key: Uint8Array | null, partitionCount: number): number {
    let partitioner = this.#byTopic.get(topic)
    if (partitioner === undefined) {
      partitioner = createPartitioner(this.#name)
      this.#byTopic.set(topic, partitioner)
    }
    return partitioner.partition(key, partitionCount)
  }
}
