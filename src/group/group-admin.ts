import type { Logger } from '../logger.js'
import { codeOf } from './error-code.js'
import type { GroupConfig } from './group-config.js'
import { type DescribedGroup, type ListedGroup, NO_BYTES } from './group-messages.js'
import type { GroupRegistry } from './group-registry.js'
import { expiredOffsets } from './offset-expiry.js'

export interface GroupAdminOptions {
  readonly config: GroupConfig
  readonly groups: GroupRegistry
  readonly logger: Logger
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What is asked about groups from outside, and their end. */
export class GroupAdmin {
  readonly #config: GroupConfig
  readonly #groups: GroupRegistry
  readonly #logger: Logger
  readonly #now: () => number

  constructor({ config, groups, logger, now }: GroupAdminOptions) {
    this.#config = config
    this.#groups = groups
    this.#logger = logger
    this.#now = now
  }

  /** All groups in one of the states, where states are named; upper and lower case are the same. */
  list(states: readonly string[] = [], types: readonly string[] = []): ListedGroup[] {
    const wantedStates = inLowerCase(states)
    const wantedTypes = inLowerCase(types)
    const allows = (wanted: ReadonlySet<string>, value: string): boolean =>
      wanted.size === 0 || wanted.has(value.toLowerCase())
    return this.#groups
      .all()
      .filter(({ state }) => allows(wantedStates, state) && allows(wantedTypes, 'classic'))
      .map(({ id, protocolType, state }) => ({ groupId: id, protocolType: protocolType ?? '', state, type: 'classic' }))
  }

  /** A group that is not there is Dead. */
  describe(groupId: string): DescribedGroup {
    const group = this.#groups.get(groupId)
    if (group === undefined) {
      return { groupId, state: 'Dead', protocolType: '', protocolName: '', members: [] }
    }
    const { state, protocolType, protocolName } = group
    const isStable = state === 'Stable'
    const members = [...group.members.values()].map((member) => ({
      memberId: member.id,
      groupInstanceId: member.groupInstanceId,
      clientId: member.clientId,
      clientHost: member.clientHost,
      metadata: isStable ? member.metadata(protocolName) : NO_BYTES,
      assignment: member.assignment,
    }))
    const name = isStable ? (protocolName ?? '') : ''
    return { groupId, state, protocolType: protocolType ?? '', protocolName: name, members }
  }

  /**
   * Deletes an empty group and its offsets. Returns the error, 0 for none.
   *
   * @throws MyKafkaError KAFKA_STORAGE_ERROR
   */
  async delete(groupId: string): Promise<number> {
    const group = this.#groups.get(groupId)
    if (group === undefined) return codeOf('GROUP_ID_NOT_FOUND')
    if (!group.is('Empty')) return codeOf('NON_EMPTY_GROUP')
    await this.#groups.delete(group)
    return 0
  }

  /**
   * Deletes committed offsets, but for topics that members read.
   *
   * @returns the error of the whole and, where it is 0, of each partition
   * @throws MyKafkaError KAFKA_STORAGE_ERROR
   */
  async deleteOffsets(
    groupId: string,
    partitions: readonly { topic: string; partition: number }[],
  ): Promise<{ errorCode: number; partitions: number[] }> {
    const group = this.#groups.get(groupId)
    if (group === undefined) return { errorCode: codeOf('GROUP_ID_NOT_FOUND'), partitions: [] }
    if (!group.is('Empty') && !group.isConsumerGroup) return { errorCode: codeOf('NON_EMPTY_GROUP'), partitions: [] }
    const subscribed = codeOf('GROUP_SUBSCRIBED_TO_TOPIC')
    const codes = partitions.map(({ topic }) => (group.isSubscribedTo(topic) ? subscribed : 0))
    const keys = partitions
      .filter((_, i) => codes[i] === 0)
      .map(({ topic, partition }) => ({ group: groupId, topic, partition }))
      .filter(({ topic, partition }) => this.#groups.offsets.committed(groupId, topic, partition) !== null)
    await this.#groups.offsets.remove(keys)
    return { errorCode: 0, partitions: codes }
  }

  /** Deletes what has been kept for `offsets.retention.minutes`, and groups that have nothing left. */
  async expireOffsets(): Promise<void> {
    const now = this.#now()
    for (const group of [...this.#groups.all()]) {
      const offsets = this.#groups.offsets.storedOfGroup(group.id)
      const expired = expiredOffsets(group, offsets, now, this.#config.offsetsRetentionMs)
      const isOver = expired.length === offsets.length && group.is('Empty') && group.pendingJoins.size === 0
      if (isOver) await this.#groups.delete(group)
      else await this.#groups.offsets.remove(expired.map(({ key }) => key))
      if (expired.length > 0) this.#logger.info({ group: group.id, offsets: expired.length }, 'offsets have expired')
    }
  }
}

function inLowerCase(values: readonly string[]): Set<string> {
  return new Set(values.map((value) => value.toLowerCase()))
}
