import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Client } from '../../../src/client/index.js'
import { BrokerProcess, type BrokerProcessOptions } from '../../support/broker-process.js'
import { isLostConnection } from '../../support/ledger.js'
import type { Random } from '../../support/random.js'
import { temporaryDirectory } from '../../support/temporary.js'
import { KillPoint, kill, restart } from './kill.js'

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
  const brokerOptions = await options(await temporaryDirectory())
  const acknowledged: Acknowledged = Array.from({ length: PARTITIONS }, () => new Map())
  let broker = await BrokerProcess.start(brokerOptions)
  const creating = await Client.connect({ port: broker.port })
  await creating.createTopic(TOPIC, PARTITIONS)
  await creating.close()
  let removed = 0
  for (let round = 0; round < rounds; round++) {
    const point = new KillPoint(random, MOST_ANSWERS)
    const work = acknowledged.map((values, partition) => produce(broker, { values, partition, point, random, round }))
    await point.reached
    await kill(broker, random)
    await Promise.all(work)
    broker = await restart(brokerOptions, random)
    for (const [partition, values] of acknowledged.entries()) {
      const start = await compare(broker, partition, values)
      removed = Math.max(removed, start)
    }
  }
  expect(removed).toBeGreaterThan(0)
  await broker.stop()
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
  const client = await Client.connect({ port: broker.port })
  const underWay: Promise<void>[] = []
  for (let i = 0; !client.closed; i++) {
    const value = `${round}.${i} `.padEnd(random.integer(50, 2000), 'x')
    const answer = client.produce(TOPIC, [{ value }], { partition })
    underWay.push(
      answer.then(
        ({ baseOffset }) => {
          values.set(value, baseOffset)
          point.answered()
        },
        (error: unknown) => expect(isLostConnection(error), String(error)).toBe(true),
      ),
    )
    if (underWay.length >= IN_FLIGHT) await underWay.shift()
  }
  await Promise.all(underWay)
}

/** Holds a log against what was acknowledged. Returns where it begins. */
async function compare(broker: BrokerProcess, partition: number, values: ReadonlyMap<string, number>): Promise<number> {
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
  return start
}

async function logStart(client: Client, partition: number): Promise<number> {
  const [topic] = await client.metadata(TOPIC)
  return topic?.partitions[partition]?.logStartOffset as number
}
