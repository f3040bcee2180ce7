import { MyKafkaError } from '../errors.js'
import type { PartitionLog } from '../log/partition-log.js'
import { type Topic, unknownTopic } from './topic.js'

/** The topics that are served, by name and by id. A topic that changes is put anew: a {@link Topic} is what it was. */
export class TopicRegistry {
  readonly #byName = new Map<string, Topic>()
  readonly #byId = new Map<string, Topic>()
  #partitions = 0

  /** Of all topics. */
  get partitions(): number {
    return this.#partitions
  }

  all(): Topic[] {
    return [...this.#byName.values()]
  }

  get(name: string): Topic | undefined {
    return this.#byName.get(name)
  }

  /** @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION */
  existing(name: string): Topic {
    const topic = this.#byName.get(name)
    if (topic === undefined) throw unknownTopic(name)
    return topic
  }

  /**
   * A topic that clients may write and change.
   *
   * @throws MyKafkaError UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION for one of the broker's own
   */
  writable(name: string): Topic {
    const topic = this.existing(name)
    if (topic.internal) throw new MyKafkaError('INVALID_TOPIC_EXCEPTION', `${name} is for the broker alone`)
    return topic
  }

  byId(id: string): Topic | undefined {
    return this.#byId.get(id)
  }

  put(topic: Topic): void {
    this.#partitions += topic.partitions.length - (this.#byName.get(topic.name)?.partitions.length ?? 0)
    this.#byName.set(topic.name, topic)
    this.#byId.set(topic.id, topic)
  }

  remove({ name, id }: Topic): void {
    this.#partitions -= this.#byName.get(name)?.partitions.length ?? 0
    this.#byName.delete(name)
    this.#byId.delete(id)
  }

  /** Every log that is open. */
  logs(): PartitionLog[] {
    return this.all().flatMap(({ partitions }) => partitions.filter((log) => log !== null))
  }
}
