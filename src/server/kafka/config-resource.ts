import { MyKafkaError } from '../../errors.js'
import type { Topic } from '../../topic/topic.js'
import { checkTopicName } from '../../topic/topic-name.js'
import type { KafkaContext } from './kafka-handler.js'

/** Kafka's numbers of what can have configurations, as far as it has them here. */
export const RESOURCE = { topic: 2, broker: 4 } as const

/** @throws MyKafkaError INVALID_TOPIC_EXCEPTION, UNKNOWN_TOPIC_OR_PARTITION */
export function requireTopic(name: string, { logs }: KafkaContext): Topic {
  checkTopicName(name)
  return logs.existingTopic(name)
}

/** @throws MyKafkaError INVALID_REQUEST where it is not this broker that is named */
export function requireThisBroker(name: string, { logs }: KafkaContext): void {
  const { nodeId } = logs.identity
  if (name !== String(nodeId)) throw new MyKafkaError('INVALID_REQUEST', `this is broker ${nodeId}, not ${name}`)
}
