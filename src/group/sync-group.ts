import type { Logger } from '../logger.js'
import { codeOf } from './error-code.js'
import type { Group } from './group.js'
import { NO_BYTES, type SyncRequest, type SyncResult, syncFailure } from './group-messages.js'
import type { Rebalancer } from './rebalancer.js'

/** SyncGroup: the leader brings what it assigned, and every member asks for its share. */
export class SyncGroup {
  readonly #rebalancer: Rebalancer
  readonly #logger: Logger

  constructor(rebalancer: Rebalancer, logger: Logger) {
    this.#rebalancer = rebalancer
    this.#logger = logger
  }

  /** Answers when the assignment is there. */
  sync(group: Group, request: SyncRequest): SyncResult | Promise<SyncResult> {
    const errorCode = this.#check(group, request)
    const member = group.members.get(request.memberId)
    if (errorCode !== 0 || member === undefined) return syncFailure(errorCode)
    if (group.is('PreparingRebalance')) return syncFailure(codeOf('REBALANCE_IN_PROGRESS'))
    this.#rebalancer.synced(group, member.id)
    if (group.is('Stable')) {
      const { protocolType, protocolName } = group
      return { errorCode: 0, protocolType, protocolName, assignment: member.assignment }
    }
    return new Promise((answer) => {
      member.waitForSync(answer)
      if (group.leaderId === member.id) this.#assign(group, request)
    })
  }

  #check(group: Group, request: SyncRequest): number {
    const errorCode = group.checkMember(request)
    if (errorCode !== 0) return errorCode
    if (request.generationId !== group.generationId) return codeOf('ILLEGAL_GENERATION')
    const { protocolType, protocolName } = request
    const agrees =
      (protocolType === null || group.protocolType === null || protocolType === group.protocolType) &&
      (protocolName === null || group.protocolName === null || protocolName === group.protocolName)
    return agrees ? 0 : codeOf('INCONSISTENT_GROUP_PROTOCOL')
  }

  #assign(group: Group, { assignments, generationId }: SyncRequest): void {
    const given = new Map([...group.members.keys()].map((id) => [id, NO_BYTES]))
    for (const { memberId, assignment } of assignments) {
      if (given.has(memberId)) given.set(memberId, Buffer.from(assignment))
    }
    const isCurrent = (): boolean => group.is('CompletingRebalance') && group.generationId === generationId
    this.#rebalancer.write(group, given).then(
      () => {
        if (isCurrent()) this.#rebalancer.assign(group, given)
      },
      (err: unknown) => {
        this.#logger.warn({ group: group.id, err }, 'the assignment of a group could not be written')
        if (isCurrent()) this.#rebalancer.assignmentFailed(group, codeOf('COORDINATOR_NOT_AVAILABLE'))
      },
    )
  }
}
