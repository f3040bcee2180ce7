import type { MetadataStore } from './metadata-store.js'

const KEY = 'next-producer-id-block'
/** So many ids are claimed by one write, as in Kafka. What is left of them at a stop is never given. */
const BLOCK = 1000

/** Gives producer ids. None is given twice, whatever happens to the process. */
export class ProducerIdManager {
  readonly #metadata: MetadataStore
  #next = 0
  #end = 0
  #claiming: Promise<void> | null = null

  constructor(metadata: MetadataStore) {
    this.#metadata = metadata
  }

  /** @throws MyKafkaError KAFKA_STORAGE_ERROR where no ids can be claimed */
  async next(): Promise<number> {
    while (this.#next === this.#end) {
      this.#claiming ??= this.#claim().finally(() => {
        this.#claiming = null
      })
      await this.#claiming
    }
    return this.#next++
  }

  async #claim(): Promise<void> {
    const first = Number(this.#metadata.get(KEY) ?? 0)
    // On the disk before the first of them is given.
    await this.#metadata.set(KEY, String(first + BLOCK))
    this.#next = first
    this.#end = first + BLOCK
  }
}
