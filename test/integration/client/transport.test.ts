import { describe, expect, it } from 'vitest'
import type { KafkaConnection } from '../../../src/client/kafka-connection.js'
import { fetchApi } from '../../../src/wire/kafka/generated/fetch.js'
import { metadataApi } from '../../../src/wire/kafka/generated/metadata.js'
import { CONNECTION_KINDS, openedTransport } from '../../support/connected.js'
import { fetchRequest } from '../../support/kafka-calls.js'

const METADATA_VERSION = 9
const FETCH_VERSION = 12
const ALL_TOPICS = {
  topics: null,
  allowAutoTopicCreation: false,
  includeClusterAuthorizedOperations: false,
  includeTopicAuthorizedOperations: false,
}

const values = (records: readonly { readonly value: Buffer | null }[]) => records.map(({ value }) => String(value))

/** Waits for a record behind the end of a topic for longer than any test. */
const waiting = (kafka: KafkaConnection) =>
  kafka.call(fetchApi, FETCH_VERSION, fetchRequest([{ topic: 't', offset: 0 }], { maxWaitMs: 600_000, minBytes: 1 }))

describe.each(CONNECTION_KINDS)('a transport by %s', (kind) => {
  it('has one client for all who ask', async () => {
    const transport = await openedTransport(kind)
    const [first, second] = await Promise.all([transport.client(), transport.client()])
    expect(second).toBe(first)
    expect(await transport.client()).toBe(first)
    await first.close()
    const next = await transport.client()
    expect(next).not.toBe(first)
    expect(await next.metadata()).toEqual([])
  })

  it('answers calls in the order in which they were made', async () => {
    const client = await (await openedTransport(kind)).client()
    const order: number[] = []
    const calls = [
      client.createTopic('t', 2),
      client.produce('t', [{ value: 'a' }], { partition: 0 }),
      client.produce('t', [{ value: 'b' }, { value: 'c' }], { partition: 1 }),
      client.fetch('t', 1, 0).then(values),
      client.commitOffset('g', 't', 1, 2),
      client.fetchOffset('g', 't', 1),
      client.metadata('t').then(([topic]) => topic?.partitions.map(({ highWatermark }) => highWatermark)),
    ]
    const made = [client.produce('t', [{ value: 'd' }]), client.fetch('none', 0, 0), client.fetchOffset('g', 't', 0)]
    made.forEach((call, i) => {
      const note = () => order.push(i)
      call.then(note, note)
    })
    expect(await Promise.all(calls)).toEqual([
      'created',
      { partition: 0, baseOffset: 0, count: 1 },
      { partition: 1, baseOffset: 0, count: 2 },
      ['b', 'c'],
      undefined,
      2,
      [1, 2],
    ])
    const codes = (await Promise.allSettled(made)).map((call) => call.status === 'rejected' && call.reason.code)
    expect(codes).toEqual([false, 'UNKNOWN_TOPIC_OR_PARTITION', false])
    expect(order).toEqual([0, 1, 2])
  })

  it('reads records of many segments, large ones too', async () => {
    const client = await (await openedTransport(kind, {}, { segmentBytes: 1 << 20 })).client()
    await client.createTopic('t', 1)
    const sent = Array.from({ length: 10 }, (_, i) => Buffer.alloc(300_000 + i, i))
    for (const value of sent) await client.produce('t', [{ value }])
    const fetched = await client.fetch('t', 0, 0, { maxBytes: 8 << 20 })
    expect(fetched.map(({ value }) => value?.length)).toEqual(sent.map(({ length }) => length))
    expect(fetched.every(({ value }, i) => value?.equals(sent[i] as Buffer))).toBe(true)
  })

  it('speaks Kafka beside it', async () => {
    const transport = await openedTransport(kind)
    const client = await transport.client()
    await client.createTopic('t', 3)
    await client.produce('t', [{ value: 'a' }], { partition: 1 })
    const kafka = await transport.kafka()
    expect(await transport.kafka()).toBe(kafka)
    const { topics } = await kafka.call(metadataApi, METADATA_VERSION, ALL_TOPICS)
    const own = topics.filter(({ isInternal }) => isInternal !== true)
    expect(own.map(({ name, partitions }) => [name, partitions.length])).toEqual([['t', 3]])
    expect(await client.offsetsForTime('t', [0, 1], 0)).toEqual(
      new Map([
        [0, null],
        [1, 0],
      ]),
    )
  })

  it('gives connections of one’s own, each of which ends alone', async () => {
    const transport = await openedTransport(kind)
    const [shared, own, other] = await Promise.all([transport.client(), transport.ownClient(), transport.ownClient()])
    expect(own).not.toBe(shared)
    expect(own).not.toBe(other)
    await own.close()
    await expect(own.metadata()).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' })
    expect(await Promise.all([shared.metadata(), other.metadata()])).toEqual([[], []])
  })

  it('that is closed rejects what is under way and what comes later', async () => {
    const transport = await openedTransport(kind)
    const [client, own, kafka] = await Promise.all([transport.client(), transport.ownClient(), transport.kafka()])
    await client.createTopic('t', 1)
    const calls: Promise<unknown>[] = [waiting(kafka), waiting(kafka)]
    await new Promise(setImmediate)
    calls.push(client.metadata(), own.metadata())
    const closing = transport.close()
    expect(transport.closed).toBe(true)
    calls.push(client.metadata(), waiting(kafka), transport.client(), transport.ownClient(), transport.kafka())
    const settled = await Promise.allSettled(calls)
    expect(settled.map((call) => (call as PromiseRejectedResult).reason?.code)).toEqual(Array(9).fill('CLIENT_CLOSED'))
    await closing
    await transport.close()
  })

  it('that is closed before its first call opens nothing', async () => {
    const transport = await openedTransport(kind)
    await transport.close()
    await expect(transport.client()).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
  })

  it('heeds a signal at each stage', async () => {
    const transport = await openedTransport(kind)
    const aborted = { signal: AbortSignal.abort(new Error('no more')) }
    for (const call of [transport.client(aborted), transport.ownClient(aborted), transport.kafka(aborted)]) {
      await expect(call).rejects.toMatchObject({ code: 'ABORTED', cause: { message: 'no more' } })
    }
    const opening = new AbortController()
    const asked = transport.client({ signal: opening.signal })
    opening.abort()
    await expect(asked).rejects.toMatchObject({ code: 'ABORTED' })

    const client = await transport.client()
    await client.createTopic('t', 1)
    await expect(client.metadata('t', aborted)).rejects.toMatchObject({ code: 'ABORTED' })
    const sending = new AbortController()
    const sent = client.produce('t', [{ value: 'a' }], { partition: 0, signal: sending.signal })
    const behind = client.fetch('t', 0, 0)
    sending.abort()
    await expect(sent).rejects.toMatchObject({ code: 'ABORTED' })
    // The broker has done it all the same, and the answers behind it are told from it.
    expect(values(await behind)).toEqual(['a'])
    expect(await transport.client()).toBe(client)
  })
})
