import { MyKafkaError } from '../errors.js'
import type { MetadataStore } from './metadata-store.js'
import type { TopicConfig } from './topic-configs.js'

const KEY = 'topic-config/'

/** The configurations of topics in the metadata store. Each is kept with the id of its topic, not to pass to a namesake. */
export class StoredConfigs {
  readonly #metadata: MetadataStore

  constructor(metadata: MetadataStore) {
    this.#metadata = metadata
  }

  /** @throws MyKafkaError INVALID_CONFIG where what is stored is none */
  get(name: string, topicId: string): TopicConfig {
    const text = this.#metadata.get(KEY + name)
    const stored = text === undefined ? null : parse(name, text)
    return stored?.topicId === topicId ? stored.config : {}
  }

  /** Resolves when it is on the disk. */
  async set(name: string, topicId: string, config: TopicConfig): Promise<void> {
    await this.#metadata.set(KEY + name, JSON.stringify({ topicId, config }))
  }

  async delete(name: string): Promise<void> {
    if (this.#metadata.get(KEY + name) !== undefined) await this.#metadata.delete(KEY + name)
  }
}

interface Stored {
  readonly topicId: string
  readonly config: TopicConfig
}

function parse(name: string, text: string): Stored {
  try {
    const stored = JSON.parse(text)
    if (isStored(stored)) return stored
  } catch {
    // Told below.
  }
  throw new MyKafkaError('INVALID_CONFIG', `what is stored as the configuration of the topic ${name} is none`)
}

function isStored(value: Partial<Stored> | null): value is Stored {
  if (typeof value?.topicId !== 'string' || typeof value.config !== 'object' || value.config === null) return false
  return Object.values(value.config).every((each) => typeof each === 'string')
}
