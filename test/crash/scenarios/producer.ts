import { expect } from 'vitest'
import { Client } from '../../../src/client/client.js'
import { openTransport } from '../../../src/client/connect.js'
import { Producer } from '../../../src/client/producer/producer.js'
import { closedBehind } from '../../support/connected.js'
import type { Random } from '../../support/random.js'
import { relay } from '../../support/relay.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { busyBroker, KillPoint } from './kill.js'
import { killInRounds } from './rounds.js'

const TOPIC = 'records'
const PARTITIONS = 3
const MOST_ANSWERS = 3000
const MOST_UNSETTLED = 2000
const QUICK = { retryBackoffMs: 5, retryBackoffMaxMs: 50, reconnectBackoffMs: 5, reconnectBackoffMaxMs: 50 }

interface Sent {
  readonly partition: number
  readonly value: string
  readonly settled: Promise<unknown>
  offset: number | null
}

/**
 * A producer whose broker is killed at a random moment of each round, and comes back: nothing is lost, each partition is
 * in order, and what is there twice was sent again.
 */
export async function killUnderProducer(random: Random, rounds: number): Promise<void> {
  const address = await relay()
  const transport = closedBehind(openTransport({ brokers: `127.0.0.1:${address.port}`, ...QUICK }))
  const producer = closedBehind(new Producer(transport, { batchSize: 2000, bufferMemory: 100_000 }))
  const sent: Sent[] = []

  const send = (point: KillPoint): Sent => {
    const partition = random.integer(0, PARTITIONS - 1)
    const value = `${sent.length}${'.'.repeat(random.integer(0, 200))}`
    const settled = producer.send({ topic: TOPIC, partition, value }).then(({ offset }) => {
      record.offset = offset
      void point.answered()
    })
    const record: Sent = { partition, value, settled, offset: null }
    sent.push(record)
    return record
  }

  const sendUntil = async (gone: Promise<unknown>, point: KillPoint): Promise<void> => {
    let isGone = false
    void gone.then(() => {
      isGone = true
    })
    while (!isGone) {
      send(point)
      await Promise.race([gone, sent.at(-MOST_UNSETTLED)?.settled])
      if (sent.length % 50 === 0) await new Promise(setImmediate)
    }
  }

  await killInRounds(await busyBroker(await temporaryDirectory()), random, rounds, {
    prepare: async ({ port }) => {
      address.to(port)
      await (await transport.client()).createTopic(TOPIC, PARTITIONS)
    },
    work: (broker) => {
      const point = new KillPoint(random, MOST_ANSWERS)
      return { point, work: [sendUntil(broker.exited(), point)] }
    },
    compare: async ({ port }) => {
      address.to(port)
      await Promise.all(sent.map(({ settled }) => settled))
      await compare(port, sent, producer)
    },
  })
  expect(producer.statistics()).toMatchObject({ records: sent.length, failedRecords: 0 })
}

async function compare(port: number, sent: readonly Sent[], producer: Producer): Promise<void> {
  const client = closedBehind(await Client.connect({ port }))
  let duplicates = 0
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const expected = sent.filter((each) => each.partition === partition)
    const found = await valuesOf(client, partition)
    expect([...new Set(found)]).toEqual(expected.map(({ value }) => value))
    expect(expected.map(({ offset }) => found[offset as number])).toEqual(expected.map(({ value }) => value))
    duplicates += found.length - expected.length
  }
  if (duplicates > 0) expect(producer.statistics().retries).toBeGreaterThan(0)
  await client.close()
}

async function valuesOf(client: Client, partition: number): Promise<string[]> {
  const values: string[] = []
  for (;;) {
    const records = await client.fetch(TOPIC, partition, values.length)
    if (records.length === 0) return values
    for (const { value } of records) values.push(String(value))
  }
}
