import { decodeRequest, encodeResponse, NO_OFFSET } from '../../../wire/mykafka/fetch-offset.js'
import type { Handler } from '../mykafka-handler.js'

/** FETCH_OFFSET: what the group committed, -1 where it committed nothing. */
export const handleFetchOffset: Handler = (frame, { logs, groups }) => {
  const { group, topic, partition } = decodeRequest(frame)
  logs.requirePartition(topic, partition)
  // Kafka's clients may have committed a negative one, which says that there is none.
  const committed = groups.offsets.committed(group, topic, partition)?.offset ?? NO_OFFSET
  return [encodeResponse(0, Math.max(committed, NO_OFFSET))]
}
