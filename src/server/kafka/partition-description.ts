import { KAFKA_ERRORS } from '../../errors.js'
import { LEADER_EPOCH, NO_EPOCH } from './leadership.js'

/** What Metadata and DescribeTopicPartitions tell of a partition. */
export interface PartitionDescription {
  errorCode: number
  partitionIndex: number
  leaderId: number
  leaderEpoch: number
  replicaNodes: number[]
  isrNodes: number[]
  offlineReplicas: number[]
}

const NO_LEADER = -1

/** One replica, on this node, which leads while it is online. */
export function describePartition(online: boolean, partitionIndex: number, nodeId: number): PartitionDescription {
  return {
    errorCode: online ? 0 : KAFKA_ERRORS.LEADER_NOT_AVAILABLE.wire,
    partitionIndex,
    leaderId: online ? nodeId : NO_LEADER,
    leaderEpoch: online ? LEADER_EPOCH : NO_EPOCH,
    replicaNodes: [nodeId],
    isrNodes: [nodeId],
    offlineReplicas: online ? [] : [nodeId],
  }
}
