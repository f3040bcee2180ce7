import { MyKafkaError } from '../errors.js'

/** Kafka's limit: a directory name must hold topic and partition. */
const MAX_TOPIC_NAME_LENGTH = 249

const NAME = /^[a-zA-Z0-9._-]{1,249}$/

/** Whether a topic may have this name: Kafka's rule. */
export function isTopicName(name: string): boolean {
  return NAME.test(name) && name !== '.' && name !== '..'
}

/**
 * Refuses what is no topic name, and says why.
 *
 * @throws MyKafkaError INVALID_TOPIC_EXCEPTION
 */
export function checkTopicName(name: string): void {
  if (isTopicName(name)) return
  let reason = 'is reserved'
  if (name === '') reason = 'is empty'
  else if (name.length > MAX_TOPIC_NAME_LENGTH) reason = `is longer than ${MAX_TOPIC_NAME_LENGTH} characters`
  else if (!NAME.test(name)) reason = 'has characters other than a-z, A-Z, 0-9, ".", "_" and "-"'
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
  throw new MyKafkaError('INVALID_TOPIC_EXCEPTION', `the topic name ${shown} ${reason}`)
}
