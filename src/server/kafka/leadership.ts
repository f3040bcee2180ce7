import { MyKafkaError } from '../../errors.js'

/** The epoch of every partition's leader: this broker has been it from the beginning. */
export const LEADER_EPOCH = 0

/** What a client says that knows no leader epoch, and what it is told where there is none. */
export const NO_EPOCH = -1

/**
 * Refuses a client that knows another leader.
 *
 * @throws MyKafkaError UNKNOWN_LEADER_EPOCH
 */
export function checkLeaderEpoch(known: number): void {
  if (known <= LEADER_EPOCH) return
  throw new MyKafkaError('UNKNOWN_LEADER_EPOCH', `the leader epoch is ${LEADER_EPOCH}, the client knows ${known}`)
}
