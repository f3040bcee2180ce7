import type { KafkaConnection } from '../../../../src/client/kafka-connection.js'
import { MyKafkaError } from '../../../../src/errors.js'
import { initProducerIdApi } from '../../../../src/wire/kafka/generated/init-producer-id.js'
import type { Call } from '../recorder.js'
import { check, produceBatch } from './kafka-calls.js'
import { asSent, makeBatch, makeRecords } from './made-records.js'
import type { Partition } from './topics.js'
import type { World } from './world.js'

/** As many as a broker remembers of a producer. */
const IN_FLIGHT = 5
const CODECS = 5
const LONGEST_PAUSE_MS = 20

interface Batch {
  readonly records: Buffer
  readonly call: Call
}

/**
 * A producer of Kafka's wire with sequence numbers: it sends again, in the same order, whatever was not acknowledged,
 * until it is. Each batch is one line of its history, however often it was sent.
 */
export async function idempotentProducer(
  world: World,
  name: string,
  acks: number,
  { topic, partition, on }: Partition,
): Promise<void> {
  const { recorder, random } = world.client(name)
  let producer: { producerId: number; producerEpoch: number } | null = null
  let [n, baseSequence] = [0, 0]
  const unacknowledged: Batch[] = []
  let acknowledged = 0

  const make = async (of: { producerId: number; producerEpoch: number }): Promise<void> => {
    const made = makeRecords(random, name, ++n, topic)
    const records = await makeBatch(made, random.integer(0, CODECS - 1), { ...of, baseSequence })
    baseSequence += made.length
    const asked = { on, op: 'produce', acks, stream: name, n, idempotent: true, retries: true } as const
    unacknowledged.push({ records, call: recorder.begin({ ...asked, records: asSent(made) }) })
  }

  /** Sends all that there is together. What comes behind one that fails is refused: it is sent again as well. */
  const sendAll = async (kafka: KafkaConnection): Promise<void> => {
    const sending = unacknowledged.map(({ records }) => produceBatch(kafka, topic.name, partition, { records, acks }))
    for (const [at, answer] of (await Promise.allSettled(sending)).entries()) {
      if (answer.status === 'fulfilled') {
        unacknowledged.shift()?.call.ok({ offset: answer.value })
        acknowledged++
        continue
      }
      const { code } = answer.reason as { code?: string }
      if (at === 0 && code !== undefined && FORGOTTEN.has(code)) {
        throw new Error(`${name}, ${on}: behind ${acknowledged} acknowledged batches: ${answer.reason}`)
      }
      throw answer.reason
    }
  }

  await world.connected(world.kafka, async (kafka) => {
    producer ??= await initialize(kafka)
    while (!world.isStopping || unacknowledged.length > 0) {
      const wanted = world.isStopping ? 0 : random.integer(1, IN_FLIGHT)
      while (unacknowledged.length < wanted) await make(producer)
      await sendAll(kafka)
      await world.pause(random.integer(0, LONGEST_PAUSE_MS))
    }
  })
}

/** What a broker says of the oldest batch that it lost, or has lost the producer of. */
const FORGOTTEN = new Set(['OUT_OF_ORDER_SEQUENCE_NUMBER', 'UNKNOWN_PRODUCER_ID', 'DUPLICATE_SEQUENCE_NUMBER'])

async function initialize(kafka: KafkaConnection): Promise<{ producerId: number; producerEpoch: number }> {
  const asked = { transactionalId: null, transactionTimeoutMs: 60_000, producerId: -1, producerEpoch: -1 }
  const { errorCode, producerId, producerEpoch } = await kafka.call(initProducerIdApi, 4, asked)
  check(errorCode, 'InitProducerId')
  if (producerId === undefined) throw new MyKafkaError('INVALID_RESPONSE', 'InitProducerId gave no id')
  return { producerId, producerEpoch }
}
