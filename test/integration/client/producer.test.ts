import { describe, expect, it } from 'vitest'
import type { Client } from '../../../src/client/client.js'
import { openTransport } from '../../../src/client/connect.js'
import type { ProducerOptions } from '../../../src/client/producer/options.js'
import { Producer } from '../../../src/client/producer/producer.js'
import type { Transport } from '../../../src/client/transport.js'
import { createPartitionsApi } from '../../../src/wire/kafka/generated/create-partitions.js'
import { startBroker } from '../../support/broker.js'
import { CONNECTION_KINDS, type ConnectionKind, closedBehind, openedTransport } from '../../support/connected.js'
import { relay } from '../../support/relay.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { readVectors } from '../../support/vectors.js'

interface Opened {
  readonly transport: Transport
  readonly client: Client
  readonly producer: Producer
}

async function open(kind: ConnectionKind, options: ProducerOptions = {}): Promise<Opened> {
  const transport = await openedTransport(kind)
  const client = await transport.client()
  return { transport, client, producer: closedBehind(new Producer(transport, options)) }
}

async function valuesOf(client: Client, topic: string, partition: number): Promise<string[]> {
  const values: string[] = []
  for (;;) {
    const records = await client.fetch(topic, partition, values.length)
    if (records.length === 0) return values
    values.push(...records.map(({ value }) => String(value)))
  }
}

describe.each(CONNECTION_KINDS)('a producer over %s', (kind) => {
  it('tells where each record is, and keeps the order of a partition', async () => {
    const { client, producer } = await open(kind, { bufferMemory: 40_000, batchSize: 6000 })
    await client.createTopic('t', 3)
    const nth = (i: number): string => `${i}${'.'.repeat(i % 200)}`
    const send = (i: number) => producer.send({ topic: 't', key: `k${i % 50}`, value: nth(i) })
    const sends = Array.from({ length: 3000 }, (_, i) => send(i))
    const placed = await Promise.all(sends)
    const logs = await Promise.all([0, 1, 2].map((partition) => valuesOf(client, 't', partition)))
    expect(placed.map(({ partition, offset }) => logs[partition]?.[offset])).toEqual(sends.map((_, i) => nth(i)))
    expect(logs.flat()).toHaveLength(3000)
    for (const log of logs) expect(log).toEqual(log.toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)))
    const { records, batches, retries, queue } = producer.statistics()
    expect({ records, retries, queue }).toEqual({
      records: 3000,
      retries: 0,
      queue: { records: 0, bytes: 0, batches: 0, inFlight: 0, waiting: 0 },
    })
    expect(batches).toBeLessThan(300)
  })

  it.each(['murmur2', 'java-hash'] as const)('places keys by %s as the vectors say', async (partitioner) => {
    const { client, producer } = await open(kind, { partitioner })
    await client.createTopic('t', 6)
    const { keys } = readVectors<{ keys: { key: string; murmur2Of6: number; javaHashOf6: number }[] }>(
      'partitioners.json',
    )
    for (const { key, murmur2Of6, javaHashOf6 } of keys) {
      const expected = partitioner === 'murmur2' ? murmur2Of6 : javaHashOf6
      const sends = [key, Buffer.from(key)].map((key) => producer.send({ topic: 't', key, value: '' }))
      expect((await Promise.all(sends)).map(({ partition }) => partition)).toEqual([expected, expected])
    }
  })

  it('spreads records without a key over all partitions, a batch at a time', async () => {
    const { client, producer } = await open(kind, { batchSize: 500 })
    await client.createTopic('t', 4)
    const value = Buffer.alloc(92)
    const placed = await Promise.all(Array.from({ length: 1000 }, () => producer.send({ topic: 't', value })))
    const changes = placed.filter(({ partition }, i) => i > 0 && placed[i - 1]?.partition !== partition).length
    expect(changes).toBe(1000 / 5 - 1)
    expect(new Set(placed.map(({ partition }) => partition)).size).toBe(4)
  })

  it('waits for a topic, and for partitions that are added', async () => {
    const { transport, client, producer } = await open(kind)
    const early = producer.send({ topic: 't', value: 'early' })
    await client.createTopic('t', 1)
    expect(await early).toEqual({ topic: 't', partition: 0, offset: 0 })
    const later = producer.send({ topic: 't', partition: 1, value: 'later' })
    await producer.send({ topic: 't', value: 'meanwhile' })
    const growth = { topics: [{ name: 't', count: 2, assignments: null }], timeoutMs: 5000, validateOnly: false }
    await (await transport.kafka()).call(createPartitionsApi, 3, growth)
    expect(await later).toEqual({ topic: 't', partition: 1, offset: 0 })
  })

  it('sends what it holds when it is closed', async () => {
    const { client, producer } = await open(kind, { lingerMs: 60_000 })
    await client.createTopic('t', 2)
    const sends = ['a', 'b', 'c'].map((value, i) => producer.send({ topic: 't', partition: i % 2, value }))
    await producer.close()
    expect(await Promise.all(sends)).toHaveLength(3)
    expect([await valuesOf(client, 't', 0), await valuesOf(client, 't', 1)]).toEqual([['a', 'c'], ['b']])
  })
})

it('a broker that is away for a while keeps nothing back, and a partition in order', async () => {
  const dataDir = await temporaryDirectory()
  const address = await relay()
  const broker = await startBroker({ dataDir })
  address.to(broker.port)
  const quick = { retryBackoffMs: 5, reconnectBackoffMs: 1, reconnectBackoffMaxMs: 5 }
  const transport = closedBehind(openTransport({ brokers: `127.0.0.1:${address.port}`, ...quick }))
  const producer = closedBehind(new Producer(transport, { batchSize: 200 }))
  await (await transport.client()).createTopic('t', 2)
  const sends: Promise<unknown>[] = []
  const send = (from: number, to: number): void => {
    for (let i = from; i < to; i++) sends.push(producer.send({ topic: 't', partition: i % 2, value: `${i}` }))
  }
  send(0, 500)
  await sends[100]
  await broker.stop()
  send(500, 1000)
  address.to((await startBroker({ dataDir })).port)
  await Promise.all(sends)
  const client = await transport.client()
  for (const partition of [0, 1]) {
    const found = await valuesOf(client, 't', partition)
    const expected = Array.from({ length: 500 }, (_, i) => `${2 * i + partition}`)
    expect([...new Set(found)]).toEqual(expected)
    if (found.length > expected.length) expect(producer.statistics().retries).toBeGreaterThan(0)
  }
})
