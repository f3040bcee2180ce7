import { MyKafkaError } from '../../errors.js'

/**
 * Refuses an assignment of a partition's replicas to others than this node.
 *
 * @throws MyKafkaError INVALID_REPLICA_ASSIGNMENT
 */
export function checkAssignment(brokerIds: readonly number[], nodeId: number): void {
  if (brokerIds.length === 1 && brokerIds[0] === nodeId) return
  const reason = `a partition has one replica, on node ${nodeId}, not on [${brokerIds.join(', ')}]`
  throw new MyKafkaError('INVALID_REPLICA_ASSIGNMENT', reason)
}
