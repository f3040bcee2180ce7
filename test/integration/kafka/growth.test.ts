import type { Consumer, EachMessagePayload, Producer } from 'kafkajs'
import { expect, it } from 'vitest'
import { Client } from '../../../src/client/index.js'
import { startBroker } from '../../support/broker.js'
import { connect, kafkajs } from '../../support/kafkajs.js'
import { scaled } from '../../support/scale.js'

const KEYS = 25
const COUNTS = scaled([2, 4], [2, 3, 8])
const METADATA_MAX_AGE_MS = 50

/** What was read: the values of each partition by their offsets. */
type Seen = Map<number, Map<number, { key: string; value: string }>>

function see(seen: Seen, partition: number, offset: number, key: unknown, value: unknown): void {
  const records = seen.get(partition) ?? new Map<number, { key: string; value: string }>()
  const before = records.get(offset)
  const now = { key: String(key), value: String(value) }
  // Behind a rebalance a record may come again: as the same one.
  if (before !== undefined) expect(now).toEqual(before)
  seen.set(partition, records.set(offset, now))
}

const countOf = (seen: Seen): number => [...seen.values()].reduce((sum, records) => sum + records.size, 0)

/** Values `<producer> <number>` of one key, the next one when the last is acknowledged; until it is told to end. */
class Writer {
  readonly acknowledged: string[] = []
  readonly done: Promise<void>

  constructor(
    readonly name: string,
    send: (key: string, value: string) => Promise<unknown>,
    isEnd: () => boolean,
  ) {
    this.done = (async () => {
      for (let i = 0; !isEnd(); i++) {
        const value = `${name} ${i}`
        await send(`key ${i % KEYS}`, value)
        this.acknowledged.push(value)
      }
    })()
  }
}

it.each(scaled(['kafka'], ['kafka', 'mykafka']))(
  'a %s topic grows while clients of both wires write and read it',
  async (format) => {
    const { broker, port, logger } = await startBroker({ segmentBytes: 64 << 10 })
    const kafka = kafkajs(broker)
    const admin = await connect(kafka.admin())
    const configEntries = [{ name: 'record.format', value: format }]
    await admin.createTopics({ topics: [{ topic: 't', numPartitions: COUNTS[0] as number, configEntries }] })

    let ended = false
    const isEnd = (): boolean => ended
    const producers: Producer[] = await Promise.all(
      [0, 1].map(() => connect(kafka.producer({ metadataMaxAge: METADATA_MAX_AGE_MS }))),
    )
    const clients = await Promise.all([0, 1].map(() => Client.connect({ port })))
    const writers = [
      ...producers.map(
        (producer, i) =>
          new Writer(`kafkajs-${i}`, (key, value) => producer.send({ topic: 't', messages: [{ key, value }] }), isEnd),
      ),
      ...clients.map(
        (client, i) => new Writer(`mykafka-${i}`, (key, value) => client.produce('t', [{ key, value }]), isEnd),
      ),
    ]

    const byGroup: Seen = new Map()
    const members: Consumer[] = await Promise.all(
      [0, 1].map(() =>
        connect(kafka.consumer({ groupId: 'g', metadataMaxAge: METADATA_MAX_AGE_MS, maxWaitTimeInMs: 100 })),
      ),
    )
    for (const member of members) {
      await member.subscribe({ topic: 't', fromBeginning: true })
      const eachMessage = async ({ partition, message }: EachMessagePayload): Promise<void> =>
        see(byGroup, partition, Number(message.offset), message.key, message.value)
      await member.run({ eachMessage })
    }

    const byFetch: Seen = new Map()
    const reader = await Client.connect({ port })
    let readAll = false
    const reading = (async () => {
      const offsets: number[] = []
      while (!readAll) {
        const [described] = await reader.metadata('t')
        for (const partition of described?.partitions.keys() ?? []) {
          const records = await reader.fetch('t', partition, offsets[partition] ?? 0)
          for (const { offset, key, value } of records) see(byFetch, partition, offset, key, value)
          offsets[partition] = (records.at(-1)?.offset ?? (offsets[partition] ?? 0) - 1) + 1
        }
      }
    })()

    for (const count of COUNTS.slice(1)) {
      const before = countOf(byGroup)
      await expect.poll(() => countOf(byGroup), { timeout: 30_000 }).toBeGreaterThan(before + 50)
      await admin.createPartitions({ topicPartitions: [{ topic: 't', count }] })
      // Every client finds the new ones by itself.
      const filled = (seen: Seen): number => [...seen.values()].filter((records) => records.size > 0).length
      await expect.poll(() => [filled(byGroup), filled(byFetch)], { timeout: 30_000 }).toEqual([count, count])
    }
    ended = true
    await Promise.all(writers.map(({ done }) => done))
    const acknowledged = writers.flatMap((writer) => writer.acknowledged).sort()
    await expect
      .poll(() => [countOf(byGroup), countOf(byFetch)], { timeout: 30_000 })
      .toEqual(Array(2).fill(acknowledged.length))
    readAll = true
    await reading

    for (const seen of [byGroup, byFetch]) {
      const values = [...seen.values()].flatMap((records) => [...records.values()].map(({ value }) => value))
      expect(values.sort()).toEqual(acknowledged)
      for (const records of seen.values()) {
        expect([...records.keys()].sort((a, b) => a - b)).toEqual([...Array(records.size).keys()])
        expectOrder([...records].sort(([a], [b]) => a - b).map(([, { value }]) => value))
      }
    }
    expect(byGroup).toEqual(byFetch)
    expect(logger.messages('error')).toEqual([])
    await Promise.all([...clients, reader].map((client) => client.close()))
  },
)

/** In a partition, what one producer wrote stands in the order in which it wrote it. */
function expectOrder(values: readonly string[]): void {
  const last = new Map<string, number>()
  for (const value of values) {
    const [writer, number] = value.split(' ') as [string, string]
    expect(Number(number)).toBeGreaterThan(last.get(writer) ?? -1)
    last.set(writer, Number(number))
  }
}
