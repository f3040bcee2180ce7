/**
 * What a group is doing:
 *
 * - Empty: no members; there may be offsets.
 * - PreparingRebalance: members are to join; those that do wait for the others.
 * - CompletingRebalance: all have joined; the assignment is to come from the leader.
 * - Stable: every member has its assignment.
 * - Dead: the group was deleted.
 */
export type GroupState = 'Empty' | 'PreparingRebalance' | 'CompletingRebalance' | 'Stable' | 'Dead'

const REACHED_FROM: Record<GroupState, readonly GroupState[]> = {
  Empty: ['PreparingRebalance'],
  PreparingRebalance: ['Stable', 'CompletingRebalance', 'Empty'],
  CompletingRebalance: ['PreparingRebalance'],
  Stable: ['CompletingRebalance'],
  Dead: ['Stable', 'PreparingRebalance', 'CompletingRebalance', 'Empty', 'Dead'],
}

/** Whether a group may go from one state to another. */
export function mayBecome(from: GroupState, to: GroupState): boolean {
  return REACHED_FROM[to].includes(from)
}
