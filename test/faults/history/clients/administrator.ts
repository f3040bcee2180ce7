/** Administration: topics come, grow and go, first records are deleted, settings change while they are used. */
import type { KafkaConnection } from '../../../../src/client/kafka-connection.js'
import { createPartitionsApi } from '../../../../src/wire/kafka/generated/create-partitions.js'
import { createTopicsApi } from '../../../../src/wire/kafka/generated/create-topics.js'
import { deleteRecordsApi } from '../../../../src/wire/kafka/generated/delete-records.js'
import { deleteTopicsApi } from '../../../../src/wire/kafka/generated/delete-topics.js'
import { incrementalAlterConfigsApi } from '../../../../src/wire/kafka/generated/incremental-alter-configs.js'
import { ZERO_UUID } from '../../../../src/wire/kafka/uuid.js'
import type { Random } from '../../../support/seeded-random.js'
import type { Recorder } from '../recorder.js'
import { check, fetchFrom, listOffset, produceBatch } from './kafka-calls.js'
import { asSent, makeBatch, makeRecords } from './made-records.js'
import { COMPACTED_BATCHES, RETAINED, type Topic, TRIMMED } from './topics.js'
import type { World } from './world.js'

const TOPIC = 2
const SET = 0

/** Makes the topics of a round; behind that the histories know of them. */
export async function makeTopics(world: World, topics: readonly Topic[]): Promise<void> {
  const { recorder } = world.client('topics')
  await world.connected(world.kafka, async (kafka) => {
    // One whose answer came too late is there when it is asked for again.
    for (const topic of topics) await createTopic(kafka, topic).catch(onlyThere)
  })
  for (const topic of topics) recordMade(recorder, topic, topic.name)
}

function onlyThere(error: unknown): void {
  if ((error as { code?: string }).code !== 'TOPIC_ALREADY_EXISTS') throw error
}

async function createTopic(kafka: KafkaConnection, topic: Topic): Promise<void> {
  const { name, partitions: numPartitions } = topic
  const configs = Object.entries(topic.configs).map(([config, value]) => ({ name: config, value }))
  const topics = [{ name, numPartitions, replicationFactor: 1, assignments: [], configs }]
  const { topics: made } = await kafka.call(createTopicsApi, 5, { topics, timeoutMs: 1000, validateOnly: false })
  check(made[0]?.errorCode, `CreateTopics of ${name}`)
}

/** @param known - how histories name it */
function recordMade(recorder: Recorder, { partitions, cleanup }: Topic, known: string): void {
  for (let partition = 0; partition < partitions; partition++) {
    recorder.begin({ on: `${known}/${partition}`, op: 'made', cleanup }).ok()
  }
}

/** Deletes first records of one topic, and changes settings of others. */
export async function administrator(world: World): Promise<void> {
  const { recorder, random } = world.client('administrator')
  const on = `${TRIMMED.name}/0`
  await world.connected(world.kafka, async (kafka) => {
    while (!world.isStopping) {
      const end = await recorder.record(
        { on, op: 'ends' },
        () => listOffset(kafka, TRIMMED.name, 0, 'end'),
        (logEnd) => ({ logEnd }),
      )
      const start = await recorder.record(
        { on, op: 'ends' },
        () => listOffset(kafka, TRIMMED.name, 0, 'start'),
        (logStart) => ({ logStart }),
      )
      const to = random.integer(start, Math.max(start, end - 20))
      await recorder.record({ on, op: 'trim', to }, () => deleteRecords(kafka, TRIMMED.name, to))
      await alter(kafka, RETAINED.name, 'retention.bytes', String(random.integer(65_536, 262_144)))
      await alter(kafka, COMPACTED_BATCHES.name, 'min.cleanable.dirty.ratio', String(random.pick([0, 0.2, 0.5])))
      await world.pause(random.integer(20, 200))
    }
  })
}

async function deleteRecords(kafka: KafkaConnection, name: string, offset: number): Promise<void> {
  const topics = [{ name, partitions: [{ partitionIndex: 0, offset }] }]
  const answer = await kafka.call(deleteRecordsApi, 2, { topics, timeoutMs: 1000 })
  check(answer.topics[0]?.partitions[0]?.errorCode, `DeleteRecords of ${name}`)
}

async function alter(kafka: KafkaConnection, resourceName: string, name: string, value: string): Promise<void> {
  const configs = [{ name, configOperation: SET, value }]
  const resources = [{ resourceType: TOPIC, resourceName, configs }]
  const { responses } = await kafka.call(incrementalAlterConfigsApi, 1, { resources, validateOnly: false })
  check(responses[0]?.errorCode, `IncrementalAlterConfigs of ${resourceName}`)
}

async function deleteTopic(kafka: KafkaConnection, name: string): Promise<number | undefined> {
  const topics = [{ name, topicId: ZERO_UUID }]
  const { responses } = await kafka.call(deleteTopicsApi, 6, { topics, topicNames: [], timeoutMs: 1000 })
  return responses[0]?.errorCode
}

const UNKNOWN_TOPIC = 3

/**
 * A topic that is made, written to, read, grown and deleted, then made anew under the same name: nothing of one is in
 * another. Where a call was not answered it may happen yet: then it goes on under another name.
 */
export async function topicMaker(world: World, name: string): Promise<void> {
  const { recorder, random } = world.client(name)
  let [names, lives] = [0, 0]
  // By the name that histories know them by.
  const there = new Map<string, Topic>()
  await world.connected(world.kafka, async (kafka) => {
    names++
    while (!world.isStopping) {
      const topic: Topic = { name: `${name}-${names}`, partitions: 1, cleanup: 'keep', configs: {} }
      const known = `${topic.name}#${++lives}`
      await createTopic(kafka, topic)
      recordMade(recorder, topic, known)
      there.set(known, topic)
      await fill(kafka, recorder, random, topic, known)
      await read(kafka, recorder, topic, known, `${known} at once`)
      there.delete(known)
      await remove(kafka, recorder, topic, known)
      await world.pause(random.integer(0, 100))
    }
    for (const [known, topic] of there) await read(kafka, recorder, topic, known, `${known} ${++lives}`)
  })
}

async function fill(
  kafka: KafkaConnection,
  recorder: Recorder,
  random: Random,
  topic: Topic,
  known: string,
): Promise<void> {
  const requests = random.integer(1, 10)
  for (let n = 1; n <= requests; n++) {
    const made = makeRecords(random, known, n, topic)
    const records = await makeBatch(made, 0)
    const asked = { op: 'produce', acks: -1, stream: known, n, idempotent: false, retries: false } as const
    const ask = () => produceBatch(kafka, topic.name, 0, { records, acks: -1 })
    await recorder.record({ on: `${known}/0`, ...asked, records: asSent(made) }, ask, (offset) => ({ offset }))
  }
  const grown = [{ name: topic.name, count: 3, assignments: null }]
  const { results } = await kafka.call(createPartitionsApi, 2, { topics: grown, timeoutMs: 1000, validateOnly: false })
  check(results[0]?.errorCode, `CreatePartitions of ${topic.name}`)
}

async function read(
  kafka: KafkaConnection,
  recorder: Recorder,
  topic: Topic,
  known: string,
  reader: string,
): Promise<void> {
  for (let from = 0; ; ) {
    const asked = { on: `${known}/0`, op: 'fetch', reader, from } as const
    const ask = () => fetchFrom(kafka, topic.name, 0, from)
    const { next } = await recorder.record(asked, ask, (answer) => answer)
    if (next === from) return
    from = next
  }
}

async function remove(kafka: KafkaConnection, recorder: Recorder, topic: Topic, known: string): Promise<void> {
  const ask = async () => check(await deleteTopic(kafka, topic.name), `DeleteTopics of ${topic.name}`)
  await recorder.record({ on: `${known}/0`, op: 'removed' }, ask)
  const again = await deleteTopic(kafka, topic.name)
  if (again !== UNKNOWN_TOPIC) throw new Error(`${topic.name} is deleted, and DeleteTopics of it answers ${again}`)
}
