import { MyKafkaError } from '../../../errors.js'
import { NO_LEADER_EPOCH } from '../../../topic/offset-value.js'
import { decodeRequest, encodeResponse } from '../../../wire/mykafka/commit-offset.js'
import type { Handler } from '../mykafka-handler.js'

/** COMMIT_OFFSET: for a partition that exists; acknowledged when written. */
export const handleCommitOffset: Handler = async (frame, { logs, offsets }) => {
  const { group, topic, partition, offset } = decodeRequest(frame)
  logs.partition(topic, partition)
  if (offset < 0) throw new MyKafkaError('OFFSET_OUT_OF_RANGE', `an offset from 0 on can be committed, not ${offset}`)
  await offsets.commit(group, [{ topic, partition, offset, leaderEpoch: NO_LEADER_EPOCH, metadata: '' }])
  return [encodeResponse(0)]
}
