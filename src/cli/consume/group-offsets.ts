import type { Client } from '../../client/client.js'

const COMMIT_INTERVAL_MS = 1000

/** What a group has printed, committed behind the printing: at least once. */
export class GroupOffsets {
  readonly #client: Client
  readonly #group: string
  readonly #topic: string
  /** By partition: the offset of the next record, where it is not committed yet. */
  readonly #uncommitted = new Map<number, number>()
  #lastCommit = performance.now()

  constructor(client: Client, group: string, topic: string) {
    this.#client = client
    this.#group = group
    this.#topic = topic
  }

  /** Where the group goes on; null where it committed nothing. */
  committed(partition: number): Promise<number | null> {
    return this.#client.fetchOffset(this.#group, this.#topic, partition)
  }

  /** Everything below `nextOffset` is printed. Commits now and then. */
  async printed(partition: number, nextOffset: number): Promise<void> {
    this.#uncommitted.set(partition, nextOffset)
    if (performance.now() - this.#lastCommit >= COMMIT_INTERVAL_MS) await this.commit()
  }

  async commit(): Promise<void> {
    const offsets = [...this.#uncommitted]
    this.#uncommitted.clear()
    this.#lastCommit = performance.now()
    await Promise.all(
      offsets.map(([partition, offset]) => this.#client.commitOffset(this.#group, this.#topic, partition, offset)),
    )
  }
}
