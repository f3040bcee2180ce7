import { codeOf } from './error-code.js'
import type { Group } from './group.js'
import type { MemberRequest } from './group-messages.js'

/**
 * The error of a commit, 0 where it may be made: by a member of the present generation, or from outside (generation
 * -1) while the group is empty.
 */
export function checkCommit(group: Group, request: MemberRequest): number {
  const { memberId, groupInstanceId, generationId } = request
  if (generationId < 0 && group.is('Empty')) return 0
  const isFromOutside = generationId < 0 && memberId === '' && groupInstanceId === null
  if (isFromOutside) return codeOf('UNKNOWN_MEMBER_ID')
  const errorCode = group.checkMember(request)
  if (errorCode !== 0) return errorCode
  if (generationId !== group.generationId) return codeOf('ILLEGAL_GENERATION')
  // Its partitions may be another's soon: it is to ask for its assignment first.
  return group.is('CompletingRebalance') ? codeOf('REBALANCE_IN_PROGRESS') : 0
}
