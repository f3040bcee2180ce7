import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Client } from '../../../src/client/index.js'
import type { BrokerProcess, BrokerProcessOptions } from '../../support/broker-process.js'
import type { Random } from '../../support/random.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { KillPoint } from './kill.js'
import { killInRounds } from './rounds.js'
import { requestUntilLost } from './until-lost.js'

const TOPIC = 'retained'
const PARTITIONS = 2
const IN_FLIGHT = 8
const MOST_ANSWERS = 400
const RETENTION_BYTES = 65_536

/** Logs that roll, lose their oldest segments and checkpoint all the while. */
async function options(directory: string): Promise<BrokerProcessOptions> {
  const config = join(directory, 'server.properties')
  const settings = {
    'log.flush.offset.checkpoint.interval.ms': 20,
    'log.retention.check.interval.ms': 1,
    'log.retention.bytes': RETENTION_BYTES,
    'log.segment.delete.delay.ms': 10,
    'log.segment.bytes': 8192,
  }
  await writeFile(
    config,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  )
  return { dataDir: join(directory, 'data'), args: ['--config', config] }
}

/** By partition, the offsets of the values that were acknowledged. */
type Acknowledged = Map<string, number>[]

/**
 * A producer of each partition, while retention removes what it wrote; the broker is killed at a random moment of each
 * round. What is left has to be the end of what was acknowledged, without a gap, and offsets are never given twice.
 */
export async function killUnderRetention(random: Random, rounds: number): Promise<void> {
  const acknowledged: Acknowledged = Array.from({ length: PARTITIONS }, () => new Map())
  await killInRounds(await options(await temporaryDirectory()), random, rounds, {
    prepare: async ({ port }) => {
      const client = await Client.connect({ port })
      await client.createTopic(TOPIC, PARTITIONS)
      await client.close()
    },
    work: (broker, round) => {
      const point = new KillPoint(random, MOST_ANSWERS, broker.writes('retention removed '))
      const of = (values: Map<string, number>, partition: number) => ({ values, partition, point, random, round })
      return { point, work: acknowledged.map((values, partition) => produce(broker, of(values, partition))) }
    },
    compare: async (broker) => {
      for (const [partition, values] of acknowledged.entries()) await compare(broker, partition, values)
    },
  })
}

interface ProducerOptions {
  readonly values: Map<string, number>
  readonly partition: number
  readonly point: KillPoint
  readonly random: Random
  readonly round: number
}

async function produce(
  broker: BrokerProcess,
  { values, partition, point, random, round }: ProducerOptions,
): Promise<void> {
  let count = 0
  const connect = () => Client.connect({ port: broker.port })
  await requestUntilLost(IN_FLIGHT, connect, async (client) => {
    const value = `${round}.${count++} `.padEnd(random.integer(50, 2000), 'x')
    const { baseOffset } = await client.produce(TOPIC, [{ value }], { partition })
    values.set(value, baseOffset)
    await point.answered()
  })
}

/** Holds a log against what was acknowledged. */
async function compare(broker: BrokerProcess, partition: number, values: ReadonlyMap<string, number>): Promise<void> {
  const client = await Client.connect({ port: broker.port })
  let start = 0
  const found = new Map<number, string>()
  for (let offset = await logStart(client, partition); ; ) {
    const records = await client.fetch(TOPIC, partition, offset).catch(() => null)
    if (records === null) {
      // Retention has gone on meanwhile.
      offset = await logStart(client, partition)
      found.clear()
      continue
    }
    if (records.length === 0) break
    if (found.size === 0) start = offset
    for (const record of records) {
      expect(record.offset).toBe(offset++)
      found.set(record.offset, String(record.value))
    }
  }
  const end = start + found.size
  const wrong = [...values].filter(([value, at]) => at >= end || (at >= start && found.get(at) !== value))
  expect(wrong.map(([value, at]) => `${at}: ${value.trim().slice(0, 20)}`)).toEqual([])
  await client.close()
}

async function logStart(client: Client, partition: number): Promise<number> {
  const [topic] = await client.metadata(TOPIC)
  return topic?.partitions[partition]?.logStartOffset as number
}
