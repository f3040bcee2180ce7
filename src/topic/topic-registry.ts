import type { PartitionLog } from '../log/partition-log.js'
import type { Topic } from './topic.js'

/** The topics that are served, by name and by id. A topic that changes is put anew: a {@link Topic} is what it was. */
export class TopicRegistry {
  readonly #byName = new Map<string, Topic>()
  readonly #byId = new Map<string, Topic>()

  all(): Topic[] {
    return [...this.#byName.values()]
  }

  get(name: string): Topic | undefined {
    return this.#byName.get(name)
  }

  byId(id: string): Topic | undefined {
    return this.#byId.get(id)
  }

  put(topic: Topic): void {
    this.#byName.set(topic.name, topic)
    this.#byId.set(topic.id, topic)
  }

  remove({ name, id }: Topic): void {
    this.#byName.delete(name)
    this.#byId.delete(id)
  }

  /** Every log that is open. */
  logs(): PartitionLog[] {
    return this.all().flatMap(({ partitions }) => partitions.filter((log) => log !== null))
  }
}
