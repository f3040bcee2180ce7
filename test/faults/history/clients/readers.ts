/** Readers of both wires: by assignment, from the beginning or from wherever they seek. */
import { connect, PartitionError } from '../../../../src/client/index.js'
import type { KafkaConnection } from '../../../../src/client/kafka-connection.js'
import type { Fetch } from '../format.js'
import { digestOf, now, type Recorder } from '../recorder.js'
import { fetchFrom, listOffset, type Read } from './kafka-calls.js'
import { type Partition, partitionsOf, type Topic } from './topics.js'
import { isFailedCall, type World } from './world.js'

type Answer = Pick<Fetch, 'records' | 'logStart' | 'logEnd'> & { readonly next: number }

/** How one wire is asked. */
interface Wire<C> {
  read(connection: C, at: Partition, offset: number, maxBytes: number): Promise<Answer>
  start(connection: C, at: Partition): Promise<number>
}

type MyKafkaClient = Awaited<ReturnType<World['mykafka']>>

const KAFKA: Wire<KafkaConnection> = {
  read: (kafka, { topic, partition }, offset, maxBytes): Promise<Read> =>
    fetchFrom(kafka, topic.name, partition, offset, { maxBytes, maxWaitMs: 50 }),
  start: (kafka, { topic, partition }) => listOffset(kafka, topic.name, partition, 'start'),
}

const MYKAFKA: Wire<MyKafkaClient> = {
  read: async (client, { topic, partition }, offset, maxBytes) => {
    const records = await client.fetch(topic.name, partition, offset, { maxBytes })
    const next = (records.at(-1)?.offset ?? offset - 1) + 1
    return { next, records: records.map(({ offset: at, key, value }) => [at, digestOf(key, value)] as const) }
  },
  start: async (client, { topic, partition }) => {
    const [described] = await client.metadata(topic.name)
    return described?.partitions[partition]?.logStartOffset ?? 0
  },
}

export function kafkaReader(world: World, name: string, topics: readonly Topic[]): Promise<void> {
  return readAbout(world, name, topics, world.kafka, KAFKA)
}

export function mykafkaReader(world: World, name: string, topics: readonly Topic[]): Promise<void> {
  return readAbout(world, name, topics, world.mykafka, MYKAFKA)
}

/** Reads a partition for a while, then another, or another part of it. */
async function readAbout<C extends { close(): Promise<void> }>(
  world: World,
  name: string,
  topics: readonly Topic[],
  open: () => Promise<C>,
  wire: Wire<C>,
): Promise<void> {
  const { recorder, random } = world.client(name)
  const partitions = partitionsOf(...topics)
  let reads = 0
  await world.connected(open, async (connection) => {
    while (!world.isStopping) {
      const at = random.pick(partitions)
      const reader = `${name} ${++reads}`
      let from = random.next() < 0.7 ? await wire.start(connection, at) : random.integer(0, 1000)
      for (let left = random.integer(5, 40); left > 0 && !world.isStopping; left--) {
        const asked = { on: at.on, op: 'fetch', reader, from } as const
        const maxBytes = random.pick([2000, 20_000, 200_000])
        const ask = () => wire.read(connection, at, from, maxBytes)
        // A position that was chosen at random may be none.
        const found = await recorder.record(asked, ask, (answer) => answer).catch(onlyOutOfRange)
        if (found === null) break
        if (found.next === from) await world.pause(random.integer(0, 20))
        from = found.next
      }
    }
  })
}

function onlyOutOfRange(error: unknown): null {
  if ((error as { code?: string }).code === 'OFFSET_OUT_OF_RANGE') return null
  throw error
}

/** Reads all that there is, from the log's start to its end, over both wires. */
export async function readToEnd(world: World, name: string, topics: readonly Topic[]): Promise<void> {
  const { recorder } = world.client(name)
  for (const at of partitionsOf(...topics)) {
    const { on, topic, partition } = at
    await world.connected(world.kafka, async (kafka) => {
      const asked = { on, op: 'ends' } as const
      const end = () => listOffset(kafka, topic.name, partition, 'end')
      await recorder.record(asked, end, (logEnd) => ({ logEnd }))
      const start = () => listOffset(kafka, topic.name, partition, 'start')
      await recorder.record(asked, start, (logStart) => ({ logStart }))
    })
    await world.connected(world.kafka, (kafka) => readWhole(kafka, KAFKA, recorder, at, `${name} by Kafka's wire`))
    await world.connected(world.mykafka, (client) => readWhole(client, MYKAFKA, recorder, at, `${name} by MyKafka's`))
  }
}

async function readWhole<C>(
  connection: C,
  wire: Wire<C>,
  recorder: Recorder,
  at: Partition,
  name: string,
): Promise<void> {
  const reader = `${name} ${now()}`
  for (let from: number | null = null; ; ) {
    from ??= await wire.start(connection, at)
    const asked: number = from
    const ask = (): Promise<Answer> => wire.read(connection, at, asked, 1 << 20)
    // Retention goes on: it may take what was to be read first.
    const found: Answer | null = await recorder
      .record({ on: at.on, op: 'fetch', reader, from }, ask, (answer) => answer)
      .catch(onlyOutOfRange)
    if (found?.next === from) return
    from = found?.next ?? null
  }
}

/** The consumer of `mykafka/client`, with all partitions of topics: one reader, and commits behind what it was given. */
export async function clientConsumer(world: World, name: string, topics: readonly Topic[]): Promise<void> {
  const { recorder, random } = world.client(name)
  const partitions = partitionsOf(...topics)
  const kafka = connect({ brokers: `127.0.0.1:${world.port}`, requestTimeoutMs: 1000, retryBackoffMs: 20 })
  const consumer = kafka.consumer({ groupId: name, autoOffsetReset: 'earliest', enableAutoCommit: false })
  await consumer.assign(partitions.map(({ topic, partition }) => ({ topic: topic.name, partition })))
  // It fetches ahead: what it gives may have been asked for at any time since.
  const begin = now()
  while (!world.isStopping) {
    let polled: Awaited<ReturnType<typeof consumer.poll>>
    try {
      polled = await consumer.poll({ timeoutMs: 50 })
    } catch (error) {
      if (!(error instanceof PartitionError)) throw error
      throw new Error(`${name}: ${error.topic}-${error.partition} at ${error.offset}: ${error.code}`)
    }
    for (const { on, topic, partition } of partitions) {
      const own = polled.filter((record) => record.topic === topic.name && record.partition === partition)
      const [first, last] = [own[0], own.at(-1)]
      if (first === undefined || last === undefined) continue
      const records = own.map(({ offset, key, value }) => [offset, digestOf(key, value)] as const)
      const asked = { on, op: 'fetch', reader: name, group: name, from: first.offset } as const
      recorder.begin(asked, begin).ok({ records })
      if (random.next() < 0.8) continue
      const commit = { on, op: 'commit', group: name, offset: last.offset + 1 } as const
      const at = { topic: topic.name, partition }
      const ask = () => consumer.commitOffsets([{ ...at, offset: commit.offset }])
      await recorder.record(commit, ask).catch(onlyFailedCall)
      const committed = { on, op: 'committed', group: name } as const
      await recorder
        .record(
          committed,
          () => consumer.committed(at),
          (offset) => ({ offset }),
        )
        .catch(onlyFailedCall)
    }
  }
  await kafka.close()
}

function onlyFailedCall(error: unknown): void {
  if (!isFailedCall(error)) throw error
}
