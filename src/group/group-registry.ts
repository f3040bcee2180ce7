import type { PartitionLog } from '../log/partition-log.js'
import { groupRecord, OffsetStore, type OffsetStoreOptions } from '../topic/offset-store.js'
import { Group } from './group.js'
import { decodeGroup } from './group-record.js'

/** The groups that there are, and their offsets. */
export class GroupRegistry {
  readonly offsets: OffsetStore
  readonly #groups: Map<string, Group>

  /** Reads both from the log of `__consumer_offsets`. */
  static async load(log: PartitionLog, options: Omit<OffsetStoreOptions, 'onGroup'>): Promise<GroupRegistry> {
    const groups = new Map<string, Group>()
    const onGroup = (id: string, value: Buffer | null): void => {
      const group = value === null ? null : decodeGroup(id, value)
      if (group !== null) groups.set(id, group)
      else if (value === null) groups.delete(id)
      else options.logger.error({ group: id }, 'a record of a group that cannot be read is passed over')
    }
    const offsets = await OffsetStore.load(log, { ...options, onGroup })
    const registry = new GroupRegistry(offsets, groups)
    // Those that nobody ever joined have offsets only.
    for (const id of offsets.groups()) registry.getOrNew(id)
    return registry
  }

  private constructor(offsets: OffsetStore, groups: Map<string, Group>) {
    this.offsets = offsets
    this.#groups = groups
  }

  get(id: string): Group | undefined {
    return this.#groups.get(id)
  }

  getOrNew(id: string): Group {
    let group = this.#groups.get(id)
    if (group === undefined) {
      group = new Group(id)
      this.#groups.set(id, group)
    }
    return group
  }

  all(): Group[] {
    return [...this.#groups.values()]
  }

  /**
   * Deletes an empty group and all that it committed.
   *
   * @throws MyKafkaError KAFKA_STORAGE_ERROR
   */
  async delete(group: Group): Promise<void> {
    const { id } = group
    const keys = this.offsets.storedOfGroup(id).map(({ key }) => key)
    await this.offsets.remove(keys, group.stored ? [groupRecord(id, null)] : [])
    // Somebody may have joined while it was written.
    if (!group.is('Empty') || this.#groups.get(id) !== group) return
    group.become('Dead')
    group.timers.endAll()
    this.#groups.delete(id)
    // Or committed.
    if (this.offsets.storedOfGroup(id).length > 0) this.getOrNew(id)
  }
}
