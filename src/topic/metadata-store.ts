import type { PartitionLog } from '../log/partition-log.js'
import { encodePacked } from '../log/record-codec.js'
import type { Logger } from '../logger.js'
import { native } from '../native/load.js'
import { replay } from './replay.js'

/** What the directory tree cannot say: small values by key, the latest wins. */
export interface MetadataStore {
  get(key: string): string | undefined
  /** Keys that begin with the prefix. */
  keys(prefix: string): string[]
  /** Resolves when the value is on the disk. */
  set(key: string, value: string): Promise<void>
  delete(key: string): Promise<void>
}

/** A {@link MetadataStore} that is itself a log: `__cluster_metadata`. */
export class LogMetadataStore implements MetadataStore {
  readonly #log: PartitionLog
  readonly #values = new Map<string, string>()

  private constructor(log: PartitionLog) {
    this.#log = log
  }

  static async load(log: PartitionLog, logger: Logger): Promise<LogMetadataStore> {
    const store = new LogMetadataStore(log)
    await replay(log, logger, ({ key, value }) => {
      if (key !== null) store.#apply(key.toString(), value?.toString() ?? null)
    })
    return store
  }

  get(key: string): string | undefined {
    return this.#values.get(key)
  }

  keys(prefix: string): string[] {
    return [...this.#values.keys()].filter((key) => key.startsWith(prefix))
  }

  async set(key: string, value: string): Promise<void> {
    await this.#append(key, value)
  }

  async delete(key: string): Promise<void> {
    await this.#append(key, null)
  }

  async #append(key: string, value: string | null): Promise<void> {
    const records = encodePacked([{ key, value }])
    const storedLength = native.checkPacked(records, 1)
    await this.#log.append([{ records, count: 1, timestamp: Date.now(), storedLength }], 'all')
    this.#apply(key, value)
  }

  #apply(key: string, value: string | null): void {
    if (value === null) this.#values.delete(key)
    else this.#values.set(key, value)
  }
}
