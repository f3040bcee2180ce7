import { decodeRequest, encodeResponse } from '../../../wire/mykafka/commit-offset.js'
import type { Handler } from '../mykafka-handler.js'

/** COMMIT_OFFSET: for a partition that exists; acknowledged when written. */
export const handleCommitOffset: Handler = async (frame, { logs, offsets }) => {
  const { group, topic, partition, offset } = decodeRequest(frame)
  logs.partition(topic, partition)
  await offsets.commit(group, topic, partition, offset)
  return [encodeResponse(0)]
}
