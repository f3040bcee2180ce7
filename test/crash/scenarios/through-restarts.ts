import { expect } from 'vitest'
import { connect } from '../../../src/client/connect.js'
import type { Consumer } from '../../../src/client/consumer/consumer.js'
import type { Producer } from '../../../src/client/producer/producer.js'
import { BrokerProcess } from '../../support/broker-process.js'
import { closedBehind } from '../../support/connected.js'
import type { Random } from '../../support/random.js'
import { relay } from '../../support/relay.js'
import { temporaryDirectory } from '../../support/temporary.js'

const TOPIC = 'records'
const PARTITIONS = 6
const MOST_UNSETTLED = 4000
const QUICK = { retryBackoffMs: 5, retryBackoffMaxMs: 50, reconnectBackoffMs: 5, reconnectBackoffMaxMs: 50 }

/** What a consumer saw of one partition. The values of its records are their numbers. */
interface Seen {
  /** The number that comes next for the first time. */
  next: number
  lastValue: number
  lastOffset: number
  /** How often it went back to records that it had seen: what was produced again. */
  repetitions: number
}

/**
 * Sends records through a producer and a consumer while their broker is restarted, every other time by kill -9: none is
 * missing, those of a partition come in order, no offset comes twice, and what is there twice the producer sent again.
 *
 * @returns what the producer and the consumer had to do for that
 */
export async function throughRestarts(random: Random, records: number, restarts: number): Promise<string> {
  const address = await relay()
  const dataDir = await temporaryDirectory()
  let broker = await BrokerProcess.start({ dataDir })
  address.to(broker.port)
  const kafka = closedBehind(connect({ brokers: `127.0.0.1:${address.port}`, ...QUICK }))
  await kafka.admin().createTopic(TOPIC, { partitions: PARTITIONS })
  const producer = kafka.producer()
  const consumer = kafka.consumer({ groupId: 'readers', autoOffsetReset: 'earliest', autoCommitIntervalMs: 20 })
  await consumer.subscribe(TOPIC)

  const progress = new Progress()
  const restart = async (): Promise<void> => {
    for (let done = 1; done <= restarts; done++) {
      await progress.reached(Math.floor((done * records) / (restarts + 1)))
      if (done % 2 === 1) await broker.killIn(random.integer(0, 20))
      else await broker.stop()
      broker = await BrokerProcess.start({ dataDir })
      address.to(broker.port)
    }
  }
  const [seen] = await Promise.all([consume(consumer, records), produce(producer, records, progress), restart()])
  const ends = await kafka.admin().listOffsets(TOPIC, 'latest')
  await consumeTo(ends, consumer, seen)

  const { retries, failedRecords } = producer.statistics()
  expect(failedRecords).toBe(0)
  expect(sum(seen, ({ repetitions }) => repetitions)).toBeLessThanOrEqual(retries)
  await consumer.poll({ timeoutMs: 0 })
  await consumer.close()
  const next = kafka.consumer({ groupId: 'readers', autoOffsetReset: 'earliest' })
  await next.subscribe(TOPIC)
  for (const [partition, end] of ends) expect(next.position({ topic: TOPIC, partition })).toBe(end)
  const twice = sum(seen, ({ lastOffset }) => lastOffset + 1) - records
  return `${records} records, ${restarts} restarts: ${retries} batches sent again, ${twice} records twice`
}

/** The n-th record of each partition has the value n, in turn. */
async function produce(producer: Producer, records: number, progress: Progress): Promise<void> {
  const sent: Promise<unknown>[] = []
  for (let i = 0; i < records; i++) {
    const record = { topic: TOPIC, partition: i % PARTITIONS, value: String(Math.floor(i / PARTITIONS)) }
    sent.push(producer.send(record))
    if (sent.length < MOST_UNSETTLED) continue
    await Promise.all(sent.splice(0, MOST_UNSETTLED / 2))
    progress.at(i + 1 - sent.length)
  }
  await Promise.all(sent)
}

async function consume(consumer: Consumer, records: number): Promise<Seen[]> {
  const seen = Array.from({ length: PARTITIONS }, () => ({ next: 0, lastValue: -1, lastOffset: -1, repetitions: 0 }))
  const missing = (): number => records - sum(seen, ({ next }) => next)
  while (missing() > 0) await pollOnce(consumer, seen)
  return seen
}

/** What is there twice may lie behind the last that was missing. */
async function consumeTo(ends: ReadonlyMap<number, number | null>, consumer: Consumer, seen: Seen[]): Promise<void> {
  const isShort = ({ lastOffset }: Seen, partition: number): boolean => lastOffset + 1 < (ends.get(partition) ?? 0)
  while (seen.some(isShort)) await pollOnce(consumer, seen)
}

async function pollOnce(consumer: Consumer, seen: Seen[]): Promise<void> {
  const records = await consumer.poll({ timeoutMs: 60_000 })
  if (records.length === 0) throw new Error('no record came for a minute')
  for (const { partition, offset, value } of records) see(seen[partition] as Seen, offset, Number(value))
}

function see(seen: Seen, offset: number, value: number): void {
  if (offset <= seen.lastOffset) throw new Error(`the offset ${offset} comes behind ${seen.lastOffset}`)
  if (value > seen.next) throw new Error(`${seen.next} is missing: ${value} comes before it`)
  if (value !== seen.lastValue + 1) seen.repetitions++
  if (value === seen.next) seen.next++
  seen.lastValue = value
  seen.lastOffset = offset
}

function sum(seen: readonly Seen[], of: (each: Seen) => number): number {
  return seen.reduce((total, each) => total + of(each), 0)
}

/** How many records are acknowledged: so the broker goes while more are on their way. */
class Progress {
  #awaited = Number.POSITIVE_INFINITY
  #reach: () => void = () => {}

  reached(records: number): Promise<void> {
    this.#awaited = records
    return new Promise((resolve) => {
      this.#reach = resolve
    })
  }

  at(records: number): void {
    if (records >= this.#awaited) this.#reach()
  }
}
