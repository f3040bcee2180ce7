import type { Logger } from '../logger.js'
import type { OffsetStore } from '../topic/offset-store.js'
import { codeOf } from './error-code.js'
import type { Group } from './group.js'
import type { GroupConfig } from './group-config.js'
import type { GroupMember } from './group-member.js'
import { type JoinResult, NO_BYTES, syncFailure } from './group-messages.js'
import { encodeGroup } from './group-record.js'

/**
 * A new member's first join may wait so long for the others. It cannot heartbeat meanwhile, and a client that went
 * away and came back would leave members behind that nobody is.
 */
const NEW_MEMBER_JOIN_TIMEOUT_MS = 5 * 60_000

/**
 * Moves groups through a rebalance: all members join, the leader is told who there is, and what it assigns goes to
 * everyone. The rules are Kafka's, KIP-62 and those that built on it.
 */
export class Rebalancer {
  readonly #config: GroupConfig
  readonly #offsets: OffsetStore
  readonly #logger: Logger

  constructor(config: GroupConfig, offsets: OffsetStore, logger: Logger) {
    this.#config = config
    this.#offsets = offsets
    this.#logger = logger
  }

  /** Begins a rebalance, or completes the one under way where this was what it waited for. */
  prepareOrComplete(group: Group, reason: string): void {
    if (group.is('Stable', 'CompletingRebalance', 'Empty')) this.prepare(group, reason)
    else this.completeIfAllJoined(group)
  }

  /** Has all members join again. */
  prepare(group: Group, reason: string): void {
    if (group.is('CompletingRebalance')) this.#withdrawAssignment(group, codeOf('REBALANCE_IN_PROGRESS'))
    group.pendingSyncs.clear()
    group.timers.endSync()
    const isFirst = group.is('Empty')
    group.become('PreparingRebalance')
    const { id, generationId } = group
    this.#logger.debug({ group: id, generation: generationId, reason }, 'a group prepares to rebalance')
    if (isFirst) {
      this.#waitForFirstMembers(group)
      return
    }
    if (group.allJoined) this.#complete(group)
    else group.timers.startJoin(group.rebalanceTimeoutMs, () => this.#complete(group))
  }

  /** Goes on where everybody has joined; not while an empty group waits for its first members. */
  completeIfAllJoined(group: Group): void {
    if (group.is('PreparingRebalance') && group.previousState !== 'Empty' && group.allJoined) this.#complete(group)
  }

  /** Starts the member's session anew: it was heard of. */
  heardOf(group: Group, member: GroupMember): void {
    this.#startSession(group, member, member.sessionTimeoutMs)
  }

  /** A new member's session: it waits for its first answer. */
  welcome(group: Group, member: GroupMember): void {
    this.#startSession(group, member, NEW_MEMBER_JOIN_TIMEOUT_MS)
  }

  /** An id that was given out is void where nobody joins with it. */
  expectJoin(group: Group, memberId: string, sessionTimeoutMs: number): void {
    group.expectJoin(memberId)
    group.timers.startSession(memberId, sessionTimeoutMs, () => {
      if (!group.pendingJoins.has(memberId)) return
      group.remove(memberId)
      this.#completeWithout(group)
    })
  }

  /** What the leader assigned has been written: it goes to those who wait for it, and the group is stable. */
  assign(group: Group, assignments: ReadonlyMap<string, Buffer>): void {
    for (const member of group.members.values()) group.assign(member, assignments.get(member.id) ?? NO_BYTES)
    const { protocolType, protocolName } = group
    for (const member of group.members.values()) {
      if (!member.isSyncing) continue
      member.answerSync({ errorCode: 0, protocolType, protocolName, assignment: member.assignment })
      // It was excused while it waited.
      this.heardOf(group, member)
    }
    group.become('Stable')
  }

  /** What the leader assigned could not be written: everybody joins again. */
  assignmentFailed(group: Group, errorCode: number): void {
    this.#withdrawAssignment(group, errorCode)
    this.prepareOrComplete(group, 'the assignment could not be written')
  }

  /** The member has asked for its assignment. */
  synced(group: Group, memberId: string): void {
    group.pendingSyncs.delete(memberId)
    if (group.pendingSyncs.size === 0) group.timers.endSync()
  }

  /** Writes what the group is. */
  async write(group: Group, assignments: ReadonlyMap<string, Buffer>): Promise<void> {
    group.stored = true
    await this.#offsets.writeGroup(group.id, encodeGroup(group, assignments))
  }

  #waitForFirstMembers(group: Group): void {
    const delayMs = this.#config.initialRebalanceDelayMs
    if (delayMs === 0) this.#complete(group)
    else this.#waitForMore(group, delayMs, Math.max(group.rebalanceTimeoutMs - delayMs, 0))
  }

  /** As long as members keep coming it waits once more, up to the rebalance timeout. */
  #waitForMore(group: Group, delayMs: number, remainingMs: number): void {
    group.timers.startJoin(delayMs, () => {
      if (!group.newMemberAdded || remainingMs === 0) {
        this.#complete(group)
        return
      }
      group.newMemberAdded = false
      const next = Math.min(this.#config.initialRebalanceDelayMs, remainingMs)
      this.#waitForMore(group, next, Math.max(remainingMs - next, 0))
    })
  }

  /** The end of the joining: who has not come is out, but for static members; the next generation begins. */
  #complete(group: Group): void {
    group.timers.endJoin()
    if (group.is('Dead')) return
    for (const member of [...group.members.values()]) {
      if (!member.isJoining && member.groupInstanceId === null) group.remove(member.id)
    }
    group.newMemberAdded = false
    if (group.members.size > 0 && !group.electLeader()) {
      // Static members only, none of which is here: until their sessions end.
      group.timers.startJoin(group.rebalanceTimeoutMs, () => this.#complete(group))
      return
    }
    group.nextGeneration()
    const { id, generationId, members } = group
    if (members.size === 0) {
      this.#logger.info({ group: id, generation: generationId }, 'a group is empty')
      this.write(group, new Map()).catch((err: unknown) =>
        this.#logger.warn({ group: id, err }, 'an empty group could not be written'),
      )
      return
    }
    this.#logger.info({ group: id, generation: generationId, members: members.size }, 'a group has a new generation')
    for (const member of members.values()) {
      group.answerJoin(member, this.joined(group, member))
      this.heardOf(group, member)
      member.isNew = false
      group.pendingSyncs.add(member.id)
    }
    group.timers.startSync(group.rebalanceTimeoutMs, () => this.#expireSync(group))
  }

  /** The answer to a member that is in the present generation. */
  joined(group: Group, member: GroupMember): JoinResult {
    return {
      errorCode: 0,
      memberId: member.id,
      generationId: group.generationId,
      protocolType: group.protocolType,
      protocolName: group.protocolName,
      leader: group.leaderId ?? '',
      skipAssignment: false,
      members: group.leaderId === member.id ? group.joinedMembers() : [],
    }
  }

  /** Members that joined and never asked for their assignment are out. */
  #expireSync(group: Group): void {
    if (!group.is('CompletingRebalance', 'Stable') || group.pendingSyncs.size === 0) return
    const late = [...group.pendingSyncs]
    for (const memberId of late) group.remove(memberId)
    this.prepare(group, `members did not ask for their assignment: ${late.join(', ')}`)
  }

  #withdrawAssignment(group: Group, errorCode: number): void {
    for (const member of group.members.values()) {
      group.assign(member, NO_BYTES)
      if (!member.isSyncing) continue
      member.answerSync(syncFailure(errorCode))
      this.heardOf(group, member)
    }
  }

  #startSession(group: Group, member: GroupMember, timeoutMs: number): void {
    group.timers.startSession(member.id, timeoutMs, () => {
      if (group.members.get(member.id) !== member || member.isExcused) return
      this.#logger.info({ group: group.id, member: member.id }, "a member's session has ended")
      group.remove(member.id)
      if (group.is('Stable', 'CompletingRebalance')) this.prepare(group, `the session of ${member.id} has ended`)
      else this.#completeWithout(group)
    })
  }

  /** Somebody was waited for in vain. */
  #completeWithout(group: Group): void {
    if (group.is('PreparingRebalance') && group.allJoined) this.#complete(group)
  }
}
