import { beforeEach, describe, expect, it } from 'vitest'
import type { Client } from '../../../src/client/client.js'
import { Consumer } from '../../../src/client/consumer/consumer.js'
import type { ConsumerOptions } from '../../../src/client/consumer/consumer-options.js'
import type { ConsumerRecord } from '../../../src/client/consumer/topic-partition.js'
import type { Transport } from '../../../src/client/transport.js'
import { createPartitionsApi } from '../../../src/wire/kafka/generated/create-partitions.js'
import { deleteTopicsApi } from '../../../src/wire/kafka/generated/delete-topics.js'
import { CONNECTION_KINDS, closedBehind, openedTransport } from '../../support/connected.js'
import { append, numbers, pollFor, valuesByPartition } from '../../support/consumed.js'

const GROUP = 'g'
const NO_ID = 'AAAAAAAAAAAAAAAAAAAAAA'
const T0 = { topic: 't', partition: 0 }
const T1 = { topic: 't', partition: 1 }
const T2 = { topic: 't', partition: 2 }
const EARLIEST: ConsumerOptions = { autoOffsetReset: 'earliest' }
const NO_WAIT = { timeoutMs: 0 }

describe.each(CONNECTION_KINDS)('a consumer over %s', (kind) => {
  let transport: Transport
  let client: Client

  beforeEach(async () => {
    transport = await openedTransport(kind)
    client = await transport.client()
    await client.createTopic('t', 3)
  })

  const consumerOf = (options: ConsumerOptions = {}): Consumer => closedBehind(new Consumer(transport, options))
  const byGroup = (options: ConsumerOptions = {}): Consumer => consumerOf({ groupId: GROUP, ...EARLIEST, ...options })

  describe('reads', () => {
    it('all partitions of its topics from their beginning, each in order', async () => {
      await client.createTopic('u', 1)
      for (const { topic, partition } of [T0, T1, T2, { topic: 'u', partition: 0 }]) {
        await append(client, topic, partition, 100)
      }
      const consumer = consumerOf(EARLIEST)
      await consumer.subscribe(['t', 'u'])
      const expected = numbers(0, 99)
      expect(valuesByPartition(await pollFor(consumer, 400))).toEqual({
        't-0': expected,
        't-1': expected,
        't-2': expected,
        'u-0': expected,
      })
      expect(await consumer.poll(NO_WAIT)).toEqual([])
      expect(consumer.position(T2)).toBe(100)
    })

    it('with latest, what is appended behind its subscription', async () => {
      await append(client, 't', 0, 5)
      const consumer = consumerOf()
      await consumer.subscribe('t')
      await append(client, 't', 0, 3, 5)
      await append(client, 't', 1, 1, 8)
      expect(valuesByPartition(await pollFor(consumer, 4))).toEqual({ 't-0': ['5', '6', '7'], 't-1': ['8'] })
    })

    it('what is appended while it waits, again and again', async () => {
      const consumer = consumerOf(EARLIEST)
      await consumer.subscribe('t')
      for (let i = 0; i < 30; i++) {
        const polled = pollFor(consumer, 1)
        await append(client, 't', i % 3, 1, i)
        expect(String((await polled)[0]?.value)).toBe(String(i))
      }
    })

    it('records as they are: null and empty keys, tombstones, timestamps', async () => {
      await client.produce('t', [{ key: 'k', value: 'v' }, { value: null }, { key: '', value: '' }], { partition: 0 })
      const consumer = consumerOf(EARLIEST)
      await consumer.assign([T0])
      const stored = await client.fetch('t', 0, 0)
      expect(await pollFor(consumer, 3)).toEqual(stored.map((record) => ({ ...T0, ...record })))
    })

    it('maxPollRecords at a time', async () => {
      await append(client, 't', 0, 25)
      await append(client, 't', 1, 5)
      const consumer = consumerOf({ ...EARLIEST, maxPollRecords: 10 })
      await consumer.subscribe('t')
      const lengths: number[] = []
      const all = []
      while (all.length < 30) {
        const records = await consumer.poll()
        lengths.push(records.length)
        all.push(...records)
      }
      expect(Math.max(...lengths)).toBe(10)
      expect(valuesByPartition(all)).toEqual({ 't-0': numbers(0, 24), 't-1': numbers(0, 4) })
    })

    it('a record that is larger than what it may fetch ahead', async () => {
      const large = 'x'.repeat(100_000)
      await client.produce('t', [{ value: 'a' }, { value: large }, { value: 'b' }], { partition: 0 })
      const consumer = consumerOf({ ...EARLIEST, maxPartitionFetchBytes: 1000, fetchMaxBytes: 1000 })
      await consumer.subscribe('t')
      expect((await pollFor(consumer, 3)).map(({ value }) => value?.length)).toEqual([1, 100_000, 1])
    })

    it('the few of many partitions that have something', async () => {
      await client.createTopic('many', 40)
      await append(client, 'many', 7, 3)
      const consumer = consumerOf(EARLIEST)
      await consumer.subscribe('many')
      await append(client, 'many', 39, 2)
      const records = await pollFor(consumer, 5)
      expect(valuesByPartition(records)).toEqual({ 'many-7': numbers(0, 2), 'many-39': numbers(0, 1) })
      expect(consumer.statistics().fetches).toBeLessThan(40)
    })

    it('its share of the partitions', async () => {
      for (const { topic, partition } of [T0, T1, T2]) await append(client, topic, partition, 1, partition)
      const first = consumerOf(EARLIEST)
      const second = consumerOf(EARLIEST)
      await first.subscribe('t', { member: 0, of: 2 })
      await second.subscribe('t', { member: 1, of: 2 })
      expect(first.assignment()).toEqual([T0, T2])
      expect(valuesByPartition(await pollFor(first, 2))).toEqual({ 't-0': ['0'], 't-2': ['2'] })
      expect(valuesByPartition(await pollFor(second, 1))).toEqual({ 't-1': ['1'] })
    })

    it('partitions that its topic gets, from their beginning', async () => {
      const consumer = consumerOf({ metadataMaxAgeMs: 5 })
      await consumer.subscribe('t', { member: 1, of: 2 })
      const growth = { topics: [{ name: 't', count: 6, assignments: null }], timeoutMs: 30_000, validateOnly: false }
      await (await transport.kafka()).call(createPartitionsApi, 3, growth)
      await append(client, 't', 4, 2)
      await append(client, 't', 5, 3)
      expect(valuesByPartition(await pollFor(consumer, 3))).toEqual({ 't-5': numbers(0, 2) })
      expect(consumer.assignment()).toEqual([T1, { topic: 't', partition: 3 }, { topic: 't', partition: 5 }])
    })

    it('partitions that its topic gets, though another of its topics is deleted', async () => {
      await client.createTopic('gone', 1)
      const consumer = consumerOf({ metadataMaxAgeMs: 5 })
      await consumer.subscribe(['gone', 't'])
      const kafka = await transport.kafka()
      const topics = [{ name: 'gone', topicId: NO_ID }]
      await kafka.call(deleteTopicsApi, 6, { topics, topicNames: [], timeoutMs: 30_000 })
      const growth = { topics: [{ name: 't', count: 4, assignments: null }], timeoutMs: 30_000, validateOnly: false }
      await kafka.call(createPartitionsApi, 3, growth)
      await append(client, 't', 3, 2)
      const records: ConsumerRecord[] = []
      const failures: unknown[] = []
      const note = (error: unknown): [] => {
        failures.push(error)
        return []
      }
      // Either may come first.
      while (records.length < 2 || failures.length === 0) {
        records.push(...(await consumer.poll({ timeoutMs: 30_000 }).catch(note)))
      }
      expect(valuesByPartition(records)).toEqual({ 't-3': numbers(0, 1) })
      expect(failures).toMatchObject([{ code: 'UNKNOWN_TOPIC_OR_PARTITION', topic: 'gone' }])
    })
  })

  describe('moves', () => {
    it('to an offset, whatever is on its way', async () => {
      await append(client, 't', 0, 100)
      const consumer = consumerOf(EARLIEST)
      await consumer.assign([T0])
      consumer.seek(T0, 40)
      expect(consumer.position(T0)).toBe(40)
      expect(valuesByPartition(await pollFor(consumer, 60))).toEqual({ 't-0': numbers(40, 99) })
      consumer.seek(T0, 98)
      expect(valuesByPartition(await pollFor(consumer, 2))).toEqual({ 't-0': ['98', '99'] })
    })

    it('to the beginning and to the end', async () => {
      await append(client, 't', 0, 3)
      await append(client, 't', 1, 3)
      const consumer = consumerOf(EARLIEST)
      await consumer.assign([T0, T1])
      await consumer.seekToEnd()
      expect([consumer.position(T0), consumer.position(T1)]).toEqual([3, 3])
      await consumer.seekToBeginning([T1])
      expect(valuesByPartition(await pollFor(consumer, 3))).toEqual({ 't-1': numbers(0, 2) })
    })

    it('not in partitions that are paused', async () => {
      await append(client, 't', 0, 10)
      await append(client, 't', 1, 10)
      const consumer = consumerOf({ ...EARLIEST, maxPollRecords: 4 })
      await consumer.assign([T0, T1])
      const first = await pollFor(consumer, 4)
      const { partition } = first[0] as { partition: number }
      consumer.pause([{ topic: 't', partition }])
      expect(consumer.paused()).toEqual([{ topic: 't', partition }])
      const others = await pollFor(consumer, 10)
      expect(valuesByPartition(others)).toEqual({ [`t-${1 - partition}`]: numbers(0, 9) })
      consumer.resume([{ topic: 't', partition }])
      const rest = await pollFor(consumer, 6)
      expect(valuesByPartition([...first, ...rest])).toEqual({ [`t-${partition}`]: numbers(0, 9) })
    })

    it('where its policy says, from an offset that the log does not have', async () => {
      await append(client, 't', 0, 5)
      const earliest = consumerOf(EARLIEST)
      await earliest.assign([T0])
      earliest.seek(T0, 50)
      expect(valuesByPartition(await pollFor(earliest, 5))).toEqual({ 't-0': numbers(0, 4) })
      const latest = consumerOf()
      await latest.assign([T0])
      latest.seek(T0, 50)
      await expect.poll(() => latest.position(T0)).toBe(5)
      await append(client, 't', 0, 1, 5)
      expect(valuesByPartition(await pollFor(latest, 1))).toEqual({ 't-0': ['5'] })
    })

    it('nowhere with the policy none: that is an error, until it is sought', async () => {
      await append(client, 't', 0, 5)
      const consumer = consumerOf({ groupId: GROUP, autoOffsetReset: 'none' })
      await consumer.assign([T0])
      const missing = { code: 'NO_OFFSET_FOR_PARTITION', topic: 't', partition: 0 }
      await expect(consumer.poll()).rejects.toMatchObject(missing)
      await expect(consumer.poll()).rejects.toMatchObject(missing)
      expect(consumer.position(T0)).toBeNull()
      consumer.seek(T0, 9)
      await expect(consumer.poll()).rejects.toMatchObject({ code: 'OFFSET_OUT_OF_RANGE', offset: 9 })
      expect(consumer.position(T0)).toBe(9)
      consumer.seek(T0, 3)
      expect(valuesByPartition(await pollFor(consumer, 2))).toEqual({ 't-0': ['3', '4'] })
    })
  })

  describe('commits', () => {
    const committed = async (partition = 0): Promise<number | null> => await client.fetchOffset(GROUP, 't', partition)

    it('everything that was handed out, and goes on behind it', async () => {
      await append(client, 't', 0, 10)
      const consumer = byGroup({ enableAutoCommit: false, maxPollRecords: 4 })
      await consumer.subscribe('t')
      await pollFor(consumer, 4)
      await consumer.commit()
      expect([await committed(0), await committed(1)]).toEqual([4, 0])
      expect(await consumer.committed(T0)).toBe(4)
      await pollFor(consumer, 4)
      await consumer.close()
      const next = byGroup()
      await next.subscribe('t')
      expect(valuesByPartition(await pollFor(next, 6))).toEqual({ 't-0': numbers(4, 9) })
    })

    it('by record and by batch, behind the last of each partition', async () => {
      await append(client, 't', 0, 10)
      await append(client, 't', 1, 4)
      const consumer = byGroup({ enableAutoCommit: false })
      await consumer.subscribe('t')
      const records = await pollFor(consumer, 14)
      const ofFirst = records.filter(({ partition }) => partition === 0)
      await consumer.commit(ofFirst[2])
      expect([await committed(0), await committed(1)]).toEqual([3, null])
      await consumer.commit(records)
      expect([await committed(0), await committed(1)]).toEqual([10, 4])
      await consumer.commitOffsets([{ ...T0, offset: 5 }])
      expect(await committed(0)).toBe(5)
    })

    it('by itself what is done with: when more was asked for', async () => {
      await append(client, 't', 0, 10)
      const consumer = byGroup({ autoCommitIntervalMs: 1, maxPollRecords: 4 })
      await consumer.assign([T0])
      await pollFor(consumer, 4)
      await expect.poll(() => committed()).toBe(0)
      await pollFor(consumer, 4)
      await expect.poll(() => committed()).toBe(4)
      await consumer.close()
      expect(await committed()).toBe(4)
    })

    it('when it is closed, what is done with', async () => {
      await append(client, 't', 0, 10)
      const consumer = byGroup({ autoCommitIntervalMs: 2 ** 31 - 1 })
      await consumer.assign([T0])
      await pollFor(consumer, 10)
      expect(await consumer.poll(NO_WAIT)).toEqual([])
      expect(await committed()).toBeNull()
      await consumer.close()
      expect(await committed()).toBe(10)
    })

    it('nothing by itself where it is told so', async () => {
      await append(client, 't', 0, 10)
      const consumer = byGroup({ enableAutoCommit: false, autoCommitIntervalMs: 0 })
      await consumer.assign([T0])
      await pollFor(consumer, 10)
      await consumer.poll(NO_WAIT)
      await consumer.close()
      expect(await committed()).toBeNull()
    })

    it('no record before the loop asks for the next one', async () => {
      await append(client, 't', 0, 20)
      const consumer = byGroup({ autoCommitIntervalMs: 0 })
      await consumer.assign([T0])
      for await (const { offset } of consumer) {
        expect((await committed()) ?? 0).toBeLessThanOrEqual(offset)
        if (offset === 10) await expect.poll(() => committed()).toBe(10)
        if (offset === 19) break
      }
      await consumer.close()
      expect(await committed()).toBe(19)
    })

    it('before it reads other partitions', async () => {
      await append(client, 't', 0, 10)
      const consumer = byGroup()
      await consumer.assign([T0])
      await pollFor(consumer, 10)
      await consumer.poll(NO_WAIT)
      await consumer.assign([T0])
      expect(await committed()).toBe(10)
      expect(consumer.position(T0)).toBe(10)
    })

    it('not without a group', async () => {
      const consumer = consumerOf()
      await consumer.assign([T0])
      await expect(consumer.commit()).rejects.toMatchObject({ code: 'INVALID_GROUP_ID' })
      await expect(consumer.committed(T0)).rejects.toMatchObject({ code: 'INVALID_GROUP_ID' })
      expect(() => consumerOf({ enableAutoCommit: true })).toThrow(
        expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
      )
    })
  })

  describe('is a loop', () => {
    it('that ends with a signal, and with the consumer', async () => {
      await append(client, 't', 0, 3)
      const consumer = consumerOf(EARLIEST)
      await consumer.subscribe('t')
      const ending = new AbortController()
      const seen: string[] = []
      for await (const { value } of consumer.iterate({ signal: ending.signal })) {
        seen.push(String(value))
        if (seen.length === 3) setImmediate(() => ending.abort())
      }
      expect(seen).toEqual(['0', '1', '2'])
      setImmediate(() => consumer.close())
      for await (const { value } of consumer) seen.push(String(value))
      expect(seen).toHaveLength(3)
    })

    it('that leaves the rest to the next one', async () => {
      await append(client, 't', 0, 4)
      const consumer = consumerOf(EARLIEST)
      await consumer.subscribe('t')
      const seen: string[] = []
      for (let round = 0; round < 4; round++) {
        for await (const { value } of consumer) {
          seen.push(String(value))
          break
        }
      }
      expect(seen).toEqual(numbers(0, 3))
    })
  })

  describe('ends', () => {
    it('a poll by its signal, and loses nothing', async () => {
      const consumer = consumerOf(EARLIEST)
      await consumer.subscribe('t')
      const ending = new AbortController()
      const polled = consumer.poll({ timeoutMs: Number.POSITIVE_INFINITY, signal: ending.signal })
      ending.abort(new Error('enough'))
      await expect(polled).rejects.toMatchObject({ code: 'ABORTED', cause: new Error('enough') })
      await append(client, 't', 0, 1)
      await pollFor(consumer, 1)
    })

    it('what is under way when it is closed, and takes nothing more', async () => {
      const consumer = byGroup()
      await consumer.subscribe('t')
      const polled = consumer.poll({ timeoutMs: Number.POSITIVE_INFINITY })
      await consumer.close()
      const closed = { code: 'CLIENT_CLOSED' }
      await expect(polled).rejects.toMatchObject(closed)
      await expect(consumer.poll()).rejects.toMatchObject(closed)
      await expect(consumer.subscribe('t')).rejects.toMatchObject(closed)
      await expect(consumer.commit()).rejects.toMatchObject(closed)
      await consumer.close()
      expect(consumer.closed).toBe(true)
    })

    it('without a rejection that nobody handles', async () => {
      const unhandled: unknown[] = []
      const note = (error: unknown): void => void unhandled.push(error)
      process.on('unhandledRejection', note)
      const consumer = byGroup()
      void consumer.subscribe('no-such-topic')
      void consumer.poll({ timeoutMs: Number.POSITIVE_INFINITY })
      void consumer.committed(T0)
      await consumer.close()
      await transport.close()
      await new Promise(setImmediate)
      process.off('unhandledRejection', note)
      expect(unhandled).toEqual([])
    })
  })

  describe('refuses', () => {
    it('what does not exist', async () => {
      const consumer = consumerOf()
      const unknown = { code: 'UNKNOWN_TOPIC_OR_PARTITION' }
      await expect(consumer.subscribe('v')).rejects.toMatchObject(unknown)
      await expect(consumer.assign([{ topic: 't', partition: 3 }])).rejects.toMatchObject(unknown)
      expect(() => consumer.seek(T0, 1)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
      expect(consumer.assignment()).toEqual([])
    })

    it.each([
      ['a member beyond its number', { member: 2, of: 2 }],
      ['a member of nothing', { member: 0 }],
    ])('%s', async (_, options) => {
      await expect(consumerOf().subscribe('t', options)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    })

    it('two who ask for records at once', async () => {
      const consumer = consumerOf(EARLIEST)
      await consumer.subscribe('t')
      const first = consumer.poll({ timeoutMs: 30_000 })
      await expect(consumer.poll()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
      await append(client, 't', 0, 1)
      expect(await first).toHaveLength(1)
    })
  })

  it('holds no more than it may, however slow it is', async () => {
    const value = 'x'.repeat(1000)
    const records = Array.from({ length: 500 }, () => ({ value }))
    for (let i = 0; i < 6; i++) await client.produce('t', records, { partition: i % 3 })
    const limit = 100 << 10
    const consumer = consumerOf({ ...EARLIEST, fetchMaxBytes: limit, maxPartitionFetchBytes: 32 << 10 })
    await consumer.subscribe('t')
    let count = 0
    for await (const _ of consumer) {
      if (++count === 3000) break
    }
    const { records: handedOut, bytes, maxPrefetchedBytes, prefetchLimitBytes } = consumer.statistics()
    expect({ handedOut, prefetchLimitBytes }).toEqual({ handedOut: 3000, prefetchLimitBytes: limit })
    expect(bytes).toBeGreaterThan(3_000_000)
    expect(maxPrefetchedBytes).toBeLessThanOrEqual(limit)
    expect(maxPrefetchedBytes).toBeGreaterThan(limit / 2)
  })

  it('counts what small fetches take beside their records', async () => {
    const consumer = consumerOf(EARLIEST)
    await consumer.assign([T0])
    await consumer.poll(NO_WAIT)
    for (let i = 0; i < 5; i++) {
      const { bytes } = consumer.statistics()
      await append(client, 't', 0, 1, i)
      await expect.poll(() => consumer.statistics().bytes).toBeGreaterThan(bytes)
    }
    expect(consumer.statistics().prefetchedBytes).toBeGreaterThan(5 * 1000)
  })
})
