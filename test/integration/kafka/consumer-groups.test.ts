/** Groups of a real client's members: how partitions are shared out, and where reading goes on when something happens. */
import { type Consumer, type ConsumerConfig, type Kafka, logLevel } from 'kafkajs'
import { expect, it } from 'vitest'
import { startBroker, type TestBroker } from '../../support/broker.js'
import { BrokerProcess } from '../../support/broker-process.js'
import { ChildConsumer } from '../../support/child-consumer.js'
import { connect, kafkajs } from '../../support/kafkajs.js'
import { temporaryDirectory } from '../../support/temporary.js'

const PATIENCE = { timeout: 30_000, interval: 50 }

/** It calls every rebalance an error. */
const QUIET = { logLevel: logLevel.NOTHING }

/** Sessions as short as a busy machine allows; a bound of the broker is lowered for it. */
const SESSION_MS = 3_000

async function start(partitions: number): Promise<{ broker: TestBroker; kafka: Kafka }> {
  const broker = await startBroker({ groupMinSessionTimeoutMs: 1_000, numPartitions: partitions })
  const kafka = kafkajs(broker.broker, QUIET)
  const admin = await connect(kafka.admin())
  await admin.createTopics({ topics: [{ topic: 't', numPartitions: partitions }] })
  return { broker, kafka }
}

/** So many messages into each partition; the values say which. */
async function produce(kafka: Kafka, partitions: number, count: number, name = ''): Promise<void> {
  const producer = await connect(kafka.producer())
  const messages = Array.from({ length: partitions * count }, (_, i) => ({
    partition: i % partitions,
    value: `${name}${i % partitions}/${Math.floor(i / partitions)}`,
  }))
  await producer.send({ topic: 't', messages })
}

interface Member {
  readonly consumer: Consumer
  /** Values, in the order in which they came. */
  readonly seen: string[]
  /** Its partitions since the last rebalance; null before the first. */
  partitions: readonly number[] | null
}

async function member(
  kafka: Kafka,
  options: Partial<ConsumerConfig> & { fromBeginning?: boolean; onMessage?: (value: string) => Promise<void> } = {},
): Promise<Member> {
  const { fromBeginning = true, onMessage, ...config } = options
  const consumer = kafka.consumer({
    groupId: 'g',
    sessionTimeout: SESSION_MS,
    heartbeatInterval: 200,
    maxWaitTimeInMs: 100,
    ...config,
  })
  const joined: Member = { consumer, seen: [], partitions: null }
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    joined.partitions = payload.memberAssignment.t ?? []
  })
  await connect(consumer)
  await consumer.subscribe({ topic: 't', fromBeginning })
  await consumer.run({
    eachMessage: async ({ message }) => {
      joined.seen.push(String(message.value))
      await onMessage?.(String(message.value))
    },
  })
  return joined
}

it.each([
  [3, [2, 2, 2]],
  [6, [1, 1, 1, 1, 1, 1]],
  [8, [0, 0, 1, 1, 1, 1, 1, 1]],
])('%i members share 6 partitions evenly, and each message comes once', async (count, shares) => {
  const { kafka } = await start(6)
  const members = await Promise.all(Array.from({ length: count }, () => member(kafka)))
  const shared = (): number[] => members.map(({ partitions }) => partitions?.length ?? 0).sort()
  await expect.poll(shared, PATIENCE).toEqual(shares)
  expect(members.flatMap(({ partitions }) => partitions ?? []).sort()).toEqual([0, 1, 2, 3, 4, 5])
  const admin = await connect(kafka.admin())
  const { groups } = await admin.describeGroups(['g'])
  expect(groups[0]).toMatchObject({ state: 'Stable', protocol: 'RoundRobinAssigner' })
  expect(groups[0]?.members).toHaveLength(count)
  await produce(kafka, 6, 5)
  const seen = (): string[] => members.flatMap((each) => each.seen)
  await expect.poll(() => seen().length, PATIENCE).toBe(30)
  expect(new Set(seen()).size).toBe(30)
})

it('kill -9 of a member: its partitions move, nothing is skipped, redelivery starts at the last commit', async () => {
  const { broker, kafka } = await start(6)
  const settings = {
    bootstrapServers: broker.broker.bootstrapServers,
    groupId: 'g',
    topic: 't',
    sessionTimeoutMs: SESSION_MS,
  }
  const members = [new ChildConsumer(settings), new ChildConsumer(settings)] as const
  const [survivor, victim] = members
  await expect.poll(() => members.map(({ partitions }) => partitions.length), PATIENCE).toEqual([3, 3])
  const read = (): number => survivor.messages().length + victim.messages().length
  await produce(kafka, 6, 10)
  await expect.poll(read, PATIENCE).toBe(60)
  await Promise.all(members.map((each) => each.commit()))
  // What the one that lives has is committed, what the other has is not.
  await produce(kafka, 6, 10)
  await expect.poll(read, PATIENCE).toBe(120)
  await survivor.commit()
  const lost = victim.partitions
  const before = survivor.heard.length
  await victim.kill()
  await expect.poll(() => survivor.partitions.length, PATIENCE).toBe(6)
  const uncommitted = lost.flatMap((partition) => Array.from({ length: 10 }, (_, i) => `${partition}/${10 + i}`))
  await expect.poll(() => survivor.messages(before).length, PATIENCE).toBe(30)
  await produce(kafka, 6, 1)
  await expect.poll(() => survivor.messages(before).length, PATIENCE).toBe(36)
  const last = [0, 1, 2, 3, 4, 5].map((partition) => `${partition}/20`)
  expect(survivor.messages(before).sort()).toEqual([...uncommitted, ...last].sort())
  for (const partition of lost) {
    const offsets = survivor.messages(before).filter((place) => place.startsWith(`${partition}/`))
    expect(offsets[0]).toBe(`${partition}/10`)
  }
})

it('a member that is slower than its session is out, and its partitions are read from its last commit', async () => {
  const { kafka } = await start(2)
  await produce(kafka, 2, 3)
  let release = (): void => {}
  const stuck = new Promise<void>((resolve) => {
    release = resolve
  })
  let busy: string | null = null
  const slow = await member(kafka, {
    onMessage: async (value) => {
      busy ??= value
      if (value === busy) await stuck
    },
  })
  await expect.poll(() => busy, PATIENCE).not.toBeNull()
  const quick = await member(kafka)
  // The slow one's first message among them: it had committed nothing.
  const all = ['0/0', '0/1', '0/2', '1/0', '1/1', '1/2']
  await expect.poll(() => [...new Set(quick.seen)].sort(), PATIENCE).toEqual(all)
  expect(quick.seen).toContain(busy)
  release()
  await expect.poll(() => [slow, quick].map(({ partitions }) => partitions?.length), PATIENCE).toEqual([1, 1])
})

it('a member that leaves hands its partitions on at once, with what it committed', async () => {
  const { kafka } = await start(2)
  const members = [await member(kafka), await member(kafka)] as const
  const [leaving, staying] = members
  await expect.poll(() => members.map(({ partitions }) => partitions?.length), PATIENCE).toEqual([1, 1])
  await produce(kafka, 2, 5)
  await expect.poll(() => members.map(({ seen }) => seen.length), PATIENCE).toEqual([5, 5])
  await leaving.consumer.disconnect()
  await expect.poll(() => staying.partitions?.length, PATIENCE).toBe(2)
  await produce(kafka, 2, 1, 'later ')
  await expect.poll(() => staying.seen.length, PATIENCE).toBe(7)
  expect(staying.seen.slice(5).sort()).toEqual(['later 0/0', 'later 1/0'])
})

it.each(['stop', 'kill'] as const)('behind a %s of the broker a group goes on from its commits', async (how) => {
  const dataDir = await temporaryDirectory()
  let broker = await BrokerProcess.start({ dataDir })
  const { port } = broker
  const kafka = kafkajs(
    { bootstrapServers: `127.0.0.1:${port}` },
    { ...QUIET, retry: { initialRetryTime: 100, retries: 50 } },
  )
  const admin = await connect(kafka.admin())
  await admin.createTopics({ topics: [{ topic: 't', numPartitions: 2 }] })
  const reader = await member(kafka, { sessionTimeout: 10_000 })
  await produce(kafka, 2, 5)
  await expect.poll(() => reader.seen.length, PATIENCE).toBe(10)
  const committed = async (): Promise<string[]> => {
    const [topic] = await admin.fetchOffsets({ groupId: 'g', topics: ['t'] })
    return (topic?.partitions ?? []).map(({ offset }) => offset)
  }
  await expect.poll(committed, PATIENCE).toEqual(['5', '5'])
  await broker[how]()
  broker = await BrokerProcess.start({ dataDir, args: ['--port', String(port)] })
  expect(await committed()).toEqual(['5', '5'])
  await produce(kafka, 2, 3, 'later ')
  await expect.poll(() => reader.seen.length, PATIENCE).toBe(16)
  expect(reader.seen.slice(10).sort()).toEqual(
    [0, 1].flatMap((partition) => [0, 1, 2].map((i) => `later ${partition}/${i}`)),
  )
})

it('a group that starts at latest skips what reached a new partition before it noticed it', async () => {
  const { kafka } = await start(1)
  const admin = await connect(kafka.admin())
  const producer = await connect(kafka.producer())
  const latest = [await member(kafka, { groupId: 'latest', fromBeginning: false })]
  const earliest = [await member(kafka, { groupId: 'earliest', fromBeginning: true })]
  const shared = (group: Member[]): number[] => group.flatMap(({ partitions }) => partitions ?? []).sort()
  const seen = (group: Member[]): Set<string> => new Set(group.flatMap((each) => each.seen))
  await expect.poll(() => [shared(latest), shared(earliest)], PATIENCE).toEqual([[0], [0]])
  await admin.createPartitions({ topicPartitions: [{ topic: 't', count: 2 }] })
  await producer.send({ topic: 't', messages: [{ partition: 1, value: 'early' }] })
  // A rebalance is where a group notices; without one, it looks every five minutes.
  latest.push(await member(kafka, { groupId: 'latest', fromBeginning: false }))
  earliest.push(await member(kafka, { groupId: 'earliest', fromBeginning: true }))
  await expect
    .poll(() => [shared(latest), shared(earliest)], PATIENCE)
    .toEqual([
      [0, 1],
      [0, 1],
    ])
  await expect.poll(() => seen(earliest), PATIENCE).toEqual(new Set(['early']))
  // It asks where the end is when it first fetches; what comes behind that is read.
  await expect
    .poll(async () => {
      await producer.send({ topic: 't', messages: [{ partition: 1, value: 'late' }] })
      return seen(latest).size
    }, PATIENCE)
    .toBeGreaterThan(0)
  expect(seen(latest)).toEqual(new Set(['late']))
  await expect.poll(() => seen(earliest), PATIENCE).toEqual(new Set(['early', 'late']))
})
