import type { PartitionLog } from '../log/partition-log.js'
import { groupRecord, OffsetStore, type OffsetStoreOptions } from '../topic/offset-store.js'
import { Group } from './group.js'
import type { GroupMemory } from './group-memory.js'
import { decodeGroup } from './group-record.js'

/** The groups that there are, and their offsets. */
export class GroupRegistry {
  readonly offsets: OffsetStore
  /** Of all groups. */
  readonly memory: GroupMemory
  readonly #groups: Map<string, Group>

  /** Reads both from the log of `__consumer_offsets`. */
  static async load(
    log: PartitionLog,
    options: Omit<OffsetStoreOptions, 'onGroup'>,
    memory: GroupMemory,
  ): Promise<GroupRegistry> {
    const groups = new Map<string, Group>()
    const onGroup = (id: string, value: Buffer | null): void => {
      const group = value === null ? null : decodeGroup(id, value, memory)
      if (group !== null || value === null) groups.get(id)?.size.release()
      if (group !== null) groups.set(id, group)
      else if (value === null) groups.delete(id)
      else options.logger.error({ group: id }, 'a record of a group that cannot be read is passed over')
    }
    const offsets = await OffsetStore.load(log, { ...options, onGroup })
    const registry = new GroupRegistry(offsets, groups, memory)
    // Those that nobody ever joined have offsets only.
    for (const id of offsets.groups()) registry.getOrNew(id)
    return registry
  }

  private constructor(offsets: OffsetStore, groups: Map<string, Group>, memory: GroupMemory) {
    this.offsets = offsets
    this.memory = memory
    this.#groups = groups
  }

  get(id: string): Group | undefined {
    return this.#groups.get(id)
  }

  getOrNew(id: string): Group {
    let group = this.#groups.get(id)
    if (group === undefined) {
      group = new Group(id, this.memory)
      this.#groups.set(id, group)
    }
    return group
  }

  /** Lets go of a group that is nothing but a name: nobody is in it, and the log says nothing of it. */
  dropUnused(group: Group): void {
    if (!group.is('Empty') || group.stored || this.offsets.storedOfGroup(group.id).length > 0) return
    for (const memberId of [...group.pendingJoins]) group.remove(memberId)
    group.timers.endAll()
    group.size.release()
    this.#groups.delete(group.id)
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
    group.size.release()
    this.#groups.delete(id)
    // Or committed.
    if (this.offsets.storedOfGroup(id).length > 0) this.getOrNew(id)
  }
}
