import type { MetadataStore } from './metadata-store.js'
import type { TopicConfig } from './topic-configs.js'

const KEY = 'topic-config/'

/** The configurations of topics in the metadata store. Each is kept with the id of its topic, not to pass to a namesake. */
export class StoredConfigs {
  readonly #metadata: MetadataStore

  constructor(metadata: MetadataStore) {
    this.#metadata = metadata
  }

  get(name: string, topicId: string): TopicConfig {
    const text = this.#metadata.get(KEY + name)
    if (text === undefined) return {}
    const stored = JSON.parse(text) as { topicId: string; config: TopicConfig }
    return stored.topicId === topicId ? stored.config : {}
  }

  /** Resolves when it is on the disk. */
  async set(name: string, topicId: string, config: TopicConfig): Promise<void> {
    await this.#metadata.set(KEY + name, JSON.stringify({ topicId, config }))
  }

  async delete(name: string): Promise<void> {
    if (this.#metadata.get(KEY + name) !== undefined) await this.#metadata.delete(KEY + name)
  }
}
