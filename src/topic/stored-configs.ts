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
    return (text === undefined ? null : parse(text, topicId)) ?? {}
  }

  /** Resolves when it is on the disk. */
  async set(name: string, topicId: string, config: TopicConfig): Promise<void> {
    await this.#metadata.set(KEY + name, JSON.stringify({ topicId, config }))
  }

  async delete(name: string): Promise<void> {
    if (this.#metadata.get(KEY + name) !== undefined) await this.#metadata.delete(KEY + name)
  }
}

/** Null where it is not the configuration of that topic. */
function parse(text: string, topicId: string): TopicConfig | null {
  let stored: { topicId: string; config: TopicConfig } | null
  try {
    stored = JSON.parse(text)
  } catch {
    return null
  }
  if (stored?.topicId !== topicId || typeof stored.config !== 'object' || stored.config === null) return null
  return Object.values(stored.config).every((value) => typeof value === 'string') ? stored.config : null
}
