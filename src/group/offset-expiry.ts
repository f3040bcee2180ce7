import type { GroupOffset } from '../topic/group-offsets.js'
import type { Group } from './group.js'

/**
 * The offsets of a group that have been kept for long enough: of an empty group from when it became empty, of one that
 * nobody ever joined from the commit, and of a stable group of consumers from the commit for topics that none of them
 * reads any more.
 */
export function expiredOffsets(group: Group, offsets: readonly GroupOffset[], now: number, retentionMs: number) {
  const since = expirySince(group)
  if (since === null) return []
  return offsets.filter((offset) => !group.isSubscribedTo(offset.key.topic) && now - since(offset) >= retentionMs)
}

/** From when an offset's time runs; null: it does not. */
function expirySince(group: Group): ((offset: GroupOffset) => number) | null {
  const committed = ({ timestamp }: GroupOffset): number => timestamp
  if (group.protocolType === null) return committed
  if (group.is('Empty')) return () => group.stateSince
  return group.is('Stable') && group.isConsumerGroup && group.subscriptionsKnown ? committed : null
}
