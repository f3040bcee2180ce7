import type { Logger } from '../logger.js'
import { codeOf } from './error-code.js'
import type { Group } from './group.js'
import type { LeaveResult, LeavingMember } from './group-messages.js'
import type { Rebalancer } from './rebalancer.js'

/** LeaveGroup: members that go, or are sent away by an administrator who names a static member's instance. */
export class LeaveGroup {
  readonly #rebalancer: Rebalancer
  readonly #logger: Logger

  constructor(rebalancer: Rebalancer, logger: Logger) {
    this.#rebalancer = rebalancer
    this.#logger = logger
  }

  leave(group: Group, leaving: readonly LeavingMember[]): LeaveResult {
    const members = leaving.map((member) => {
      const { memberId, groupInstanceId } = member
      return { memberId, groupInstanceId, errorCode: this.#remove(group, member) }
    })
    if (members.some(({ errorCode }) => errorCode === 0)) {
      if (group.is('Stable', 'CompletingRebalance')) this.#rebalancer.prepare(group, 'members have left')
      else this.#rebalancer.completeIfAllJoined(group)
    }
    return { errorCode: 0, members }
  }

  #remove(group: Group, { memberId, groupInstanceId, reason }: LeavingMember): number {
    const id = memberId === '' && groupInstanceId !== null ? (group.memberOf(groupInstanceId) ?? '') : memberId
    const isPending = group.pendingJoins.has(id)
    const errorCode = isPending ? 0 : group.checkMember({ memberId: id, groupInstanceId })
    if (errorCode !== 0) return id === '' ? codeOf('UNKNOWN_MEMBER_ID') : errorCode
    this.#logger.info({ group: group.id, member: id, reason }, 'a member has left its group')
    group.remove(id)
    return 0
  }
}
