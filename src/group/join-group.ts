import type { Logger } from '../logger.js'
import { codeOf } from './error-code.js'
import type { Group } from './group.js'
import type { GroupConfig } from './group-config.js'
import { GroupMember } from './group-member.js'
import { type JoinRequest, type JoinResult, joinFailure, type MemberProtocol } from './group-messages.js'
import type { Rebalancer } from './rebalancer.js'

type Answer = (result: JoinResult) => void

/** JoinGroup: who may join, and whether that takes a rebalance. */
export class JoinGroup {
  readonly #config: GroupConfig
  readonly #rebalancer: Rebalancer
  readonly #logger: Logger

  constructor(config: GroupConfig, rebalancer: Rebalancer, logger: Logger) {
    this.#config = config
    this.#rebalancer = rebalancer
    this.#logger = logger
  }

  /** Answers when the rebalance lets it. */
  join(group: Group, received: JoinRequest): Promise<JoinResult> {
    return new Promise((answer) => {
      const request = kept(received)
      const { memberId } = request
      if (!this.#hasRoom(group, memberId)) {
        group.remove(memberId)
        answer(joinFailure(codeOf('GROUP_MAX_SIZE_REACHED'), ''))
        this.#rebalancer.completeIfAllJoined(group)
      } else if (!group.supports(request.protocolType, request.protocols)) {
        answer(joinFailure(codeOf('INCONSISTENT_GROUP_PROTOCOL'), memberId))
      } else if (memberId !== '') {
        this.#joinKnown(group, request, answer)
      } else if (request.groupInstanceId !== null) {
        this.#joinStatic(group, request, request.groupInstanceId, answer)
      } else {
        this.#joinDynamic(group, request, answer)
      }
    })
  }

  /** The size of the group counts in two ways: while members join, those who did; later, those who are in. */
  #hasRoom(group: Group, memberId: string): boolean {
    const { maxSize } = this.#config
    if (group.is('Empty', 'Dead')) return true
    const member = group.members.get(memberId)
    if (group.is('PreparingRebalance')) return member?.isJoining === true || group.joiningCount < maxSize
    return member !== undefined || group.members.size < maxSize
  }

  #joinDynamic(group: Group, request: JoinRequest, answer: Answer): void {
    const memberId = group.newMemberId(request.clientId, null)
    if (!request.requireKnownMemberId) {
      this.#add(group, request, memberId, answer)
      return
    }
    this.#rebalancer.expectJoin(group, memberId, request.sessionTimeoutMs)
    answer(joinFailure(codeOf('MEMBER_ID_REQUIRED'), memberId))
  }

  #joinStatic(group: Group, request: JoinRequest, groupInstanceId: string, answer: Answer): void {
    const memberId = group.newMemberId(request.clientId, groupInstanceId)
    const existing = group.memberOf(groupInstanceId)
    if (existing === undefined) this.#add(group, request, memberId, answer)
    else this.#replaceStatic(group, request, existing, memberId, answer)
  }

  #joinKnown(group: Group, request: JoinRequest, answer: Answer): void {
    const { memberId, protocols } = request
    if (group.pendingJoins.has(memberId) && request.groupInstanceId === null) {
      this.#add(group, request, memberId, answer)
      return
    }
    const errorCode = group.checkMember(request)
    const member = group.members.get(memberId)
    if (errorCode !== 0 || member === undefined) {
      answer(joinFailure(errorCode, memberId))
      return
    }
    if (group.is('PreparingRebalance')) {
      this.#update(group, request, member, answer)
    } else if (group.is('Stable') && group.leaderId === memberId) {
      // The leader may know of something that changes the assignment: new partitions, say.
      this.#update(group, request, member, answer)
    } else if (!member.matches(protocols)) {
      this.#update(group, request, member, answer)
    } else {
      // Nothing is new: it missed the answer, or joins for no reason. It is in the present generation.
      answer(this.#rebalancer.joined(group, member))
    }
  }

  #add(group: Group, request: JoinRequest, memberId: string, answer: Answer): void {
    const { groupInstanceId, clientId, clientHost, rebalanceTimeoutMs, sessionTimeoutMs, protocols } = request
    const said = { groupInstanceId, clientId, clientHost, rebalanceTimeoutMs, sessionTimeoutMs, protocols }
    const member = new GroupMember({ ...said, id: memberId })
    member.isNew = true
    member.waitForJoin(answer)
    group.newMemberAdded = group.is('PreparingRebalance') && group.previousState === 'Empty'
    group.add(member, request.protocolType)
    this.#rebalancer.welcome(group, member)
    this.#rebalancer.prepareOrComplete(group, because(request, `${memberId} joins`))
  }

  #update(group: Group, request: JoinRequest, member: GroupMember, answer: Answer): void {
    group.update(member, request)
    group.waitForJoin(member, answer)
    this.#rebalancer.prepareOrComplete(group, because(request, `${member.id} joins again`))
  }

  /** A static member has started anew. Where the group is stable and nothing changes by it, it just goes on. */
  #replaceStatic(group: Group, request: JoinRequest, oldId: string, newId: string, answer: Answer): void {
    const formerLeader = group.leaderId ?? ''
    const member = group.replaceStaticMember(oldId, newId)
    const before = { ...member }
    group.update(member, request)
    group.waitForJoin(member, answer)
    this.#rebalancer.heardOf(group, member)
    const reason = because(request, `the static member ${request.groupInstanceId} is back as ${newId}`)
    if (!group.is('Stable')) {
      this.#rebalancer.prepareOrComplete(group, reason)
      return
    }
    if (group.selectProtocol() !== group.protocolName) {
      this.#rebalancer.prepareOrComplete(group, reason)
      return
    }
    const assignments = new Map([...group.members.values()].map(({ id, assignment }) => [id, assignment]))
    this.#rebalancer.write(group, assignments).then(
      () => {
        // Where a rebalance has begun meanwhile, that answers it.
        if (!group.is('Stable')) return
        const result = this.#rebalancer.joined(group, member)
        const isLeader = group.leaderId === newId
        // Under the old leader's name a client that must not assign takes itself for a follower.
        const unled = { ...result, leader: formerLeader, members: [] }
        group.answerJoin(member, request.supportsSkippingAssignment ? { ...result, skipAssignment: isLeader } : unled)
      },
      (err: unknown) => {
        this.#logger.warn({ group: group.id, err }, 'a static member that is back could not be written')
        group.answerJoin(member, joinFailure(codeOf('COORDINATOR_NOT_AVAILABLE'), ''))
        if (group.members.get(newId) !== member) return
        group.update(member, before)
        this.#rebalancer.heardOf(group, group.replaceStaticMember(newId, oldId))
      },
    )
  }
}

/** The request's bytes belong to its frame: what is kept is copied. */
function kept(request: JoinRequest): JoinRequest {
  const { sessionTimeoutMs, rebalanceTimeoutMs } = request
  return {
    ...request,
    rebalanceTimeoutMs: rebalanceTimeoutMs < 0 ? sessionTimeoutMs : rebalanceTimeoutMs,
    protocols: request.protocols.map(
      ({ name, metadata }): MemberProtocol => ({ name, metadata: Buffer.from(metadata) }),
    ),
  }
}

function because({ reason }: JoinRequest, what: string): string {
  return reason === null || reason === '' ? what : `${what}: ${reason}`
}
