import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { Client } from '../../../src/client/client.js'
import { connect, openTransport } from '../../../src/client/connect.js'
import { Consumer } from '../../../src/client/consumer/consumer.js'
import type { ConsumerOptions } from '../../../src/client/consumer/consumer-options.js'
import type { Transport } from '../../../src/client/transport.js'
import { startBroker, type TestBroker } from '../../support/broker.js'
import { closedBehind } from '../../support/connected.js'
import { append, numbers, pollFor, valuesByPartition } from '../../support/consumed.js'
import { type Relay, relay } from '../../support/relay.js'
import { temporaryDirectory } from '../../support/temporary.js'

const QUICK = { retryBackoffMs: 1, retryBackoffMaxMs: 20, reconnectBackoffMs: 1, reconnectBackoffMaxMs: 20 }

let dataDir: string
let address: Relay
let broker: TestBroker
let transport: Transport
/** Of whoever appends: it knows where the broker is. */
let client: Client

beforeEach(async () => {
  dataDir = await temporaryDirectory()
  address = await relay()
  await start()
  const brokers = `127.0.0.1:${address.port}`
  transport = closedBehind(openTransport({ brokers, ...QUICK }))
  await client.createTopic('t', 2)
})

/** On the same data, behind the same address. */
async function start(): Promise<void> {
  broker = await startBroker({ dataDir })
  address.to(broker.port)
  client = closedBehind(await Client.connect({ port: broker.port }))
}

const consumerOf = (options: ConsumerOptions): Consumer =>
  closedBehind(new Consumer(transport, { autoOffsetReset: 'earliest', ...options }))
const appendTo = (partition: number, count: number, from = 0): Promise<void> =>
  append(client, 't', partition, count, from)

it('goes on behind a restart of the broker, with records that it has and with those that it waits for', async () => {
  await appendTo(0, 10)
  const consumer = consumerOf({ groupId: 'g', maxPollRecords: 5, autoCommitIntervalMs: 1 })
  await consumer.subscribe('t')
  const seen = await pollFor(consumer, 5)
  for (let restart = 1; restart <= 3; restart++) {
    await broker.stop()
    await start()
    await appendTo(restart % 2, 10, restart * 10)
    seen.push(...(await pollFor(consumer, 10)))
  }
  seen.push(...(await pollFor(consumer, 5)))
  expect(valuesByPartition(seen)).toEqual({
    't-0': [...numbers(0, 9), ...numbers(20, 29)],
    't-1': [...numbers(10, 19), ...numbers(30, 39)],
  })
  await consumer.close()
  // The last five were handed out, and no more was asked for.
  const left = await Promise.all([0, 1].map((partition) => client.fetchOffset('g', 't', partition)))
  expect(left.reduce((sum: number, offset) => sum + (offset ?? 0), 0)).toBe(35)
})

it('polls of nothing while the broker is away; a commit waits for it', async () => {
  await appendTo(0, 1)
  const consumer = consumerOf({ groupId: 'g', enableAutoCommit: false })
  await consumer.subscribe('t')
  await pollFor(consumer, 1)
  await broker.stop()
  expect(await consumer.poll({ timeoutMs: 10 })).toEqual([])
  const committing = consumer.commit()
  const ending = new AbortController()
  const polled = consumer.poll({ timeoutMs: Number.POSITIVE_INFINITY, signal: ending.signal })
  ending.abort()
  await expect(polled).rejects.toMatchObject({ code: 'ABORTED' })
  await start()
  await committing
  expect(await consumer.committed({ topic: 't', partition: 0 })).toBe(1)
})

it('a subscription waits for the broker, as long as it may', async () => {
  await broker.stop()
  const hasty = consumerOf({ defaultApiTimeoutMs: 20 })
  await expect(hasty.subscribe('t')).rejects.toMatchObject({ retriable: true })
  const consumer = consumerOf({})
  const ending = new AbortController()
  const given = consumer.subscribe('t', { signal: ending.signal })
  ending.abort()
  await expect(given).rejects.toMatchObject({ code: 'ABORTED' })
  const subscribed = consumer.subscribe('t')
  await start()
  await subscribed
  await appendTo(1, 1)
  await pollFor(consumer, 1)
})

it('closes while the broker is away: without a group at once, else it says that nothing was committed', async () => {
  await appendTo(0, 1)
  const free = consumerOf({})
  const bound = consumerOf({ groupId: 'g' })
  await free.subscribe('t')
  await bound.subscribe('t')
  await pollFor(bound, 1)
  await broker.stop()
  await free.close()
  await expect(bound.close({ signal: AbortSignal.timeout(10) })).rejects.toMatchObject({ code: 'ABORTED' })
  expect(bound.closed).toBe(true)
})

it('ends by its signal while the broker is away: a change of what is read, and one that waits for its turn', async () => {
  await appendTo(0, 1)
  const consumer = consumerOf({ groupId: 'g' })
  await consumer.subscribe('t')
  await pollFor(consumer, 1)
  await consumer.poll({ timeoutMs: 0 })
  await broker.stop()
  const ending = new AbortController()
  const first = consumer.assign([{ topic: 't', partition: 1 }])
  const calls = [
    consumer.subscribe('t', { signal: ending.signal }),
    consumer.seekToEnd(undefined, { signal: ending.signal }),
    consumer.unsubscribe({ signal: ending.signal }),
  ]
  ending.abort()
  for (const call of calls) await expect(call).rejects.toMatchObject({ code: 'ABORTED' })
  const closed = consumer.close({ signal: AbortSignal.abort() })
  await expect(first).rejects.toMatchObject({ code: 'CLIENT_CLOSED' })
  await expect(closed).rejects.toMatchObject({ code: 'ABORTED' })
})

it('gives up closing by the signal of a later call', async () => {
  await appendTo(0, 1)
  const consumer = consumerOf({ groupId: 'g' })
  await consumer.subscribe('t')
  await broker.stop()
  const first = consumer.close()
  await expect(consumer.close({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' })
  await expect(first).rejects.toMatchObject({ code: 'ABORTED' })
})

it('tells why a consumer could not close to the one who closed it, not to who closes all', async () => {
  await appendTo(0, 1)
  const kafka = closedBehind(connect({ brokers: `127.0.0.1:${address.port}`, ...QUICK }))
  const own = kafka.consumer({ groupId: 'g' })
  await own.subscribe('t')
  await broker.stop()
  await expect(own.close({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'ABORTED' })
  await kafka.close()
})

it('warns of nothing where many wait under the one signal of a program', async () => {
  const warnings: Error[] = []
  const note = (warning: Error): unknown => warnings.push(warning)
  process.on('warning', note)
  onTestFinished(() => void process.off('warning', note))
  const ending = new AbortController()
  const { signal } = ending
  const consumers = Array.from({ length: 20 }, () => consumerOf({ groupId: 'g' }))
  await Promise.all(consumers.map((consumer) => consumer.subscribe('t', { signal })))
  await broker.stop()
  const calls = consumers.flatMap((consumer) => [
    consumer.poll({ timeoutMs: Number.POSITIVE_INFINITY, signal }),
    consumer.committed({ topic: 't', partition: 0 }, { signal }),
    consumer.assign([], { signal }),
    consumer.close({ signal }),
  ])
  await turn()
  ending.abort()
  await Promise.allSettled(calls)
  await turn()
  expect(warnings).toEqual([])
})
