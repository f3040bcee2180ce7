import { CREATE_TOPIC_STATUS, decodeRequest, encodeResponse } from '../../../wire/mykafka/create-topic.js'
import type { Handler } from '../mykafka-handler.js'

/** CREATE_TOPIC: acknowledged when the topic's directories are on the disk. */
export const handleCreateTopic: Handler = async (frame, { logs }) => {
  const { topic, partitionCount } = decodeRequest(frame)
  await logs.createTopic(topic, partitionCount)
  return [encodeResponse(CREATE_TOPIC_STATUS.OK)]
}
