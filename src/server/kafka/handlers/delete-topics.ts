import { MyKafkaError } from '../../../errors.js'
import { type Topic, unknownTopic } from '../../../topic/topic.js'
import {
  type DeleteTopicsRequest,
  type DeleteTopicsResponse,
  type DeleteTopicsResponseTopic,
  deleteTopicsApi,
} from '../../../wire/kafka/generated/delete-topics.js'
import { ZERO_UUID } from '../../../wire/kafka/uuid.js'
import { distinct, repeated } from '../grouped.js'
import { sideBySideInTurns } from '../in-turns.js'
import { itemError, NO_ERROR } from '../item-error.js'
import type { KafkaCall, KafkaHandler } from '../kafka-handler.js'

const CONCURRENCY = 4
/** From this version on there is an error of its own for a broker that deletes no topics. */
const DELETION_DISABLED_VERSION = 3

/** A topic to delete, by name or by id. */
interface Asked {
  readonly name: string | null
  readonly topicId: string
}

/** DeleteTopics 0–6: by name, from version 6 on also by id. */
export const deleteTopics: KafkaHandler<DeleteTopicsRequest, DeleteTopicsResponse> = {
  api: deleteTopicsApi,
  versions: [0, 6],
  async handle(request, call) {
    const asked = topicsOf(request)
    const twice = repeated(asked.map(keyOf))
    const respond = async (topic: Asked): Promise<DeleteTopicsResponseTopic> => {
      const found = find(topic, call)
      const shown = { name: topic.name ?? found?.name ?? null, topicId: found?.id ?? topic.topicId }
      try {
        if (twice.has(keyOf(topic))) {
          throw new MyKafkaError('INVALID_REQUEST', `${keyOf(topic)} is there more than once`)
        }
        await deleteOne(topic, found, call)
        return { ...shown, ...NO_ERROR }
      } catch (error) {
        return { ...shown, ...itemError('DeleteTopics', error, call.context) }
      }
    }
    return { responses: await sideBySideInTurns(distinct(asked, keyOf), respond, CONCURRENCY) }
  },
  failed: (request, errorCode) => ({ responses: topicsOf(request).map((topic) => ({ ...topic, errorCode })) }),
}

/** Up to version 5 a list of names. */
function topicsOf({ topics, topicNames }: DeleteTopicsRequest): readonly Asked[] {
  return topics.length > 0 ? topics : topicNames.map((name) => ({ name, topicId: ZERO_UUID }))
}

function keyOf({ name, topicId }: Asked): string {
  return name ?? topicId
}

function find({ name, topicId }: Asked, { context }: KafkaCall): Topic | undefined {
  return name === null ? context.logs.topicById(topicId) : context.logs.topic(name)
}

async function deleteOne({ name, topicId }: Asked, found: Topic | undefined, call: KafkaCall): Promise<void> {
  const { logs, config } = call.context
  if (!config.deleteTopicEnable) {
    const code = call.version < DELETION_DISABLED_VERSION ? 'INVALID_REQUEST' : 'TOPIC_DELETION_DISABLED'
    throw new MyKafkaError(code, 'delete.topic.enable is false')
  }
  if ((name === null) === (topicId === ZERO_UUID)) {
    throw new MyKafkaError('INVALID_REQUEST', 'a topic is named by its name or by its id')
  }
  if (found === undefined) {
    if (name === null) throw new MyKafkaError('UNKNOWN_TOPIC_ID', `there is no topic with the id ${topicId}`)
    throw unknownTopic(name)
  }
  await logs.deleteTopic(found.name, found.id)
}
