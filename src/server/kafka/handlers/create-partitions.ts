import { MyKafkaError } from '../../../errors.js'
import {
  type CreatePartitionsRequest,
  type CreatePartitionsRequestTopic,
  type CreatePartitionsResponse,
  createPartitionsApi,
} from '../../../wire/kafka/generated/create-partitions.js'
import { distinct, repeated } from '../grouped.js'
import { sideBySideInTurns } from '../in-turns.js'
import { outcome } from '../item-error.js'
import type { KafkaContext, KafkaHandler } from '../kafka-handler.js'
import { checkAssignment } from '../replica-assignment.js'

const CONCURRENCY = 4

/** CreatePartitions 0–3: topics grow to a number of partitions. */
export const createPartitions: KafkaHandler<CreatePartitionsRequest, CreatePartitionsResponse> = {
  api: createPartitionsApi,
  versions: [0, 3],
  async handle({ topics, validateOnly }, { context }) {
    const twice = repeated(topics.map(({ name }) => name))
    const asked = distinct(topics, ({ name }) => name)
    const grow = async (topic: CreatePartitionsRequestTopic): Promise<void> => {
      const { name, count } = topic
      if (twice.has(name)) throw new MyKafkaError('INVALID_REQUEST', `${name} is there more than once`)
      checkAssignments(topic, context)
      await context.logs.createPartitions(name, count, { validateOnly })
    }
    const results = await sideBySideInTurns(
      asked,
      async (topic) => ({
        name: topic.name,
        ...(await outcome('CreatePartitions', () => grow(topic), context)),
      }),
      CONCURRENCY,
    )
    return { results }
  },
  failed: ({ topics }, errorCode) => ({ results: topics.map(({ name }) => ({ name, errorCode })) }),
}

/** The assignments are those of the new partitions. */
function checkAssignments({ name, count, assignments }: CreatePartitionsRequestTopic, { logs }: KafkaContext): void {
  const topic = logs.topic(name)
  if (assignments === null || topic === undefined) return
  for (const { brokerIds } of assignments) checkAssignment(brokerIds, logs.identity.nodeId)
  const added = count - topic.partitions.length
  if (added <= 0 || assignments.length === added) return
  const reason = `${added} partitions are new, ${assignments.length} are assigned`
  throw new MyKafkaError('INVALID_REPLICA_ASSIGNMENT', reason)
}
