import { errorFromWire, MyKafkaError } from '../../../errors.js'
import { NO_LEADER_EPOCH } from '../../../topic/offset-value.js'
import { decodeRequest, encodeResponse } from '../../../wire/mykafka/commit-offset.js'
import type { Handler } from '../mykafka-handler.js'

/** COMMIT_OFFSET: for a partition that exists, and a group that has no members; acknowledged when written. */
export const handleCommitOffset: Handler = async (frame, { logs, groups }) => {
  const { group, topic, partition, offset } = decodeRequest(frame)
  logs.requirePartition(topic, partition)
  if (offset < 0) throw new MyKafkaError('OFFSET_OUT_OF_RANGE', `an offset from 0 on can be committed, not ${offset}`)
  const [errorCode = 0] = await groups.commit({
    groupId: group,
    memberId: '',
    groupInstanceId: null,
    generationId: -1,
    offsets: [{ topic, partition, offset, leaderEpoch: NO_LEADER_EPOCH, metadata: '' }],
  })
  if (errorCode !== 0) throw errorFromWire(errorCode, `a commit of the group ${group}`)
  return [encodeResponse(0)]
}
