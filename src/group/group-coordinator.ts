import type { PartitionLog } from '../log/partition-log.js'
import type { Logger } from '../logger.js'
import { FewLines, RepeatedFaults } from '../repeated-faults.js'
import type { OffsetStore, OffsetStoreOptions } from '../topic/offset-store.js'
import { MAX_STORED_METADATA_BYTES } from '../topic/offset-value.js'
import { checkCommit } from './commit-check.js'
import { codeOf } from './error-code.js'
import { Group } from './group.js'
import { GroupAdmin } from './group-admin.js'
import type { GroupConfig } from './group-config.js'
import { GROUP_BYTES, GroupMemory, memberBytes } from './group-memory.js'
import {
  type CommitRequest,
  type JoinRequest,
  type JoinResult,
  joinFailure,
  type LeaveRequest,
  type LeaveResult,
  type MemberRequest,
  type SyncRequest,
  type SyncResult,
  syncFailure,
} from './group-messages.js'
import { GroupRegistry } from './group-registry.js'
import { JoinGroup } from './join-group.js'
import { LeaveGroup } from './leave-group.js'
import { Rebalancer } from './rebalancer.js'
import { SyncGroup } from './sync-group.js'

export interface GroupCoordinatorOptions extends Omit<OffsetStoreOptions, 'onGroup'> {
  readonly config: GroupConfig
  /** By which offsets expire, in milliseconds since 1970; default: the system's clock. */
  readonly now?: () => number
}

/** Where memory is short, groups without members are let go of, at most so often. */
const DROP_UNUSED_MS = 1000
/** Of what groups do, in ten seconds. */
const MOST_LINES = 200

/**
 * Classic consumer groups as Kafka has them: members join, heartbeat and leave, one of them assigns, all commit. The
 * groups, like their offsets, are in `__consumer_offsets`; behind a restart they go on with the generation and the
 * members that they had.
 */
export class GroupCoordinator {
  /** What groups committed. Commits that are to be checked go through {@link commit}. */
  readonly offsets: OffsetStore
  readonly #config: GroupConfig
  readonly #logger: Logger
  readonly #faults: RepeatedFaults
  readonly #few: FewLines
  readonly #groups: GroupRegistry
  /** What administrators ask. */
  readonly admin: GroupAdmin
  readonly #rebalancer: Rebalancer
  readonly #joinGroup: JoinGroup
  readonly #syncGroup: SyncGroup
  readonly #leaveGroup: LeaveGroup
  readonly #expiry: NodeJS.Timeout
  #unusedDropped = Number.NEGATIVE_INFINITY
  #closed = false

  /** Reads the groups and their offsets from the log of `__consumer_offsets`; members' sessions start anew. */
  static async load(log: PartitionLog, options: GroupCoordinatorOptions): Promise<GroupCoordinator> {
    const memory = new GroupMemory(options.config.maxTotalBytes)
    return new GroupCoordinator(options, await GroupRegistry.load(log, options, memory))
  }

  private constructor({ config, logger, now = Date.now }: GroupCoordinatorOptions, groups: GroupRegistry) {
    this.#config = config
    this.#logger = logger
    this.#faults = new RepeatedFaults(logger)
    this.offsets = groups.offsets
    this.#groups = groups
    this.admin = new GroupAdmin({ config, groups, logger, now })
    const few = new FewLines(logger, MOST_LINES, 'groups')
    this.#few = few
    this.#rebalancer = new Rebalancer(config, groups.offsets, few)
    this.#joinGroup = new JoinGroup(config, this.#rebalancer, few)
    this.#syncGroup = new SyncGroup(this.#rebalancer, few)
    this.#leaveGroup = new LeaveGroup(this.#rebalancer, few)
    this.#resume()
    this.#expiry = setInterval(() => this.#expireInBackground(), config.offsetsRetentionCheckIntervalMs).unref()
  }

  /** Waits for the other members, up to the rebalance timeout. */
  async join(request: JoinRequest): Promise<JoinResult> {
    const { groupId, memberId, sessionTimeoutMs } = request
    const { minSessionTimeoutMs, maxSessionTimeoutMs } = this.#config
    if (this.#closed) return joinFailure(codeOf('COORDINATOR_NOT_AVAILABLE'), memberId)
    if (groupId === '') return joinFailure(codeOf('INVALID_GROUP_ID'), memberId)
    if (sessionTimeoutMs < minSessionTimeoutMs || sessionTimeoutMs > maxSessionTimeoutMs) {
      return joinFailure(codeOf('INVALID_SESSION_TIMEOUT'), memberId)
    }
    if (!this.#hasMemoryFor(request)) return joinFailure(codeOf('COORDINATOR_NOT_AVAILABLE'), memberId)
    const group = memberId === '' ? this.#groups.getOrNew(groupId) : this.#groups.get(groupId)
    if (group === undefined) return joinFailure(codeOf('UNKNOWN_MEMBER_ID'), memberId)
    const result = await this.#joinGroup.join(group, request)
    // One that refused its first member is none.
    if (result.errorCode !== 0 && group.pendingJoins.size === 0) this.#groups.dropUnused(group)
    return result
  }

  /** Waits for the leader's assignment. */
  async sync(request: SyncRequest): Promise<SyncResult> {
    const errorCode = this.#checkGroup(request.groupId)
    if (errorCode !== 0) return syncFailure(errorCode)
    const group = this.#groups.get(request.groupId)
    if (group === undefined || group.is('Empty')) return syncFailure(codeOf('UNKNOWN_MEMBER_ID'))
    const assigned = request.assignments.reduce((sum, { assignment }) => sum + assignment.length, 0)
    if (!this.#allows(group.id, group, assigned)) return syncFailure(codeOf('COORDINATOR_NOT_AVAILABLE'))
    return await this.#syncGroup.sync(group, request)
  }

  /** The error of a heartbeat, 0 for none: the member's session starts anew. */
  heartbeat(request: MemberRequest): number {
    const unavailable = this.#checkGroup(request.groupId)
    if (unavailable !== 0) return unavailable
    const group = this.#groups.get(request.groupId)
    if (group === undefined) return codeOf('UNKNOWN_MEMBER_ID')
    const errorCode = group.checkMember(request)
    const member = group.members.get(request.memberId)
    if (errorCode !== 0 || member === undefined) return errorCode
    if (request.generationId !== group.generationId) return codeOf('ILLEGAL_GENERATION')
    this.#rebalancer.heardOf(group, member)
    return group.is('PreparingRebalance') ? codeOf('REBALANCE_IN_PROGRESS') : 0
  }

  leave({ groupId, members }: LeaveRequest): LeaveResult {
    const errorCode = this.#checkGroup(groupId)
    if (errorCode !== 0) return { errorCode, members: [] }
    // A group that is not there has no member either.
    return this.#leaveGroup.leave(this.#groups.get(groupId) ?? new Group(groupId), members)
  }

  /**
   * Commits offsets in one append.
   *
   * @returns the error of each, in their order; 0 for none
   * @throws MyKafkaError what the offset store throws; nothing is committed then
   */
  async commit(request: CommitRequest): Promise<number[]> {
    const { groupId, generationId, offsets } = request
    const group = this.#groups.get(groupId)
    const errorCode = group === undefined ? this.#checkOutsider(generationId) : checkCommit(group, request)
    if (errorCode !== 0) return offsets.map(() => errorCode)
    if (group === undefined && !this.#allows(groupId, group, GROUP_BYTES + groupId.length)) {
      return offsets.map(() => codeOf('COORDINATOR_NOT_AVAILABLE'))
    }
    const member = group?.members.get(request.memberId)
    if (group !== undefined && member !== undefined) this.#rebalancer.heardOf(group, member)
    const codes = offsets.map(({ metadata }) => (this.#isTooLong(metadata) ? codeOf('OFFSET_METADATA_TOO_LARGE') : 0))
    await this.offsets.commit(
      groupId,
      offsets.filter((_, i) => codes[i] === 0),
    )
    if (codes.includes(0)) this.#groups.getOrNew(groupId)
    return codes
  }

  /** Answers all that wait, so that they look for the coordinator again; offsets can still be committed. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#expiry)
    this.#faults.close()
    this.#few.close()
    const moved = codeOf('NOT_COORDINATOR')
    for (const group of this.#groups.all()) {
      group.timers.endAll()
      for (const member of group.members.values()) {
        group.answerJoin(member, joinFailure(moved, member.id))
        member.answerSync(syncFailure(moved))
      }
    }
  }

  #resume(): void {
    for (const group of this.#groups.all()) {
      for (const member of group.members.values()) this.#rebalancer.heardOf(group, member)
      if (group.members.size > this.#config.maxSize) this.#rebalancer.prepare(group, 'group.max.size is smaller now')
    }
  }

  /** Also one that brings no more than it had may join. */
  #hasMemoryFor(request: JoinRequest): boolean {
    const group = this.#groups.get(request.groupId)
    const known = group?.members.get(request.memberId)
    return this.#allows(request.groupId, group, memberBytes(request) - (known === undefined ? 0 : memberBytes(known)))
  }

  #allows(groupId: string, group: Group | undefined, more: number): boolean {
    const { memory } = this.#groups
    if (memory.allows(group?.size, more)) return true
    // Ids that nobody has joined with yet have to be asked for once more.
    const now = performance.now()
    if (now - this.#unusedDropped > DROP_UNUSED_MS) {
      this.#unusedDropped = now
      for (const each of this.#groups.all()) if (each !== group) this.#groups.dropUnused(each)
      if (memory.allows(group?.size, more)) return true
    }
    const fields = { group: groupId, ofGroup: group?.size.bytes ?? 0, ofAll: memory.held, more }
    this.#faults.report(
      'warn',
      'no memory for a group',
      fields,
      'refused: group.max.total.bytes, or the part of one group',
    )
    return false
  }

  #checkGroup(groupId: string): number {
    if (this.#closed) return codeOf('COORDINATOR_NOT_AVAILABLE')
    return groupId === '' ? codeOf('INVALID_GROUP_ID') : 0
  }

  /** A commit to a group that is not there: it may begin one, unless it speaks for a generation. */
  #checkOutsider(generationId: number): number {
    return generationId < 0 ? 0 : codeOf('GROUP_ID_NOT_FOUND')
  }

  /** Kafka counts characters. */
  #isTooLong(metadata: string): boolean {
    if (metadata.length > this.#config.offsetMetadataMaxBytes) return true
    return Buffer.byteLength(metadata) > MAX_STORED_METADATA_BYTES
  }

  #expireInBackground(): void {
    this.admin.expireOffsets().catch((err: unknown) => this.#logger.error({ err }, 'offsets could not be expired'))
  }
}
