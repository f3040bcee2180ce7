/** Producers of both wires. Each sends its requests in an order, and records what became of each. */
import { connect } from '../../../../src/client/index.js'
import { produceBatch } from './kafka-calls.js'
import { asSent, makeBatch, makeRecords } from './made-records.js'
import { partitionsOf, type Topic } from './topics.js'
import { isFailedCall, type World } from './world.js'

const PLAIN = { idempotent: false, retries: false } as const
/** A request every so many milliseconds at the most: a round is to have many clients, not many bytes. */
const LONGEST_PAUSE_MS = 25
const CODECS = 5
const UNSETTLED = 40

/** A producer of Kafka's wire without sequence numbers that sends nothing twice. */
export async function kafkaProducer(world: World, name: string, acks: number, topics: readonly Topic[]): Promise<void> {
  const { recorder, random } = world.client(name)
  const partitions = partitionsOf(...topics)
  let n = 0
  const make = async () => {
    const { topic, partition, on } = random.pick(partitions)
    const made = makeRecords(random, name, ++n, topic)
    const asked = { on, op: 'produce', acks, stream: name, n, ...PLAIN, records: asSent(made) } as const
    return { topic, partition, asked, records: await makeBatch(made, random.integer(0, CODECS - 1)) }
  }
  // One does not overtake the other on its way through a codec.
  let last: Promise<unknown> = Promise.resolve()
  await world.connected(world.kafka, (kafka) =>
    world.pipelined(3, async () => {
      await world.pause(random.integer(0, LONGEST_PAUSE_MS))
      const making = last.then(make)
      last = making
      const { topic, partition, asked, records } = await making
      const ask = (): Promise<number> => produceBatch(kafka, topic.name, partition, { records, acks })
      await recorder.record(asked, ask, (offset) => ({ offset }))
    }),
  )
}

/** PRODUCE of MyKafka's wire, without repetition. */
export async function mykafkaProducer(world: World, name: string, topics: readonly Topic[]): Promise<void> {
  const { recorder, random } = world.client(name)
  const partitions = partitionsOf(...topics)
  let n = 0
  await world.connected(world.mykafka, (client) =>
    world.pipelined(4, async () => {
      await world.pause(random.integer(0, LONGEST_PAUSE_MS))
      const { topic, partition, on } = random.pick(partitions)
      const records = makeRecords(random, name, ++n, topic)
      const ask = () => client.produce(topic.name, records, { partition })
      const asked = { on, op: 'produce', acks: 1, stream: name, n, ...PLAIN, records: asSent(records) } as const
      await recorder.record(asked, ask, ({ baseOffset }) => ({ offset: baseOffset }))
    }),
  )
}

/** The producer of `mykafka/client`, which sends again what was not answered. */
export async function clientProducer(world: World, name: string, topics: readonly Topic[]): Promise<void> {
  const { recorder, random } = world.client(name)
  const partitions = partitionsOf(...topics)
  const kafka = connect({ brokers: `127.0.0.1:${world.port}`, requestTimeoutMs: 1000, retryBackoffMs: 20 })
  const producer = kafka.producer({ batchSize: 2000, deliveryTimeoutMs: random.pick([1000, 30_000]) })
  const sending = new Set<Promise<void>>()
  for (let n = 1; !world.isStopping; n++) {
    await world.pause(random.integer(0, LONGEST_PAUSE_MS / 2))
    if (sending.size >= UNSETTLED) await Promise.race(sending)
    const { topic, partition, on } = random.pick(partitions)
    const [record] = makeRecords(random, name, n, topic, 1)
    if (record === undefined) throw new Error('no record was made')
    const asked = { on, op: 'produce', acks: 1, stream: name, n, idempotent: false, retries: true } as const
    const ask = () => producer.send({ topic: topic.name, partition, ...record })
    const sent = recorder
      .record({ ...asked, records: asSent([record]) }, ask, ({ offset }) => ({ offset }))
      .catch((error: unknown) => {
        if (!isFailedCall(error)) throw error
      })
      .then(() => void sending.delete(sent))
    sending.add(sent)
  }
  await Promise.all(sending)
  await kafka.close()
}
