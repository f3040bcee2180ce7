import { errorFromWire, MyKafkaError } from '../errors.js'
import { listOffsetsApi } from '../wire/kafka/generated/list-offsets.js'
import type { KafkaConnection } from './kafka-connection.js'
import type { CallOptions } from './transport.js'

/** The first version that tells one offset of a partition. */
const VERSION = 1
const NO_OFFSET = -1

/**
 * Where the first record of each partition is that is not older than a time; null where there is none.
 *
 * @throws MyKafkaError what the broker says of a partition, or the connection
 */
export async function offsetsForTime(
  connection: KafkaConnection,
  topic: string,
  partitions: readonly number[],
  timestamp: number,
  options?: CallOptions,
): Promise<Map<number, number | null>> {
  const asked = partitions.map((partitionIndex) => ({ partitionIndex, currentLeaderEpoch: -1, timestamp }))
  const request = { replicaId: -1, isolationLevel: 0, topics: [{ name: topic, partitions: asked }] }
  const { topics } = await connection.call(listOffsetsApi, VERSION, request, options)
  const found = new Map<number, number | null>()
  for (const { partitionIndex, errorCode, offset = NO_OFFSET } of topics[0]?.partitions ?? []) {
    if (errorCode !== 0) throw errorFromWire(errorCode, `ListOffsets of ${topic}-${partitionIndex}`)
    found.set(partitionIndex, offset === NO_OFFSET ? null : offset)
  }
  const missing = partitions.find((partition) => !found.has(partition))
  if (missing === undefined) return found
  throw new MyKafkaError('INVALID_RESPONSE', `ListOffsets does not answer for ${topic}-${missing}`)
}
