import { join } from 'node:path'
import { expect } from 'vitest'
import { Client } from '../../../src/client/index.js'
import type { BrokerProcess } from '../../support/broker-process.js'
import { partitionBytes, partitionRecords } from '../../support/data-directory.js'
import { Ledger, type Load } from '../../support/ledger.js'
import { type Random, seededRandom } from '../../support/random.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { busyBroker, KillPoint } from './kill.js'
import { killInRounds } from './rounds.js'
import { expectLost, requestUntilLost } from './until-lost.js'

const TOPIC = 'records'
const PARTITIONS = 3
const PRODUCERS = 4
/** By load: the requests under way of one producer, and the answers before a kill. */
const IN_FLIGHT = { mixed: 16, large: 3 }
const MOST_ANSWERS = { mixed: 300, large: 12 }

/** Several producers and a reader; the broker is killed at a random moment of each round and started again. */
export async function killUnderProducers(random: Random, rounds: number): Promise<void> {
  const options = await busyBroker(await temporaryDirectory())
  const ledger = new Ledger()
  let before: Buffer[] = []
  let seen: Buffer[] = []
  await killInRounds(options, random, rounds, {
    prepare: async (broker) => {
      await withClient(broker, (client) => client.createTopic(TOPIC, PARTITIONS))
      before = await logs(options.dataDir)
    },
    work: (broker, round) => {
      const load = random.pick(['mixed', 'large'] as const)
      const point = new KillPoint(random, MOST_ANSWERS[load])
      const producing = Array.from({ length: PRODUCERS }, (_, producer) =>
        produce(broker, { ledger, point, random, producer, load }),
      )
      const reading = async (): Promise<void> => {
        seen = await read(broker, seededRandom(random.seed + round))
      }
      return { point, work: [...producing, reading()] }
    },
    compare: async (broker) => {
      await compareOverTheWire(broker, ledger)
      const after = await logs(options.dataDir)
      for (const [partition, bytes] of after.entries()) {
        expect(isPrefix(before[partition] as Buffer, bytes), `${partition}: what was there is there`).toBe(true)
        expect(isPrefix(seen[partition] as Buffer, bytes), `${partition}: what a reader saw is there`).toBe(true)
        const records = await partitionRecords(options.dataDir, TOPIC, partition)
        expect(ledger.contradictions(partition, records)).toEqual([])
      }
      before = after
    },
  })
  expect(ledger.acknowledged).toBeGreaterThanOrEqual(rounds)
}

interface ProducerOptions {
  readonly ledger: Ledger
  readonly point: KillPoint
  readonly random: Random
  readonly producer: number
  readonly load: Load
}

/** Keeps requests under way until the broker is gone. */
async function produce(
  broker: BrokerProcess,
  { ledger, point, random, producer, load }: ProducerOptions,
): Promise<void> {
  const connect = () => Client.connect({ port: broker.port })
  await requestUntilLost(IN_FLIGHT[load], connect, async (client) => {
    const request = ledger.request(random, producer, random.integer(0, PARTITIONS - 1), load)
    const { baseOffset } = await client.produce(TOPIC, request.records, { partition: request.partition })
    request.baseOffset = baseOffset
    void point.answered()
  })
}

/** Follows every partition until the broker is gone. Returns the bytes that came, by partition. */
async function read(broker: BrokerProcess, random: Random): Promise<Buffer[]> {
  const seen = Array.from({ length: PARTITIONS }, () => ({ offset: 0, chunks: [] as Buffer[] }))
  try {
    const client = await Client.connect({ port: broker.port })
    for (;;) {
      for (const [partition, position] of seen.entries()) {
        const maxBytes = random.integer(0, 100_000)
        const { recordCount, records } = await client.fetchRaw(TOPIC, partition, position.offset, { maxBytes })
        position.offset += recordCount
        position.chunks.push(records)
      }
    }
  } catch (error) {
    expectLost(error)
  }
  return seen.map(({ chunks }) => Buffer.concat(chunks))
}

async function compareOverTheWire(broker: BrokerProcess, ledger: Ledger): Promise<void> {
  await withClient(broker, async (client) => {
    const [topic] = await client.metadata(TOPIC)
    for (const [partition, { highWatermark }] of (topic?.partitions ?? []).entries()) {
      const records = []
      while (records.length < highWatermark) {
        const more = await client.fetch(TOPIC, partition, records.length)
        expect(more).not.toEqual([])
        records.push(...more)
      }
      expect(ledger.contradictions(partition, records)).toEqual([])
    }
  })
}

async function withClient(broker: BrokerProcess, use: (client: Client) => Promise<unknown>): Promise<void> {
  const client = await Client.connect({ port: broker.port })
  await use(client)
  await client.close()
}

function logs(dataDir: string): Promise<Buffer[]> {
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition)
  return Promise.all(partitions.map((partition) => partitionBytes(join(dataDir), TOPIC, partition)))
}

function isPrefix(beginning: Buffer, whole: Buffer): boolean {
  return whole.length >= beginning.length && whole.subarray(0, beginning.length).equals(beginning)
}
