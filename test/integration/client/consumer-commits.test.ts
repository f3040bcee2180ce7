import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Client } from '../../../src/client/client.js'
import { Consumer } from '../../../src/client/consumer/consumer.js'
import type { ConsumerOptions } from '../../../src/client/consumer/consumer-options.js'
import type { Transport } from '../../../src/client/transport.js'
import { deleteTopicsApi } from '../../../src/wire/kafka/generated/delete-topics.js'
import { CONNECTION_KINDS, closedBehind, openedTransport } from '../../support/connected.js'
import { append, numbers, pollFor, valuesByPartition } from '../../support/consumed.js'

const GROUP = 'g'
const T0 = { topic: 't', partition: 0 }
const NO_WAIT = { timeoutMs: 0 }
const BY_HAND = { enableAutoCommit: false }

describe.each(CONNECTION_KINDS)('a consumer over %s commits', (kind) => {
  let transport: Transport
  let client: Client

  beforeEach(async () => {
    transport = await openedTransport(kind, { retryBackoffMs: 1, retryBackoffMaxMs: 5 })
    client = await transport.client()
    await client.createTopic('t', 1)
    await append(client, 't', 0, 10)
  })

  const consumerOf = (options: ConsumerOptions = {}): Consumer =>
    closedBehind(new Consumer(transport, { groupId: GROUP, autoOffsetReset: 'earliest', ...options }))
  const committed = async (topic = 't'): Promise<number | null> => await client.fetchOffset(GROUP, topic, 0)

  it('a lower offset that was sought, and leaves it so', async () => {
    const consumer = consumerOf()
    await consumer.subscribe('t')
    await pollFor(consumer, 10)
    await consumer.poll(NO_WAIT)
    consumer.seek(T0, 5)
    await consumer.commit()
    expect(await committed()).toBe(5)
    await consumer.close()
    expect(await committed()).toBe(5)
  })

  it('by itself no more than what lies before an offset that was sought', async () => {
    const consumer = consumerOf()
    await consumer.subscribe('t')
    await pollFor(consumer, 10)
    await consumer.poll(NO_WAIT)
    consumer.seek(T0, 5)
    await consumer.close()
    expect(await committed()).toBe(5)
  })

  it('what its caller says, also where that is less than what is done with', async () => {
    const consumer = consumerOf()
    await consumer.subscribe('t')
    await pollFor(consumer, 10)
    await consumer.poll(NO_WAIT)
    await consumer.commitOffsets([{ ...T0, offset: 3 }])
    await consumer.close()
    expect(await committed()).toBe(3)
  })

  it('a position that was committed before, where another commit is under way or came from outside', async () => {
    const consumer = consumerOf(BY_HAND)
    await consumer.subscribe('t')
    consumer.seek(T0, 5)
    await consumer.commit()
    await pollFor(consumer, 5)
    const first = consumer.commit()
    consumer.seek(T0, 5)
    await Promise.all([first, consumer.commit()])
    expect(await committed()).toBe(5)
    await client.commitOffset(GROUP, 't', 0, 1)
    await consumer.commit()
    expect(await committed()).toBe(5)
  })

  it('no offset that is none, and goes on', async () => {
    const consumer = consumerOf()
    await consumer.subscribe('t')
    for (const offset of [Number.NaN, -5, 1.5]) {
      const refused = consumer.commitOffsets([{ ...T0, offset }])
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    }
    await pollFor(consumer, 10)
    await consumer.poll(NO_WAIT)
    await consumer.close()
    expect(await committed()).toBe(10)
  })

  it('what is left where a topic is deleted, which is told once', async () => {
    await client.createTopic('gone', 1)
    await append(client, 'gone', 0, 1)
    const consumer = consumerOf({ autoCommitIntervalMs: 1 })
    await consumer.subscribe(['t', 'gone'])
    await pollFor(consumer, 11)
    const deletion = {
      topics: [{ name: 'gone', topicId: 'AAAAAAAAAAAAAAAAAAAAAA' }],
      topicNames: [],
      timeoutMs: 30_000,
    }
    await (await transport.kafka()).call(deleteTopicsApi, 6, deletion)
    const unknown = { code: 'UNKNOWN_TOPIC_OR_PARTITION' }
    await expect(consumer.poll({ timeoutMs: 60_000 })).rejects.toMatchObject({ ...unknown, topic: 'gone' })
    // It is asked for again, and again refused.
    const { fetches } = consumer.statistics()
    while (consumer.statistics().fetches < fetches + 3) await consumer.poll({ timeoutMs: 1 })
    await append(client, 't', 0, 2, 10)
    expect(valuesByPartition(await pollFor(consumer, 2))).toEqual({ 't-0': numbers(10, 11) })
    await consumer.commit()
    expect(await committed()).toBe(12)
    const offsets = [
      { topic: 'gone', partition: 0, offset: 0 },
      { ...T0, offset: 4 },
    ]
    await expect(consumer.commitOffsets(offsets)).rejects.toMatchObject(unknown)
    expect(await committed()).toBe(4)
    await consumer.close()
    expect(await committed()).toBe(4)
  })
})

describe.each(CONNECTION_KINDS)('over %s, by the clock', (kind) => {
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    })
  })
  afterEach(() => void vi.useRealTimers())

  it('what is committed is committed again before the broker forgets it, though nothing is read', async () => {
    const retention = { offsetsRetentionMinutes: 1, offsetsRetentionCheckIntervalMs: 1000 }
    const transport = await openedTransport(kind, { requestTimeoutMs: 3_600_000 }, retention)
    const client = await transport.client()
    await client.createTopic('t', 1)
    await append(client, 't', 0, 3)
    const consumer = closedBehind(new Consumer(transport, { groupId: GROUP, autoCommitIntervalMs: 1000 }))
    await consumer.subscribe('t')
    vi.advanceTimersByTime(1000)
    await expect.poll(() => consumer.statistics().commits).toBe(1)
    for (let commits = 2; commits <= 5; commits++) {
      vi.advanceTimersByTime(30_000)
      await expect.poll(() => consumer.statistics().commits).toBeGreaterThanOrEqual(commits)
      expect(await client.fetchOffset(GROUP, 't', 0)).toBe(3)
    }
    await consumer.close()
  })
})
