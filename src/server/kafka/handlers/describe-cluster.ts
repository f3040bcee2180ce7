import { MyKafkaError } from '../../../errors.js'
import {
  type DescribeClusterRequest,
  type DescribeClusterResponse,
  describeClusterApi,
} from '../../../wire/kafka/generated/describe-cluster.js'
import { itemError, NO_ERROR } from '../item-error.js'
import type { KafkaHandler } from '../kafka-handler.js'

const BROKERS = 1
const CONTROLLERS = 2

/** DescribeCluster 0–1: one broker, which is the controller too. */
export const describeCluster: KafkaHandler<DescribeClusterRequest, DescribeClusterResponse> = {
  api: describeClusterApi,
  versions: [0, 1],
  handle({ endpointType }, { listener, context }) {
    const { nodeId, clusterId } = context.logs.identity
    if (endpointType !== BROKERS) {
      const code = endpointType === CONTROLLERS ? 'MISMATCHED_ENDPOINT_TYPE' : 'UNSUPPORTED_ENDPOINT_TYPE'
      const error = new MyKafkaError(code, 'this is the endpoint of a broker')
      return { ...itemError('DescribeCluster', error, context), endpointType, clusterId: '', brokers: [] }
    }
    const { host, port } = listener
    const { rack } = context.config
    return {
      ...NO_ERROR,
      endpointType,
      clusterId,
      controllerId: nodeId,
      brokers: [{ brokerId: nodeId, host, port, rack }],
    }
  },
  failed: (_, errorCode) => ({ errorCode, clusterId: '', brokers: [] }),
}
