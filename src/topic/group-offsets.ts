import type { OffsetKey } from './offset-key.js'
import type { CommittedOffset } from './offset-value.js'

/** A committed offset and where it belongs. */
export interface GroupOffset extends CommittedOffset {
  readonly key: OffsetKey
}

/** Committed offsets in memory: by group, then by topic and partition. */
export class GroupOffsets {
  readonly #groups = new Map<string, Map<string, GroupOffset>>()

  get(group: string, topic: string, partition: number): GroupOffset | undefined {
    return this.#groups.get(group)?.get(place(topic, partition))
  }

  set(key: OffsetKey, committed: CommittedOffset): void {
    let group = this.#groups.get(key.group)
    if (group === undefined) {
      group = new Map()
      this.#groups.set(key.group, group)
    }
    const { offset, leaderEpoch, metadata, timestamp } = committed
    group.set(place(key.topic, key.partition), { key, offset, leaderEpoch, metadata, timestamp })
  }

  delete({ group: name, topic, partition }: OffsetKey): void {
    const group = this.#groups.get(name)
    if (group?.delete(place(topic, partition)) && group.size === 0) this.#groups.delete(name)
  }

  /** Names of the groups that have any. */
  groups(): string[] {
    return [...this.#groups.keys()]
  }

  ofGroup(group: string): GroupOffset[] {
    return [...(this.#groups.get(group)?.values() ?? [])]
  }

  ofTopic(topic: string): GroupOffset[] {
    return this.all().filter(({ key }) => key.topic === topic)
  }

  all(): GroupOffset[] {
    return [...this.#groups.values()].flatMap((group) => [...group.values()])
  }

  count(): number {
    let count = 0
    for (const group of this.#groups.values()) count += group.size
    return count
  }
}

/** A space is in no topic's name. */
function place(topic: string, partition: number): string {
  return `${topic} ${partition}`
}
